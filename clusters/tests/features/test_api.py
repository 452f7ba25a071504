"""Features through REST without AWS: what is read comes from rows, what is sent is checked field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from clusters.features import REGISTRY
from clusters.models import ClusterFeature
from clusters.tests.rows import make_cluster
from instantstart import cloud
from operations.models import Operation

pytestmark = pytest.mark.django_db
URL = "/api/v1/clusters/demo/features/"


@pytest.fixture
def no_aws(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> Any:
        raise AssertionError("AWS was called")

    monkeypatch.setattr(cloud, "connect", refuse)


def test_all_features_are_listed_in_order_with_state_and_age_and_no_aws_call(
    operator: User, api: Callable[..., APIClient], no_aws: None
) -> None:
    make_cluster()
    ClusterFeature.objects.filter(name="kuberay").update(
        state="degraded", message="ill", faults=[{"code": "addon_degraded", "message": "no", "hint": "fix"}]
    )
    results = api(operator).get(URL).json()["results"]
    assert [one["name"] for one in results] == list(REGISTRY)
    kuberay = next(one for one in results if one["name"] == "kuberay")
    assert (kuberay["state"], kuberay["faults"]) == ("degraded", [{"code": "addon_degraded", "message": "no", "hint": "fix"}])
    assert (kuberay["observed_at"], kuberay["stale"]) == ("2026-12-01T12:00:00Z", True)
    inference = next(one for one in results if one["name"] == "inference_operator")
    assert inference["requires"] == ["fsx_csi", "metrics_server"]
    assert next(one for one in results if one["name"] == "fsx_csi")["required_by"] == ["inference_operator"]
    assert [one["name"] for one in api(operator, name="other").get(f"{URL}?state=degraded").json()["results"]] == ["kuberay"]


def test_one_feature_tells_what_can_be_chosen_of_it(viewer: User, api: Callable[..., APIClient], no_aws: None) -> None:
    make_cluster()
    body = api(viewer).get(f"{URL}tiered_checkpointing/").json()
    assert set(body["settings_schema"]["properties"]) == {"memory_percent", "buckets", "namespace", "service_account"}
    assert api(viewer, name="other").get(f"{URL}time_travel/").status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "features"),
        ({"features": {}}, "features"),
        ({"features": {"time_travel": {"enabled": True}}}, ""),
        ({"features": {"kuberay": {"enabled": True, "colour": "red"}}}, "features.kuberay.colour"),
        ({"features": {"kuberay": {"enabled": "perhaps"}}}, "features.kuberay.enabled"),
        ({"feature": {"kuberay": {"enabled": True}}}, "feature"),
    ],
)
def test_wrong_input_is_named_by_field_before_aws_is_asked(
    operator: User, api: Callable[..., APIClient], no_aws: None, body: dict[str, Any], field: str
) -> None:
    make_cluster()
    answer = api(operator).patch(URL, body, format="json")
    assert answer.status_code == 422
    assert field in {error["field"] for error in answer.json()["errors"]}
    assert not Operation.objects.exists()


def test_a_feature_that_there_is_not_is_not_found_and_the_known_ones_are_named(
    operator: User, api: Callable[..., APIClient], no_aws: None
) -> None:
    make_cluster()
    answer = api(operator).patch(f"{URL}time_travel/", {"enabled": True}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (404, "feature_not_found")
    assert "training_operator" in answer.json()["hint"]


@pytest.mark.parametrize("url", [URL, f"{URL}kuberay/"])
def test_a_viewer_changes_nothing_and_another_clusters_token_does_not_learn_of_it(
    viewer: User, operator: User, api: Callable[..., APIClient], no_aws: None, url: str
) -> None:
    make_cluster()
    make_cluster("mine")
    body = {"features": {"kuberay": {"enabled": True}}} if url == URL else {"enabled": True}
    assert api(viewer).patch(url, body, format="json").status_code == 403
    limited = api(operator, clusters=["mine"])
    assert (limited.get(url).status_code, limited.patch(url, body, format="json").status_code) == (404, 404)
    assert not Operation.objects.exists()
