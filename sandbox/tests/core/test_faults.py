from __future__ import annotations

from typing import Any

import pytest

from sandbox.faults import Faults
from sandbox.world import World


def test_a_fault_strikes_as_often_as_it_says_after_those_it_skips(world: World) -> None:
    world.faults.add({"kind": "throttle", "service": "eks", "operation": "CreateCluster", "count": 2, "skip": 1})
    struck = [world.faults.take("eks", "CreateCluster") is not None for _ in range(5)]
    assert struck == [False, True, True, False, False]


def test_a_fault_strikes_only_its_service_and_operation(world: World) -> None:
    world.faults.add({"kind": "reset", "service": "eks", "count": None})
    assert world.faults.take("ec2", "DescribeVpcs") is None
    assert world.faults.take("eks", "ListClusters") is not None
    assert world.faults.take("eks", "DescribeCluster") is not None


def test_counts_survive_a_restart(world: World) -> None:
    world.faults.add({"kind": "throttle", "count": 2})
    world.faults.take("s3", "ListBuckets")
    again = Faults(world.database)
    assert again.take("s3", "ListBuckets") is not None
    assert again.take("s3", "ListBuckets") is None
    assert again.add({"kind": "reset"})["id"] == "2"


def test_a_scenario_holds_for_the_facts_it_names(world: World) -> None:
    world.faults.add({"scenario": "capacity_shortage", "zone": "us-west-2a", "available": 3})
    found = world.faults.scenario("capacity_shortage", zone="us-west-2a", instance_type="ml.g5.8xlarge")
    assert found is not None
    assert found["available"] == 3
    assert world.faults.scenario("capacity_shortage", zone="us-west-2b", instance_type="ml.g5.8xlarge") is None
    assert world.faults.scenario("quota_reached", name="x") is None


def test_a_scenario_with_a_count_ends(world: World) -> None:
    world.faults.add({"scenario": "lifecycle_failure", "group": "workers", "count": 1})
    assert world.faults.scenario("lifecycle_failure", group="workers") is not None
    assert world.faults.scenario("lifecycle_failure", group="workers") is None


def test_a_removed_fault_is_gone(world: World) -> None:
    fault = world.faults.add({"kind": "throttle", "count": None})
    assert world.faults.remove(fault["id"]) is True
    assert world.faults.remove(fault["id"]) is False
    assert world.faults.take("eks", "ListClusters") is None


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({}, "kind must be one of throttle"),
        ({"kind": "explode"}, "kind must be one of throttle"),
        ({"kind": "slow:fast"}, "kind must be one of"),
        ({"kind": "throttle", "count": 0}, "count must be a whole number from 1 on"),
        ({"kind": "throttle", "count": True}, "count must be a whole number from 1 on"),
        ({"kind": "throttle", "skip": -1}, "skip must be a whole number from 0 on"),
        ({"kind": "throttle", "service": 3}, "service must be text"),
        ({"kind": "throttle", "zone": "a"}, "a wire fault has no zone"),
        ({"scenario": "meteor"}, "scenario must be one of capacity_shortage"),
        ({"scenario": "quota_reached", "zone": "a"}, "quota_reached has no parameter zone"),
        ({"scenario": "node_failure", "reason": "Xid 79 <b>"}, "reason becomes a node's label"),
        ({"scenario": "node_failure", "health": 3}, "health becomes a node's label"),
        ({"scenario": "node_failure", "fault_type": "x" * 64}, "fault_type becomes a node's label"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused_with_the_reason(world: World, fault: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        world.faults.add(fault)
    assert world.faults.list() == []
