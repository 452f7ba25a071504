"""Each check: what it lets pass, what it refuses, and that what can't be read is never a pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from clusters.catalog import quotas
from clusters.catalog.reading import TrainingPlan
from clusters.checks.facts import Usage
from clusters.checks.registry import ORDER
from clusters.permissions import OPTIONAL, PERMISSIONS
from clusters.spec import Capacity, ClusterInput, DeepHealthCheck, ExistingNetwork, GroupInput, NetworkInput, StorageInput
from clusters.tests.checks.facts import denied, rows, sagemaker_quotas, subject, version, vpc, wrong
from instantstart.cloud.identity import Identity
from operations.choices import Severity

PLAN_ARN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/big-run-0001"
OURS = {"StackStatus": "CREATE_IN_PROGRESS", "Tags": [{"Key": "instantstart:cluster", "Value": "demo"}]}


def spec(**changes: Any) -> ClusterInput:
    return ClusterInput(name="demo", **changes)


def group(**changes: Any) -> ClusterInput:
    return spec(group=GroupInput(**changes))


def only(code: str, given: ClusterInput | None = None, **changes: Any) -> Any:
    found = [row for row in rows(given, **changes) if row.code == code]
    assert len(found) == 1, [row.code for row in rows(given, **changes)]
    return found[0]


def test_an_ordinary_request_passes_everything() -> None:
    assert wrong() == []
    assert {row.code for row in rows() if row.severity == Severity.PASS} == set(ORDER) - {"training_plan", "existing_network", "access"}


@pytest.mark.parametrize(
    "row", rows(group(instance_type="ml.x9.huge", count=900, volume_gb=16000), roles=["r"], log_group={"logGroupName": "g"})
)
def test_every_row_that_is_not_a_pass_tells_what_to_do(row: Any) -> None:
    assert row.detail.endswith(".")
    if row.severity in (Severity.ERROR, Severity.WARNING):
        assert row.fix.endswith(".")


# --- identity and permissions ---


@pytest.mark.parametrize("arn", ["arn:aws:iam::123456789012:root", "arn:aws:sts::123456789012:federated-user/ann"])
def test_a_principal_that_no_access_entry_can_name_is_refused(arn: str) -> None:
    assert wrong(identity=Identity("123456789012", arn, "x", arn)) == [("error", "identity_unfit")]


def test_a_guessed_role_is_a_warning() -> None:
    guessed = Identity("123456789012", "arn:aws:sts::123456789012:assumed-role/a/b", "x", "arn:aws:iam::123456789012:role/a", "guessed.")
    assert wrong(identity=guessed) == [("warning", "role_arn_assumed")]


def test_missing_permissions_are_errors_one_by_one_and_the_rest_in_one() -> None:
    needed = [permission for permission in PERMISSIONS if permission.phase not in OPTIONAL]
    assert wrong(permissions=needed[:3]) == [("error", "permission_missing")] * 3
    assert len(wrong(permissions=list(PERMISSIONS))) == 1 + 13


def test_missing_permissions_that_clusters_live_without_are_one_warning() -> None:
    spared = [permission for permission in PERMISSIONS if permission.phase in OPTIONAL]
    assert len(spared) > 1
    assert wrong(permissions=spared) == [("warning", "permission_missing")]


# --- what exists ---


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"stack": {"StackStatus": "CREATE_COMPLETE", "Tags": []}}, "stack_name_taken"),
        ({"eks": {"status": "ACTIVE"}}, "eks_name_taken"),
        ({"hyperpod": {"ClusterStatus": "InService"}}, "hyperpod_name_taken"),
        ({"roles": ["instantstart-demo-eks"]}, "role_name_taken"),
        ({"log_group": {"logGroupName": "/aws/eks/demo/cluster"}}, "log_group_exists"),
        ({"bucket": {"name": "b", "status": 200, "region": "us-west-2"}}, "bucket_exists"),
        ({"bucket": {"name": "b", "status": 403, "region": ""}}, "bucket_name_taken"),
    ],
)
def test_a_name_that_is_taken_is_refused(facts: dict[str, Any], code: str) -> None:
    assert wrong(**facts) == [("error", code)]


def test_a_half_made_attempt_of_ours_is_resumed_and_its_own_things_are_no_obstacle() -> None:
    before = subject().spec
    there = {"stack": OURS, "eks": {"status": "ACTIVE"}, "hyperpod": None, "template": before}
    there |= {
        "vpcs": [vpc("vpc-own", "10.90.0.0/16", instantstart__cluster="demo")],
        "bucket": {"name": before.bucket, "status": 200, "region": ""},
    }
    assert wrong(**there) == []
    looked_at = subject(**there)
    assert (looked_at.existing.resumes, looked_at.spec) == ("instantstart-demo-control-plane", before)
    assert "the stack is CREATE_IN_PROGRESS, EKS is ACTIVE, there is no HyperPod cluster yet" in only("resumes", **there).detail


@pytest.mark.parametrize(
    "given", [spec(availability_zones=["us-west-2c", "us-west-2a"]), spec(network=NetworkInput(vpc_cidr="10.0.0.0/16"))]
)
def test_resuming_with_another_network_is_refused(given: ClusterInput) -> None:
    assert ("error", "resume_differs") in wrong(given, stack=OURS, template=subject().spec)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"bucket": {"name": "b", "status": 200, "region": "us-west-2"}}, "bucket_exists"),
        ({"log_group": {"logGroupName": "/aws/eks/demo/cluster"}}, "log_group_exists"),
        ({"roles": ["instantstart-demo-eks"]}, "role_name_taken"),
        ({"addresses": [{}] * 5}, "quota_too_low"),
    ],
)
def test_after_a_rollback_what_stands_in_the_way_is_told_again(facts: dict[str, Any], code: str) -> None:
    rolled_back = {**OURS, "StackStatus": "ROLLBACK_COMPLETE"}
    assert wrong(stack=OURS, template=subject().spec, **{key: value for key, value in facts.items() if key == "bucket"}) == []
    assert wrong(stack=rolled_back, template=subject().spec, **facts) == [("error", code)]
    assert only("resumes", stack=rolled_back, template=subject().spec).detail.startswith(
        "A half-made attempt exists (the stack is ROLLBACK_COMPLETE"
    )


def test_a_stack_that_is_being_deleted_is_waited_for() -> None:
    assert ("error", "being_deleted") in wrong(stack={**OURS, "StackStatus": "DELETE_IN_PROGRESS"})


# --- version and add-ons ---


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("1.36", []),
        ("1.20", [("error", "kubernetes_version_not_offered")]),
        ("1.29", [("error", "kubernetes_version_too_old"), ("warning", "kubernetes_version_extended")]),
        ("1.37", [("warning", "kubernetes_version_not_documented")]),
    ],
)
def test_versions_are_judged_by_offer_documentation_and_support(chosen: str, expected: list[tuple[str, str]]) -> None:
    assert wrong(spec(kubernetes_version=chosen)) == expected


def test_the_end_of_support_is_told() -> None:
    assert "Standard support ends on 09 August 2027." in only("kubernetes_version").detail


def test_an_addon_without_a_version_is_refused_and_an_unreadable_one_asked_about() -> None:
    assert wrong(addon__coredns=[]) == [("error", "addon_not_offered")]
    assert wrong(addon__coredns=denied("eks", "describe_addon_versions")) == [("warning", "addon_unchecked")]
    assert wrong(**{"addon__aws-fsx-csi-driver": []}) == []


# --- zones and types ---


@pytest.mark.parametrize(
    ("zones", "code", "fix"),
    [(["us-west-2z"], "zone_unknown", "us-west-2a (usw2-az2)"), (["usw2-az1"], "zone_id_given", "us-west-2b is usw2-az1")],
)
def test_a_zone_that_is_not_there_is_refused(zones: list[str], code: str, fix: str) -> None:
    assert ("error", code) in wrong(spec(availability_zones=zones))
    assert fix in only(code, spec(availability_zones=zones)).fix


def test_one_zone_alone_is_not_enough_for_eks() -> None:
    from clusters.tests.checks.facts import ZONES

    assert ("error", "zones_too_few") in wrong(zones=ZONES[:1])


def test_a_type_that_the_zone_does_not_offer_is_refused_with_those_that_do() -> None:
    given = spec(availability_zones=["us-west-2c", "us-west-2a"])
    assert wrong(given) == [("error", "instance_type_not_offered")]
    assert only("instance_type_not_offered", given).fix == "Put the nodes into one of: us-west-2a, us-west-2b."


def test_a_type_that_the_region_does_not_offer_is_refused() -> None:
    assert "does not offer it at all" in only("instance_type_not_offered", offerings=frozenset()).fix


def test_an_unknown_type_is_refused_with_its_family() -> None:
    assert ("error", "instance_type_unknown") in wrong(group(instance_type="ml.p5.huge"))
    assert only("instance_type_unknown", group(instance_type="ml.p5.huge")).fix == "Choose one of ml.p5.48xlarge, ml.p5.4xlarge."


# --- quotas ---


def test_a_quota_counts_what_other_clusters_have() -> None:
    assert wrong(group(count=8)) == []
    assert wrong(group(count=8), usage=Usage({"ml.g5.8xlarge": 1}, {}, 0)) == [("error", "quota_too_low")]
    row = only("quota_too_low", group(count=8), usage=Usage({"ml.g5.8xlarge": 1}, {}, 0))
    assert row.detail == "The quota 'ml.g5.8xlarge for cluster usage' is 8, 1 in use, and 8 more are asked for."
    assert row.fix == "Ask for 9 in Service Quotas (sagemaker, L-1), or ask for less here."
    assert row.field == "group.count"


@pytest.mark.parametrize(
    ("changes", "count", "usage"),
    [
        ({quotas.INSTANCES_PER_CLUSTER: 2}, 3, Usage({}, {}, 0)),
        ({quotas.INSTANCES_ALL_CLUSTERS: 10}, 3, Usage({"ml.m5.large": 8}, {}, 0)),
        ({quotas.VOLUME_SIZE: 499}, 1, Usage({}, {}, 0)),
    ],
)
def test_the_quotas_of_all_instances_count_too(changes: dict[str, float], count: int, usage: Usage) -> None:
    assert wrong(group(count=count), usage=usage, quotas__sagemaker=sagemaker_quotas(**changes)) == [("error", "quota_too_low")]


def test_spot_has_quotas_of_its_own() -> None:
    given = group(count=2, capacity=Capacity.SPOT)
    assert wrong(given) == [("warning", "spot_interruptions")]
    assert ("error", "quota_too_low") in wrong(given, usage=Usage({}, {"ml.g5.8xlarge": 1}, 0))
    assert ("error", "quota_too_low") in wrong(given, usage=Usage({}, {"ml.m5.large": 3}, 0))


def test_a_quota_that_is_not_listed_is_a_warning() -> None:
    assert wrong(quotas__vpc={}) == [("warning", "quota_unlisted")] * 3
    known = sagemaker_quotas()
    del known[quotas.cluster_usage("ml.g5.8xlarge")]
    assert wrong(quotas__sagemaker=known) == [("warning", "quota_unlisted")]


@pytest.mark.parametrize(
    ("name", "things"),
    [
        ("vpcs", [vpc(f"vpc-{index}", f"172.{20 + index}.0.0/16") for index in range(5)]),
        ("internet_gateways", [{}] * 5),
        ("addresses", [{}] * 5),
        ("nat_gateways", [{"AvailabilityZone": "us-west-2a"}] * 5),
        ("eks_clusters", ["c"] * 100),
    ],
)
def test_a_full_network_quota_is_refused(name: str, things: list[Any]) -> None:
    assert wrong(**{name: things}) == [("error", "quota_too_low")]


def test_nat_gateways_of_another_zone_do_not_count() -> None:
    assert wrong(nat_gateways=[{"AvailabilityZone": "us-west-2b"}] * 5) == []


# --- addresses ---


def test_a_range_that_meets_another_vpc_is_asked_about() -> None:
    given = spec(network=NetworkInput(vpc_cidr="10.0.0.0/16"))
    assert wrong(given, vpcs=[vpc("vpc-1", "10.0.128.0/17")]) == [("warning", "vpc_cidr_overlaps")]
    assert "vpc-1 (10.0.128.0/17)" in only("vpc_cidr_overlaps", given, vpcs=[vpc("vpc-1", "10.0.128.0/17")]).detail


def test_efa_nodes_take_dozens_of_addresses() -> None:
    big = {"instance_type": "ml.p5.48xlarge"}
    quota = sagemaker_quotas(
        **{quotas.cluster_usage("ml.p5.48xlarge"): 99, quotas.INSTANCES_PER_CLUSTER: 99, quotas.INSTANCES_ALL_CLUSTERS: 99}
    )
    assert wrong(group(count=40, **big), quotas__sagemaker=quota) == []
    assert wrong(group(count=50, **big), quotas__sagemaker=quota) == [("warning", "addresses_nearly_used_up")]
    assert wrong(group(count=51, **big), quotas__sagemaker=quota) == [("error", "too_few_addresses")]
    row = only("too_few_addresses", group(count=51, **big), quotas__sagemaker=quota)
    assert row.detail == "51 × ml.p5.48xlarge take 4131 addresses (81 each); 10.90.16.0/20 has 4091 free."
    assert row.fix.startswith("Ask for at most 50,")


# --- training plans ---


def plan(**changes: Any) -> TrainingPlan:
    now = datetime.now(UTC)
    values: dict[str, Any] = {
        "arn": PLAN_ARN,
        "name": "big-run",
        "status": "Active",
        "instance_types": ("ml.p5.48xlarge",),
        "zones": ("us-west-2b",),
        "zone_ids": ("usw2-az1",),
        "total": 4,
        "available": 2,
        "in_use": 2,
        "starts": now - timedelta(days=1),
        "ends": now + timedelta(days=9),
        "targets": ("hyperpod-cluster",),
    }
    return TrainingPlan(**{**values, **changes})


def planned(count: int = 2, **changes: Any) -> ClusterInput:
    values: dict[str, Any] = {
        "instance_type": "ml.p5.48xlarge",
        "count": count,
        "capacity": Capacity.TRAINING_PLAN,
        "training_plan_arn": PLAN_ARN,
    }
    return spec(group=GroupInput(**values), **changes)


def test_a_plan_that_fits_draws_the_nodes_into_its_zone() -> None:
    assert wrong(planned(), training_plans=[plan()]) == []
    assert [zone.name for zone in subject(planned(), training_plans=[plan()]).spec.zones] == ["us-west-2b", "us-west-2a"]


@pytest.mark.parametrize(
    ("given", "plans", "code"),
    [
        (planned(), [], "training_plan_not_found"),
        (planned(), [plan(status="Pending")], "training_plan_not_usable"),
        (planned(), [plan(instance_types=("ml.p4d.24xlarge",))], "training_plan_type"),
        (planned(3), [plan()], "training_plan_count"),
        (planned(availability_zones=["us-west-2a", "us-west-2b"]), [plan()], "training_plan_zone"),
        (planned(), [plan(ends=datetime(2026, 1, 1, tzinfo=UTC))], "training_plan_over"),
        (planned(), [plan(targets=("training-job",))], "training_plan_target"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(given: ClusterInput, plans: list[TrainingPlan], code: str) -> None:
    assert wrong(given, training_plans=plans) == [("error", code)]


def test_zones_of_a_plan_are_compared_by_id_since_names_differ_between_accounts() -> None:
    shared = plan(zones=("us-west-2a",), zone_ids=("usw2-az1",))
    assert wrong(planned(availability_zones=["us-west-2b", "us-west-2a"]), training_plans=[shared]) == []


def test_a_plan_that_has_not_begun_is_asked_about() -> None:
    assert wrong(planned(), training_plans=[plan(status="Scheduled", starts=datetime.now(UTC) + timedelta(days=1))]) == [
        ("warning", "training_plan_not_begun")
    ]


def test_of_a_plan_that_has_not_begun_what_is_reserved_counts_since_aws_calls_none_available_before() -> None:
    before = plan(status="Scheduled", available=0, in_use=1, starts=datetime.now(UTC) + timedelta(days=1))
    assert wrong(planned(3), training_plans=[before]) == [("warning", "training_plan_not_begun")]
    assert ("error", "training_plan_count") in wrong(planned(4), training_plans=[before])


# --- access, buckets ---


@pytest.mark.parametrize(
    ("cidrs", "expected"),
    [
        (["198.51.100.0/24"], []),
        (["0.0.0.0/0"], [("warning", "access_from_everywhere")]),
        (["10.1.0.0/16"], [("error", "access_cidr_private")]),
    ],
)
def test_who_reaches_the_api_from_outside_is_shown(cidrs: list[str], expected: list[tuple[str, str]]) -> None:
    assert wrong(spec(network=NetworkInput(public_access_cidrs=cidrs))) == expected


def test_on_aws_a_private_api_is_asked_about() -> None:
    assert wrong(endpoint="") == [("warning", "access_private")]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({"status": 200, "region": "us-west-2"}, []),
        ({"status": 404, "region": ""}, [("error", "bucket_not_found")]),
        ({"status": 403, "region": ""}, [("error", "bucket_denied")]),
        ({"status": 301, "region": ""}, [("warning", "bucket_in_another_region")]),
        ({"status": 200, "region": "eu-west-1"}, [("warning", "bucket_in_another_region")]),
    ],
)
def test_a_shared_bucket_must_be_there_and_near(head: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    given = spec(storage=StorageInput(bucket="our-data"))
    assert wrong(given, shared_bucket={"name": "our-data", **head}) == expected


# --- combinations ---


def arm(**changes: Any) -> ClusterInput:
    return group(instance_type="ml.c7g.16xlarge", **changes)


STRESS, CONNECTIVITY = DeepHealthCheck.INSTANCE_STRESS, DeepHealthCheck.INSTANCE_CONNECTIVITY


def test_a_creation_is_held_against_the_table_of_rules() -> None:
    broken = spec(deep_health_checks=[STRESS], group=GroupInput(instance_type="ml.m5.large"))
    assert only("deep_checks_without_accelerator", broken).field == "deep_health_checks"
    assert only("two_threads_on_arm", arm(threads_per_core=2)).field == "group.threads_per_core"
    assert [row.severity for row in rows() if row.code == "sanity"] == [Severity.PASS]


# --- existing networks ---


def network(**changes: Any) -> dict[str, Any]:
    def subnet(name: str, zone: str, cidr: str, free: int = 4000) -> dict[str, Any]:
        return {"SubnetId": name, "AvailabilityZone": zone, "CidrBlock": cidr, "AvailableIpAddressCount": free}

    table = {
        "RouteTableId": "rtb-1",
        "Associations": [{"SubnetId": "subnet-c"}],
        "Routes": [{"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1"}],
    }
    values: dict[str, Any] = {
        "vpc": vpc("vpc-1", "10.0.0.0/16"),
        "subnets": {
            "subnet-a": subnet("subnet-a", "us-west-2a", "10.0.1.0/24"),
            "subnet-b": subnet("subnet-b", "us-west-2b", "10.0.2.0/24"),
            "subnet-c": subnet("subnet-c", "us-west-2b", "10.0.16.0/20"),
        },
        "route_tables": [table],
        "endpoints": [{"ServiceName": "com.amazonaws.us-west-2.s3", "RouteTableIds": ["rtb-1"]}],
        "enableDnsSupport": True,
        "enableDnsHostnames": True,
    }
    return {**values, **changes}


def existing(private: tuple[str, ...] = ("subnet-a", "subnet-b"), compute: str = "subnet-c", **changes: Any) -> ClusterInput:
    return spec(
        network=NetworkInput(existing=ExistingNetwork(vpc_id="vpc-1", private_subnet_ids=list(private), compute_subnet_id=compute)),
        **changes,
    )


def test_an_existing_network_that_has_everything_passes() -> None:
    assert wrong(existing(), network=network()) == []
    resolved = subject(existing(), network=network()).spec
    assert (resolved.network.vpc_id, resolved.network.vpc_cidr, resolved.network.compute.id) == ("vpc-1", "10.0.0.0/16", "subnet-c")
    assert [zone.name for zone in resolved.zones] == ["us-west-2b", "us-west-2a"]


@pytest.mark.parametrize(
    ("given", "found", "expected"),
    [
        (existing(), network(vpc=None), [("error", "vpc_not_found")]),
        (existing(("subnet-b", "subnet-c")), network(), [("error", "subnets_in_one_zone")]),
        (existing(), network(enableDnsHostnames=False), [("error", "vpc_dns_off")]),
        (existing(), network(endpoints=[]), [("warning", "no_s3_endpoint")]),
        (existing(), network(route_tables=[]), [("warning", "no_route_out"), ("warning", "no_s3_endpoint")]),
    ],
)
def test_an_existing_network_that_lacks_something_is_told_what(
    given: ClusterInput, found: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert [item for item in wrong(given, network=found) if item[1] not in ("zones_too_few", "instance_type_not_offered")] == expected


def test_a_public_compute_subnet_is_asked_about() -> None:
    table = {
        "RouteTableId": "rtb-1",
        "Associations": [{"Main": True}],
        "Routes": [{"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": "igw-1"}],
    }
    assert wrong(existing(), network=network(route_tables=[table])) == [("warning", "compute_subnet_public")]


def test_a_subnet_of_another_vpc_is_refused() -> None:
    assert ("error", "subnet_not_found") in wrong(existing(compute="subnet-x"), network=network())


def test_free_addresses_of_an_existing_subnet_are_those_that_are_left() -> None:
    found = network()
    found["subnets"]["subnet-c"]["AvailableIpAddressCount"] = 49
    assert wrong(existing(), network=found) == [("error", "too_few_addresses")]


# --- what can't be read ---

UNREADABLE = {
    "permissions": "permissions_unchecked",
    "roles": "existing_unchecked",
    "log_group": "existing_unchecked",
    "addon:coredns": "addon_unchecked",
    "offerings": "instance_type_unchecked",
    "quotas:sagemaker": "instance_quotas_unchecked",
    "usage": "instance_quotas_unchecked",
    "quotas:vpc": "network_quotas_unchecked",
    "quotas:ec2": "network_quotas_unchecked",
    "quotas:eks": "network_quotas_unchecked",
    "eks_clusters": "network_quotas_unchecked",
    "addresses": "network_quotas_unchecked",
    "internet_gateways": "network_quotas_unchecked",
    "nat_gateways": "network_quotas_unchecked",
    "bucket": "buckets_unchecked",
}


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_what_can_not_be_read_is_a_warning_and_never_a_pass(name: str) -> None:
    code = UNREADABLE[name]
    assert wrong(**{name.replace(":", "__"): denied()}) == [("warning", code)]
    row = only(code, **{name.replace(":", "__"): denied()})
    assert "AWS denied ec2:DescribeVpcs" in row.detail
    assert row.code.removesuffix("_unchecked") not in {other.code for other in rows(**{name.replace(":", "__"): denied()})}


def test_an_unreadable_training_plan_is_a_warning() -> None:
    assert ("warning", "training_plan_unchecked") in wrong(planned(), training_plans=denied("sagemaker", "list_training_plans"))


def test_several_versions_in_standard_support_give_the_newest() -> None:
    assert subject(versions=[version("1.36"), version("1.35")]).spec.kubernetes_version == "1.36"
