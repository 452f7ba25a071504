"""A creation with several instance groups: every check looks at all of them, and CreateCluster sends them all."""

from __future__ import annotations

from typing import Any

import pytest

from clusters import creation_plan
from clusters.catalog import cost
from clusters.catalog.quotas import INSTANCES_PER_CLUSTER, cluster_usage
from clusters.checks.facts import Usage
from clusters.groups.request import group_request, own_lifecycle
from clusters.spec import Capacity, ClusterInput, DeepHealthCheck, GroupInput
from clusters.tests.checks.facts import rows, sagemaker_quotas, subject, wrong
from clusters.tests.specs import IDENTITY
from operations.plan import Check

CPU = {"name": "cpu", "instance_type": "ml.m5.xlarge", "count": 2}
QUOTAS = sagemaker_quotas(**{cluster_usage("ml.m5.xlarge"): 10})
OFFERED = frozenset({"us-west-2a", "us-west-2b"})


def spec(*groups: dict[str, Any], **changes: Any) -> ClusterInput:
    return ClusterInput(name="demo", groups=[GroupInput(**group) for group in groups], **changes)


def found(code: str, given: ClusterInput, **changes: Any) -> Check:
    (row,) = [row for row in rows(given, **changes) if row.code == code]
    return row


def facts(**changes: Any) -> dict[str, Any]:
    return {"quotas__sagemaker": QUOTAS, "offerings__ml.m5.xlarge": OFFERED, **changes}


def test_two_ordinary_groups_pass_everything() -> None:
    assert wrong(spec(CPU), **facts()) == []
    assert found("addresses", spec(CPU), **facts()).detail.startswith(
        "1 × ml.g5.8xlarge and 2 × ml.m5.xlarge take 150 addresses (50 and 50 each);"
    )


def test_the_second_groups_fault_is_told_at_its_own_place() -> None:
    nowhere = found("instance_type_not_offered", spec(CPU), **facts(**{"offerings__ml.m5.xlarge": frozenset()}))
    assert nowhere.field == "groups.0.instance_type"
    spot = found("spot_interruptions", spec({**CPU, "capacity": Capacity.SPOT}), **facts())
    assert spot.field == "groups.0.capacity"


def test_quotas_count_all_groups_together() -> None:
    few = sagemaker_quotas(**{cluster_usage("ml.m5.xlarge"): 10, INSTANCES_PER_CLUSTER: 2})
    assert found("quota_too_low", spec(CPU), **facts(quotas__sagemaker=few)).detail == (
        f"The quota '{INSTANCES_PER_CLUSTER}' is 2, and 3 more are asked for."
    )
    same = {"name": "more", "count": 8}
    row = found("quota_too_low", spec(same), **facts(usage=Usage({}, {}, 0)))
    assert (row.detail, row.field) == ("The quota 'ml.g5.8xlarge for cluster usage' is 8, and 9 more are asked for.", "group.count")


def test_addresses_of_all_groups_must_fit_into_the_subnet() -> None:
    many = sagemaker_quotas(**dict.fromkeys(QUOTAS, 999))
    row = found("too_few_addresses", spec({**CPU, "count": 90}), **facts(quotas__sagemaker=many))
    assert row.detail.startswith("1 × ml.g5.8xlarge and 90 × ml.m5.xlarge take 4550 addresses")


def test_names_given_twice_are_refused() -> None:
    assert (
        found("group_names_twice", spec({**CPU, "name": "workers"}), **facts()).detail == "More than one instance group is called workers."
    )


def test_a_groups_own_deep_health_checks_stand_in_for_the_clusters() -> None:
    stress = [DeepHealthCheck.INSTANCE_STRESS]
    shared = found("deep_checks_without_accelerator", spec(CPU, deep_health_checks=stress), **facts())
    assert shared.field == "deep_health_checks"
    own = spec({**CPU, "deep_health_checks": []}, deep_health_checks=stress)
    assert wrong(own, **facts()) == [("warning", "deep_checks_take_long")]
    wanted = found("deep_checks_without_accelerator", spec({**CPU, "deep_health_checks": stress}), **facts())
    assert wanted.field == "groups.0.deep_health_checks"


def test_create_cluster_sends_every_group() -> None:
    given = spec(
        {**CPU, "capacity": Capacity.SPOT, "volume_gb": 100}, group=GroupInput(deep_health_checks=[DeepHealthCheck.INSTANCE_STRESS])
    )
    resolved = subject(given, **facts()).spec
    role, script = "arn:aws:iam::123456789012:role/r", own_lifecycle(resolved.bucket)
    sent = [group_request(group, role, script, resolved.checks_of(group)) for group in resolved.all_groups]
    assert [(group["InstanceGroupName"], group["InstanceType"], group["InstanceCount"]) for group in sent] == [
        ("workers", "ml.g5.8xlarge", 1),
        ("cpu", "ml.m5.xlarge", 2),
    ]
    assert [group.get("CapacityRequirements") for group in sent] == [None, {"Spot": {}}]
    assert [group.get("OnStartDeepHealthChecks") for group in sent] == [["InstanceStress"], None]
    assert [group["InstanceStorageConfigs"][0]["EbsVolumeConfig"]["VolumeSizeInGB"] for group in sent] == [500, 100]


@pytest.mark.django_db
def test_the_plan_shows_every_group_and_a_part_without_a_price_leaves_the_sum_unknown() -> None:
    resolved = subject(spec(CPU), **facts()).spec
    named = [change.name for change in creation_plan.changes(resolved, IDENTITY, creation_plan.NOTHING) if "group" in change.resource_type]
    assert named == ["demo/workers", "demo/cpu"]
    assert [line.what for line in cost.lines(resolved)][-2:] == ["1 × ml.g5.8xlarge", "2 × ml.m5.xlarge"]
    assert cost.cost(resolved) is None
