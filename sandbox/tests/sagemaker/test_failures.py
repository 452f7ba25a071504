"""What goes wrong with nodes, and what HyperPod does about it."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.tests.landscape import Landscape


@pytest.fixture
def ground(land: Landscape) -> Landscape:
    land.ground()
    return land


def _first_error(land: Landscape) -> dict[str, Any]:
    return next(event for event in land.events() if event["EventLevel"] == "Error")


def test_missing_capacity_is_told_by_an_event_and_tried_again(ground: Landscape) -> None:
    fault = ground.world.faults.add({"scenario": "capacity_shortage", "zone": f"{ground.region}a", "instance_type": "ml.g5.8xlarge"})
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=1)))
    ground.skip(120)
    assert ground.describe()["ClusterStatus"] == "InService"
    errors = [event for event in ground.events() if event["EventLevel"] == "Error"]
    assert len(errors) == 1
    assert "not have sufficient ml.g5.8xlarge capacity in the Availability Zone you requested" in errors[0]["Description"]
    ground.skip(1000)
    assert ground.statuses() == ["Pending"]
    assert ground.call("sagemaker", "ListClusterNodes", ClusterName="demo")["ClusterNodeSummaries"] == []
    ground.world.faults.remove(fault["id"])
    ground.settle()
    assert ground.statuses() == ["Running"]


def test_a_shortage_leaves_what_is_available(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "capacity_shortage", "zone": f"{ground.region}a", "available": 1})
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=3)))
    ground.skip(1500)
    assert sorted(ground.statuses()) == ["Pending", "Pending", "Running"]
    group = ground.describe()["InstanceGroups"][0]
    assert (group["CurrentCount"], group["TargetCount"]) == (1, 3)


def test_a_flexible_group_takes_the_next_type(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "capacity_shortage", "instance_type": "ml.g5.8xlarge"})
    types = {"InstanceTypes": ["ml.g5.8xlarge", "ml.g6.8xlarge"]}
    shown = ground.hyperpod(ground.instance_group(count=1, InstanceType=None, InstanceRequirements=types))
    assert [node["InstanceType"] for node in ground.nodes()] == ["ml.g6.8xlarge"]
    details = shown["InstanceGroups"][0]["InstanceTypeDetails"]
    assert [(one["InstanceType"], one["CurrentCount"]) for one in details] == [("ml.g5.8xlarge", 0), ("ml.g6.8xlarge", 1)]


def test_a_full_subnet_is_told_by_an_event(ground: Landscape) -> None:
    small = ground.subnet("10.1.18.0/25", "a")
    vpc = {"SecurityGroupIds": [ground.group], "Subnets": [small]}
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=3, OverrideVpcConfig=vpc)))
    ground.skip(1500)
    assert sorted(ground.statuses()) == ["Pending", "Running", "Running"]
    assert "does not have enough free addresses" in _first_error(ground)["Description"]


def test_a_failed_lifecycle_script_names_its_log_and_a_new_instance_follows(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "lifecycle_failure", "group": "workers", "count": 1})
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=1)))
    while "Failure" not in ground.statuses():
        ground.world.fast_forward("next")
    failed = ground.nodes()[0]
    error = _first_error(ground)
    assert f"Lifecycle script execution failed on instance {failed['InstanceId']}" in error["Description"]
    details = ground.call("sagemaker", "DescribeClusterEvent", ClusterName="demo", EventId=error["EventId"])["EventDetails"]
    assert details["EventDetails"]["EventMetadata"]["Instance"]["LcsExecutionState"] == "Failed"
    group = next(name for name in ground.log_groups() if name.startswith("/aws/sagemaker/Clusters/demo/"))
    stream = f"LifecycleConfig/workers/{failed['InstanceId']}"
    lines = ground.call("logs", "GetLogEvents", logGroupName=group, logStreamName=stream)["events"]
    assert "failed with exit code 1" in lines[-1]["message"]
    ground.settle()
    healed = ground.nodes()[0]
    assert (healed["InstanceStatus"]["Status"], healed["NodeLogicalId"]) == ("Running", failed["NodeLogicalId"])
    assert healed["InstanceId"] != failed["InstanceId"]


@pytest.mark.parametrize("scenario", [{"scenario": "capacity_shortage"}, {"scenario": "lifecycle_failure"}])
def test_without_continuous_provisioning_one_failure_rolls_the_cluster_back(ground: Landscape, scenario: dict[str, str]) -> None:
    ground.world.faults.add({**scenario, "count": 1})
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(NodeProvisioningMode=None))
    seen = []
    while ground.world.next_moment() is not None:
        ground.world.fast_forward("next")
        status = ground.describe()["ClusterStatus"]
        if seen[-1:] != [status]:
            seen.append(status)
    assert seen in (["Creating", "RollingBack", "Failed"], ["Creating", "Failed"])
    shown = ground.describe()
    assert shown["FailureMessage"]
    assert ground.nodes() == []
    assert ground.interfaces(ground.wide)[1:] == []
    ground.call("sagemaker", "DeleteCluster", ClusterName="demo")
    ground.settle()
    assert ground.call("sagemaker", "ListClusters")["ClusterSummaries"] == []


def test_a_failed_update_goes_back_to_the_counts_before(ground: Landscape) -> None:
    ground.hyperpod(ground.instance_group(count=1), NodeProvisioningMode=None)
    ground.world.faults.add({"scenario": "capacity_shortage"})
    ground.call("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroups=[ground.instance_group(count=2)])
    assert ground.describe()["ClusterStatus"] == "Updating"
    ground.settle()
    shown = ground.describe()
    assert (shown["ClusterStatus"], shown["InstanceGroups"][0]["TargetCount"], ground.statuses()) == ("InService", 1, ["Running"])
    assert "capacity" in shown["FailureMessage"]


def test_a_failed_accelerated_node_is_replaced_under_its_logical_id(ground: Landscape) -> None:
    ground.hyperpod(ground.instance_group(count=1))
    before = ground.nodes()[0]
    ground.world.faults.add({"scenario": "node_failure", "instance_id": before["InstanceId"], "count": 1})
    while "Message" not in (marked := ground.nodes()[0])["InstanceStatus"] and marked["InstanceId"] == before["InstanceId"]:
        ground.skip(5)  # health monitoring looks once a minute, at a second that is its own; the replacement comes a minute later
    assert "XidHardwareFailure" in marked["InstanceStatus"]["Message"]
    ground.skip(65)
    ground.settle()
    after = ground.nodes()[0]
    assert (after["NodeLogicalId"], after["InstanceStatus"]) == (before["NodeLogicalId"], {"Status": "Running"})
    assert after["InstanceId"] != before["InstanceId"]
    assert len(ground.interfaces(ground.wide)) == 2


@pytest.mark.parametrize(("recovery", "instance_type"), [("None", "ml.g5.8xlarge"), ("Automatic", "ml.m5.2xlarge")])
def test_without_recovery_and_on_plain_machines_a_failed_node_is_only_marked(ground: Landscape, recovery: str, instance_type: str) -> None:
    ground.hyperpod(ground.instance_group(count=1, InstanceType=instance_type), NodeRecovery=recovery)
    before = ground.nodes()[0]
    ground.world.faults.add({"scenario": "node_failure", "group": "workers", "count": 1})
    ground.skip(1000)
    after = ground.nodes()[0]
    assert after["InstanceId"] == before["InstanceId"]
    assert "XidHardwareFailure" in after["InstanceStatus"]["Message"]


def test_deep_health_checks_take_one_to_two_hours_and_a_failed_one_replaces_the_node(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "deep_health_check_failure", "group": "workers", "count": 1})
    group = ground.instance_group(count=1, OnStartDeepHealthChecks=["InstanceStress", "InstanceConnectivity"])
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(group))
    ground.skip(1000)
    first = ground.nodes()[0]
    assert first["InstanceStatus"]["Status"] == "DeepHealthCheckInProgress"
    assert ground.describe()["InstanceGroups"][0]["CurrentCount"] == 1
    ground.skip(2600)
    assert ground.statuses() == ["DeepHealthCheckInProgress"]
    ground.settle()
    last = ground.nodes()[0]
    assert (last["InstanceStatus"]["Status"], last["InstanceId"] == first["InstanceId"]) == ("Running", False)
