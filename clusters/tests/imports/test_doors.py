"""What was found, on the page and in the API: from rows alone, with the alias asked for at its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from clusters.choices import SearchState
from clusters.models import Cluster, FoundCluster, FoundHyperPod, SearchedRegion
from clusters.tests.rows import make_cluster
from operations import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows() -> None:
    at = clock.now()
    for region in ("eu-west-1", "us-west-2"):
        SearchedRegion.objects.create(
            region=region, account="123456789012", state=SearchState.DONE, clusters=2, read=2, asked_at=at, ended_at=at
        )
        FoundCluster.objects.create(
            account="123456789012",
            region=region,
            name="prod",
            arn=f"arn:aws:eks:{region}:123456789012:cluster/prod",
            status="ACTIVE",
            read_at=at,
        )
    FoundHyperPod.objects.create(
        account="123456789012",
        region="us-west-2",
        name="prod-pods",
        orchestrator="arn:aws:eks:us-west-2:123456789012:cluster/prod",
        body={
            "ClusterName": "prod-pods",
            "ClusterArn": "arn:aws:sagemaker:us-west-2:123456789012:cluster/abc",
            "ClusterStatus": "InService",
            "InstanceGroups": [{"InstanceGroupName": "gpu", "InstanceType": "ml.g5.8xlarge", "TargetCount": 16}],
        },
        read_at=at,
    )


def test_the_api_lists_what_was_found_and_a_limited_token_sees_none(rows: None, operator: User, api: Callable[..., APIClient]) -> None:
    answer = api(operator).get("/api/v1/imports/clusters/")
    assert [
        (one["region"], one["eks_name"], one["hyperpod_name"], one["node_count"], one["imported_as"]) for one in answer.json()["results"]
    ] == [
        ("eu-west-1", "prod", "", None, ""),
        ("us-west-2", "prod", "prod-pods", 16, ""),
    ]
    assert [one["state"] for one in api(operator).get("/api/v1/imports/").json()["regions"]] == ["done", "done"]
    limited = api(operator, clusters=["demo"])
    assert limited.get("/api/v1/imports/clusters/").json()["results"] == []
    assert limited.get("/api/v1/imports/").json() == {"regions": []}


def test_a_cluster_is_not_importable_while_its_hyperpod_clusters_are_not_known(
    rows: None, operator: User, api: Callable[..., APIClient]
) -> None:
    FoundHyperPod.objects.update(read_at=None, orchestrator="")
    one = api(operator).get("/api/v1/imports/clusters/?region=us-west-2").json()["results"][0]
    assert (one["hyperpod_name"], one["doubt"]) == ("", "the HyperPod clusters of us-west-2 are not all read yet")
    refused = api(operator).post("/api/v1/imports/clusters/", {"clusters": [{"region": "us-west-2", "eks_name": "prod"}]}, format="json")
    assert (refused.status_code, [(error["field"], error["code"]) for error in refused.json()["errors"]]) == (
        422,
        [("clusters.0.eks_name", "not_readable")],
    )
    assert Cluster.objects.count() == 0


def test_the_page_asks_for_an_alias_at_the_row_and_imports_what_was_reviewed(rows: None, operator: User, client: Client) -> None:
    make_cluster("prod")
    Cluster.objects.update(region="ap-south-1")
    client.force_login(operator)
    shown = client.get("/import/").content.decode()
    assert shown.count('name="cluster"') == 2
    asked = client.get("/import/review/?cluster=us-west-2/prod")
    assert asked.status_code == 422
    assert (
        "There is a cluster prod here already, in ap-south-1. Give prod in us-west-2 an alias, for example prod-us-west-2."
        in asked.content.decode()
    )
    address = "/import/review/?cluster=us-west-2/prod&alias-us-west-2/prod=trainers"
    review: Any = client.get(address)
    assert review.status_code == 200
    done = client.post(address, {"plan_fingerprint": review.context["plan"].fingerprint, "key": "one"})
    assert done.status_code == 302
    row = Cluster.objects.get(name="trainers")
    assert (row.eks_name, row.hyperpod_name, row.origin) == ("prod", "prod-pods", "imported")
    page = client.get("/clusters/trainers/").content.decode()
    assert "imported, observed only" in page
    assert "Not read yet" in page
