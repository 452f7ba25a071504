"""Clusters through REST, without AWS: what is read comes from rows."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.renderers import JSONRenderer
from rest_framework.test import APIClient

from accounts.models import Preference, User
from clusters.api.serializers import ClusterSerializer
from clusters.models import Cluster
from clusters.tests.rows import make_cluster
from operations.models import Operation

pytestmark = pytest.mark.django_db


def test_a_listed_cluster_is_what_the_serializer_documents(operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    body = api(operator).get("/api/v1/clusters/").json()
    documented = json.loads(JSONRenderer().render(ClusterSerializer(Cluster.objects.get()).data))
    assert body["results"] == [documented]


def test_a_list_takes_the_same_few_queries_for_fifty_clusters_as_for_one(operator: User, api: Callable[..., APIClient]) -> None:
    client = api(operator)
    make_cluster("c00")
    client.get("/api/v1/clusters/")
    with CaptureQueriesContext(
        connection,
    ) as one:
        client.get("/api/v1/clusters/")
    for number in range(1, 50):
        make_cluster(f"c{number:02d}")
    with CaptureQueriesContext(connection) as fifty:
        answer = client.get("/api/v1/clusters/")
    assert len(answer.json()["results"]) == 50
    assert len(fifty) == len(one)
    assert sum("clusters_" in query["sql"] for query in fifty.captured_queries) == 1


def test_only_the_fields_asked_for_are_sent(operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    assert api(operator).get("/api/v1/clusters/?fields=name,state").json()["results"] == [{"name": "one", "state": "ready"}]
    assert api(operator, name="other").get("/api/v1/clusters/?fields=nonsense").status_code == 400


def test_a_cluster_shows_its_phases_groups_and_commands(operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one", endpoint="https://127.0.0.1:6443")
    body = api(operator).get("/api/v1/clusters/one/").json()
    assert [phase["name"] for phase in body["phases"]] == ["control_plane", "select", "dependencies", "hyperpod", "storage"]
    assert [phase["state"] for phase in body["phases"]] == ["ready"] * 5
    assert body["groups"][0]["current_count"] == 1
    assert "aws eks update-kubeconfig --region us-west-2 --name one" in [item["command"] for item in body["commands"]]
    assert body["stale"] is True  # read a day ago, every 90 s


@pytest.mark.parametrize("part", ["phases", "groups", "nodes", "events", "dependencies", "resources"])
def test_parts_of_a_cluster_are_lists(part: str, operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one", nodes=3)
    body = api(operator).get(f"/api/v1/clusters/one/{part}/").json()
    assert len(body["results"]) == {"phases": 5, "groups": 1, "nodes": 3}.get(part, 0)


@pytest.mark.parametrize("path", ["", "phases/", "groups/", "nodes/", "events/", "dependencies/", "resources/", "raw/", "protection/"])
def test_a_token_of_another_cluster_is_not_told_that_this_one_exists(path: str, operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("mine")
    make_cluster("other")
    client = api(operator, clusters=["mine"])
    assert client.get(f"/api/v1/clusters/mine/{path}").status_code == 200
    assert client.get(f"/api/v1/clusters/other/{path}").status_code == 404
    assert [row["name"] for row in client.get("/api/v1/clusters/").json()["results"]] == ["mine"]


def test_protection_is_set_once_and_a_second_time_changes_nothing(operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    client = api(operator)
    first = client.put("/api/v1/clusters/one/protection/", {"enabled": True}, format="json")
    assert (first.status_code, Cluster.objects.get().deletion_protection) == (202, True)
    Operation.objects.update(state="succeeded")
    second = client.put("/api/v1/clusters/one/protection/", {"enabled": True}, format="json")
    assert (second.status_code, second.json()["changed"]) == (200, False)
    assert Operation.objects.count() == 1


def test_a_preference_belongs_to_the_token_that_asks(viewer: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    answer = api(viewer).post("/api/v1/clusters/one/prefer/", {}, format="json")
    assert answer.status_code == 202
    assert [(row.cluster, row.token is not None) for row in Preference.objects.all()] == [("one", True)]


def test_a_viewer_deletes_nothing(viewer: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    assert api(viewer).delete("/api/v1/clusters/one/", {"confirm": "one"}, format="json").status_code == 403
    assert (Cluster.objects.count(), Operation.objects.count()) == (1, 0)


def test_a_phase_that_there_is_not_is_named(operator: User, api: Callable[..., APIClient]) -> None:
    make_cluster("one")
    answer = api(operator).post("/api/v1/clusters/one/phases/nonsense/retry/", {}, format="json")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "phase"


CONTRADICTING = [
    ("patch", "groups/workers/", {"name": "other", "count": 2}, "name"),
    ("patch", "groups/workers/", {"name": "one", "count": 2}, "name"),
    ("patch", "groups/workers/", {"group": "other"}, "group"),
    ("delete", "groups/workers/", {"name": "other"}, "name"),
    ("post", "groups/", {"name": "other"}, "name"),
    ("post", "nodes/i-1/drain/", {"nodes": ["i-2"]}, "nodes"),
    ("put", "protection/", {"name": "other"}, "name"),
]


@pytest.mark.parametrize(("method", "path", "body", "field"), CONTRADICTING)
def test_a_body_that_names_another_thing_than_the_address_is_refused(
    operator: User, api: Callable[..., APIClient], method: str, path: str, body: dict[str, object], field: str
) -> None:
    make_cluster("one")
    answer = getattr(api(operator), method)(f"/api/v1/clusters/one/{path}", body, format="json")
    told = answer.json()
    assert (answer.status_code, told["code"], [error["field"] for error in told["errors"]]) == (422, "contradicts_address", [field])
