"""The catalogue by REST, against the sandbox's AWS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clusters.catalog.instance_types import INSTANCE_TYPES
from clusters.tests.sandbox import Sandbox

BASE = "/api/v1/catalog"
ALL = ("regions", "zones", "instance-types", "kubernetes-versions", "training-plans", "quotas")


@pytest.fixture
def client(viewer: User) -> APIClient:
    made = APIClient()
    made.force_authenticate(viewer)
    return made


Get = Callable[..., Any]


@pytest.fixture
def get(sandbox: Sandbox, client: APIClient) -> Get:
    def ask(part: str, /, **query: str) -> Any:
        answer = client.get(f"{BASE}/{part}/", query)
        return answer.status_code, answer.json()

    return ask


def test_regions_are_those_of_the_account(get: Get) -> None:
    status, body = get("regions")
    assert status == 200
    assert {"name": "us-west-2", "default": True} in body["results"]


def test_zones_have_names_and_ids(get: Get) -> None:
    status, body = get("zones", region="us-west-2")
    assert (status, body["region"]) == (200, "us-west-2")
    assert {zone["name"]: zone["id"] for zone in body["results"]}.keys() >= {"us-west-2a", "us-west-2b"}
    assert body["age_seconds"] < 30 and body["read_at"].endswith("Z")


def test_instance_types_have_facts_prices_and_zones(get: Get) -> None:
    status, body = get("instance-types")
    assert status == 200
    assert len(body["results"]) == len(INSTANCE_TYPES)
    found = {item["name"]: item for item in body["results"]}["ml.p5.48xlarge"]
    assert (found["vcpus"], found["accelerator"], found["accelerators"], found["price_per_hour"], found["price_date"]) == (
        192,
        "H100",
        8,
        66.05,
        "2026-10",
    )
    assert found["zones"]
    assert [item["name"] for item in get("instance-types", name="G5.8X")[1]["results"]] == ["ml.g5.8xlarge"]


def test_instance_types_can_be_narrowed_to_a_zone(get: Get) -> None:
    body = get("instance-types", zone="us-west-2a")[1]
    assert body["results"] and all("us-west-2a" in item["zones"] for item in body["results"])
    assert get("instance-types", zone="us-west-2z")[1]["results"] == []


def test_versions_tell_support_and_which_is_preferred(get: Get) -> None:
    status, body = get("kubernetes-versions")
    assert status == 200
    assert [item["version"] for item in body["results"] if item["preferred"]] == ["1.36"]


def test_quotas_are_found_by_name(get: Get) -> None:
    status, body = get("quotas", name="ml.g5.8xlarge for cluster usage")
    assert status == 200
    assert [item["name"] for item in body["results"]] == ["ml.g5.8xlarge for cluster usage"]
    assert get("quotas", service="vpc", name="VPCs per Region")[1]["results"][0]["value"] >= 1


def test_training_plans_are_a_list(get: Get) -> None:
    status, body = get("training-plans")
    assert (status, isinstance(body["results"], list)) == (200, True)


@pytest.mark.parametrize(
    ("name", "query", "code"),
    [
        ("zones", {"region": "mars"}, "invalid_parameter"),
        ("zones", {"zone": "us-west-2a"}, "unknown_parameter"),
        ("quotas", {"service": "route53"}, "invalid_parameter"),
        ("regions", {"region": "us-west-2"}, "unknown_parameter"),
    ],
)
def test_what_is_misspelt_is_refused(get: Get, name: str, query: dict[str, str], code: str) -> None:
    status, body = get(name, **query)
    assert (status, body["code"]) == (400, code)
    assert body["hint"]


def test_aws_is_asked_once_for_two_questions(get: Get, sandbox: Sandbox) -> None:
    get("zones")
    get("zones")
    assert len(sandbox.requests(service="ec2", operation="DescribeAvailabilityZones")) == 1


@pytest.mark.parametrize("name", ALL)
def test_a_refusal_of_aws_is_told_with_its_fix(get: Get, sandbox: Sandbox, name: str) -> None:
    sandbox.fault(kind="access_denied", count=None)
    status, body = get(name)
    assert (status, body["code"]) == (502, "aws_denied")
    assert body["hint"].startswith("Allow ") and "iam-policy" in body["hint"]
    sandbox.no_faults()
    assert get(name)[0] == 200


@pytest.mark.parametrize("name", ALL)
def test_an_aws_that_is_away_is_told(sandbox: Sandbox, client: APIClient, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    answer = client.get(f"{BASE}/{name}/")
    assert (answer.status_code, answer.json()["code"]) == (503, "aws_unreachable")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.django_db
def test_nobody_reads_it_without_signing_in(name: str) -> None:
    assert APIClient().get(f"{BASE}/{name}/").status_code == 401
