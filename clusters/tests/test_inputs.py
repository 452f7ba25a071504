"""What could never work is refused where it is given, by its field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pydantic import ValidationError
from rest_framework.test import APIClient

from accounts.models import User
from clusters.actions.importing import ImportInput
from clusters.actions.quota import RegionInput
from clusters.groups.change import GroupFields
from clusters.groups.spec import NewGroup
from clusters.spec import ClusterInput, Input


def refused(kind: type[Input], given: dict[str, Any]) -> list[tuple[str, str]]:
    """Field and code of each error."""
    with pytest.raises(ValidationError) as raised:
        kind.model_validate(given)
    return [(".".join(str(part) for part in one["loc"]), one["type"]) for one in raised.value.errors()]


NO_REGION = ["../evil", "us-west-2\n", "us-west-2.evil.example", "US-WEST-2", "us-west-\u0663"]


@pytest.mark.parametrize("region", NO_REGION)
def test_what_is_no_region_is_refused_wherever_one_is_given(region: str) -> None:
    assert refused(ClusterInput, {"name": "abc", "region": region}) == [("region", "not_a_region")]
    assert refused(RegionInput, {"region": region}) == [("region", "not_a_region")]
    found = refused(ImportInput, {"clusters": [{"region": region, "eks_name": "prod"}]})
    assert found == [("clusters.0.region", "not_a_region")]


@pytest.mark.django_db
def test_a_region_that_is_none_is_the_callers_error_and_not_that_of_aws(operator: User, api: Callable[..., APIClient]) -> None:
    answer = api(operator).post("/api/v1/clusters/?dry_run=true", {"name": "abc", "region": "../evil"}, format="json")
    told = answer.json()
    assert (answer.status_code, [(error["field"], error["code"]) for error in told["errors"]]) == (422, [("region", "not_a_region")])


@pytest.mark.django_db
def test_the_page_of_training_plans_says_that_a_region_is_none(operator: User, client: Client) -> None:
    client.force_login(operator)
    page = client.get("/training-plans/", {"region": "../evil"})
    assert (page.status_code, "../evil is no name of a region." in page.content.decode()) == (200, True)


@pytest.mark.parametrize("bucket", ["../x y", "\0", "a/b", "ab", "Upper", "a..b", "-ab", "10.0.0.1", "xn--abc", "abc-s3alias", "a" * 64])
def test_what_is_no_name_of_a_bucket_is_refused(bucket: str) -> None:
    assert refused(ClusterInput, {"name": "abc", "storage": {"bucket": bucket}}) == [("storage.bucket", "not_a_bucket_name")]


@pytest.mark.parametrize("cidr", ["0.0.0.0/16", "127.0.0.0/16", "169.254.0.0/16", "224.0.0.0/16", "240.0.0.0/16", "255.255.0.0/16"])
def test_a_range_that_no_host_can_have_is_refused(cidr: str) -> None:
    assert refused(ClusterInput, {"name": "abc", "network": {"vpc_cidr": cidr}}) == [("network.vpc_cidr", "value_error")]


GROUP_ERRORS = [
    ({"labels": {"a b": "c"}}, "labels.a b.[key]", "not_a_label_key"),
    ({"labels": {"a": "\0"}}, "labels.a", "not_a_label_value"),
    ({"labels": {"a": "-"}}, "labels.a", "not_a_label_value"),
    ({"labels": {"/a": "b"}}, "labels./a.[key]", "not_a_label_key"),
    ({"labels": {"a/b/c": "d"}}, "labels.a/b/c.[key]", "not_a_label_key"),
    ({"labels": {"kubernetes.io/hostname": "x"}}, "labels.kubernetes.io/hostname.[key]", "reserved_label_key"),
    ({"taints": [{"key": "a\0", "effect": "NoExecute"}]}, "taints.0.key", "not_a_label_key"),
    ({"taints": [{"key": "a", "value": "b c", "effect": "NoExecute"}]}, "taints.0.value", "not_a_label_value"),
    ({"on_create": "../../etc/passwd"}, "on_create", "string_pattern_mismatch"),
    ({"on_create": "/etc/passwd"}, "on_create", "string_pattern_mismatch"),
    ({"on_create": "a/../b"}, "on_create", "string_pattern_mismatch"),
    ({"on_create": "\0"}, "on_create", "string_pattern_mismatch"),
    ({"on_create": ""}, "on_create", "string_pattern_mismatch"),
    ({"lifecycle": "s3://\0"}, "lifecycle", "string_pattern_mismatch"),
    ({"lifecycle": "s3://sagemaker-a/\0"}, "lifecycle", "string_pattern_mismatch"),
]


@pytest.mark.parametrize(("given", "field", "code"), GROUP_ERRORS)
def test_what_no_node_could_have_is_refused_of_new_groups_and_of_changes(given: dict[str, Any], field: str, code: str) -> None:
    assert refused(NewGroup, {"name": "cpu", **given}) == [(field, code)]
    assert refused(GroupFields, given) == [(field, code)]


def test_what_nodes_can_have_is_taken() -> None:
    given = {
        "labels": {"team": "red", "example.com/Queue_1.a": "A-1"},
        "taints": [{"key": "nvidia.com/gpu", "value": "", "effect": "NoSchedule"}],
        "lifecycle": "s3://sagemaker-demo/a folder/v1/",
        "on_create": "scripts/on_create.sh",
    }
    assert GroupFields.model_validate(given).model_dump(exclude_unset=True) == given
    NewGroup.model_validate({"name": "cpu", **given})


class Anything(Input):
    text: str = ""
    inner: dict[str, Any] = {}


@pytest.mark.parametrize(("given", "field"), [({"text": "a\0"}, "text"), ({"inner": {"a": [{"b\0": 1}]}}, "inner")])
def test_no_input_takes_a_null_character(given: dict[str, Any], field: str) -> None:
    assert refused(Anything, given) == [(field, "null_character")]
    assert refused(ClusterInput, {"name": "abc", "kubernetes_version": "1.33\0"}) == [("kubernetes_version", "null_character")]
