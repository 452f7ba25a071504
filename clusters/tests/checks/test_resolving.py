"""Every default is decided, the same way each time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusters.checks.registry import ORDER, all_checks
from clusters.resolved import ResolvedSpec
from clusters.spec import Capacity, ClusterInput, GroupInput, NetworkInput, StorageInput
from clusters.tests.checks.facts import ZONES, StandIn, subject, version, vpc


def resolved(spec: ClusterInput | None = None, **changes: Any) -> ResolvedSpec:
    return subject(spec, **changes).spec


def test_a_name_alone_is_enough() -> None:
    spec = resolved()
    assert (spec.account, spec.region, spec.kubernetes_version) == ("123456789012", "us-west-2", "1.36")
    assert [zone.name for zone in spec.zones] == ["us-west-2a", "us-west-2b"]
    assert (spec.network.vpc_cidr, spec.network.service_cidr, spec.network.compute.cidr) == (
        "10.90.0.0/16",
        "172.20.0.0/16",
        "10.90.16.0/20",
    )
    assert [subnet.cidr for subnet in [*spec.network.public, *spec.network.private]] == [
        "10.90.0.0/24",
        "10.90.1.0/24",
        "10.90.2.0/24",
        "10.90.3.0/24",
    ]
    assert (spec.bucket, spec.storage.bucket, spec.storage.made) == ("sagemaker-demo-123456789012-us-west-2",) * 2 + (True,)
    assert (spec.group.threads_per_core, spec.group.addresses_per_node) == (1, 50)
    assert spec.addons["coredns"] == "coredns-v2"


def test_the_order_in_which_aws_lists_things_changes_nothing() -> None:
    vpcs = [vpc("vpc-1", "10.90.0.0/16"), vpc("vpc-2", "10.100.0.0/16"), vpc("vpc-3", "172.31.0.0/16")]
    assert resolved(vpcs=vpcs) == resolved(vpcs=vpcs[::-1])


@pytest.mark.parametrize(
    ("taken", "chosen"),
    [
        ([], "10.90.0.0/16"),
        (["10.90.0.0/16"], "10.100.0.0/16"),
        (["10.90.255.0/24"], "10.100.0.0/16"),
        (["10.0.0.0/8"], "10.90.0.0/16"),
        (["10.90.0.0/15", "10.100.0.0/16"], "10.110.0.0/16"),
    ],
)
def test_a_new_vpc_gets_the_first_range_that_meets_none(taken: list[str], chosen: str) -> None:
    assert resolved(vpcs=[vpc(f"vpc-{index}", cidr) for index, cidr in enumerate(taken)]).network.vpc_cidr == chosen


def test_a_second_range_of_a_vpc_counts_too() -> None:
    assert resolved(vpcs=[vpc("vpc-1", "172.31.0.0/16", "10.90.0.0/20")]).network.vpc_cidr == "10.100.0.0/16"


@given(st.sampled_from(["10.0.0.0/16", "172.20.0.0/16", "172.20.64.0/18", "10.100.0.0/17", "192.168.0.0/16"]))
def test_services_never_meet_the_vpc_and_subnets_are_within_it_and_apart(cidr: str) -> None:
    from ipaddress import IPv4Network

    network = resolved(ClusterInput(name="demo", network=NetworkInput(vpc_cidr=cidr))).network
    vpc_network = IPv4Network(cidr)
    assert not IPv4Network(network.service_cidr).overlaps(vpc_network)
    subnets = [IPv4Network(subnet.cidr) for subnet in [*network.public, *network.private, network.compute]]
    assert all(subnet.subnet_of(vpc_network) for subnet in subnets)
    assert not any(one.overlaps(other) for index, one in enumerate(subnets) for other in subnets[index + 1 :])
    assert IPv4Network(network.compute.cidr).prefixlen == 20


def test_the_version_is_the_newest_in_standard_support_that_hyperpod_documents() -> None:
    offered = [version("1.37", hyperpod="newer"), version("1.36", "extended"), version("1.35"), version("1.34")]
    assert resolved(versions=offered).kubernetes_version == "1.35"
    assert resolved(versions=[version("1.36", "extended")]).kubernetes_version == "1.36"
    assert resolved(versions=[version("1.40", hyperpod="newer")]).kubernetes_version == "1.40"


def test_nodes_go_to_a_zone_that_offers_the_type() -> None:
    assert [zone.name for zone in resolved(offerings=frozenset({"us-west-2c"})).zones] == ["us-west-2c", "us-west-2a"]


def test_given_zones_keep_their_order_and_get_a_second() -> None:
    assert [zone.name for zone in resolved(ClusterInput(name="demo", availability_zones=["us-west-2c"])).zones] == [
        "us-west-2c",
        "us-west-2a",
    ]
    both = ClusterInput(name="demo", availability_zones=["us-west-2b", "us-west-2c"])
    assert [zone.id for zone in resolved(both).zones] == ["usw2-az1", "usw2-az3"]


@pytest.mark.parametrize(
    ("group", "threads"),
    [
        (GroupInput(instance_type="ml.p5.48xlarge"), 2),
        (GroupInput(instance_type="ml.g5.xlarge"), 1),
        (GroupInput(instance_type="ml.g5.xlarge", threads_per_core=2), 2),
        (GroupInput(instance_type="ml.p5.48xlarge", threads_per_core=1), 1),
        (GroupInput(instance_type="ml.trn1.32xlarge", capacity=Capacity.TRAINING_PLAN, training_plan_arn="arn"), 2),
    ],
)
def test_threads_per_core_follow_the_type_unless_given(group: GroupInput, threads: int) -> None:
    assert resolved(ClusterInput(name="demo", group=group)).group.threads_per_core == threads


def test_a_bucket_that_exists_is_shared_beside_the_clusters_own() -> None:
    storage = resolved(ClusterInput(name="demo", storage=StorageInput(bucket="our-data"))).storage
    assert (storage.bucket, storage.made) == ("our-data", False)


def test_our_own_address_may_reach_the_api_and_nobody_when_it_is_not_known() -> None:
    assert resolved(public_address="198.51.100.7").network.public_access_cidrs == ["198.51.100.7/32"]
    assert resolved(public_address=None).network.public_access_cidrs == []
    given_one = ClusterInput(name="demo", network=NetworkInput(public_access_cidrs=["203.0.113.0/24"]))
    assert resolved(given_one, public_address="198.51.100.7").network.public_access_cidrs == ["203.0.113.0/24"]


def test_a_half_made_attempt_goes_on_as_it_was_begun() -> None:
    before = resolved(vpcs=[], offerings=frozenset({"us-west-2c"}), public_address="198.51.100.7")
    stack = {"StackStatus": "CREATE_IN_PROGRESS", "Tags": [{"Key": "instantstart:cluster", "Value": "demo"}]}
    own = vpc("vpc-own", before.network.vpc_cidr, instantstart__cluster="demo")
    after = resolved(vpcs=[own], stack=stack, template=before, public_address="192.0.2.1", versions=[version("1.37"), version("1.36")])
    assert after == before


def test_every_check_has_its_place() -> None:
    assert tuple(registered.code for registered in all_checks()) == ORDER


def test_a_stand_in_tells_what_facts_tell() -> None:
    assert StandIn(ClusterInput(name="demo")).zones == ZONES
