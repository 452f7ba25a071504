"""Managed node groups: EKS's checks in its words, states, machines, health, and what the cluster has of them."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.testing import call
from sandbox.tests.landscape import Landscape
from sandbox.tests.sagemaker.test_permissions import user


@pytest.fixture
def ground(land: Landscape) -> Landscape:
    land.eks()
    land.addon("vpc-cni")
    return land


def request(land: Landscape, **changes: Any) -> dict[str, Any]:
    role = f"arn:aws:iam::{land.world.settings.account}:role/node"
    if not land.world.store.get("iam.role", land.world.settings.account, "node"):
        role = land.role("node", "ec2.amazonaws.com")
    return {
        "clusterName": "demo",
        "nodegroupName": "cpu",
        "subnets": [land.wide],
        "nodeRole": role,
        "instanceTypes": ["m5.xlarge"],
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": 2},
        **changes,
    }


def shown(land: Landscape, name: str = "cpu") -> dict[str, Any]:
    found: dict[str, Any] = land.call("eks", "DescribeNodegroup", clusterName="demo", nodegroupName=name)["nodegroup"]
    return found


def machines(land: Landscape) -> list[dict[str, Any]]:
    found = land.call("ec2", "DescribeInstances", Filters=[{"Name": "tag:eks:nodegroup-name", "Values": ["cpu"]}])
    return [one for reservation in found["Reservations"] for one in reservation["Instances"]]


def test_a_groups_life(ground: Landscape) -> None:
    wanted = request(ground, clientRequestToken="once", tags={"a": "1"})
    assert ground.call("eks", "CreateNodegroup", **wanted)["nodegroup"]["status"] == "CREATING"
    assert ground.call("eks", "CreateNodegroup", **wanted)["nodegroup"]["nodegroupName"] == "cpu"
    code, message = ground.refused("eks", "CreateNodegroup", **(wanted | {"clientRequestToken": "other"}))
    assert (code, message) == ("ResourceInUseException", "NodeGroup already exists with name cpu and cluster name demo")
    assert ground.refused("eks", "DeleteNodegroup", clusterName="demo", nodegroupName="cpu")[0] == "ResourceInUseException"
    ground.settle()
    group = shown(ground)
    assert (group["status"], group["capacityType"], group["amiType"]) == ("ACTIVE", "ON_DEMAND", "AL2023_x86_64_STANDARD")
    assert [(one["InstanceType"], one["State"]["Name"]) for one in machines(ground)] == [("m5.xlarge", "running")] * 2
    entries = ground.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"]
    assert wanted["nodeRole"] in entries

    update = ground.call(
        "eks", "UpdateNodegroupConfig", clusterName="demo", nodegroupName="cpu", scalingConfig={"desiredSize": 1}, clientRequestToken="u"
    )["update"]
    again = ground.call(
        "eks", "UpdateNodegroupConfig", clusterName="demo", nodegroupName="cpu", scalingConfig={"desiredSize": 1}, clientRequestToken="u"
    )["update"]
    assert (update["type"], update["status"], again["id"]) == ("ConfigUpdate", "InProgress", update["id"])
    assert shown(ground)["status"] == "UPDATING"
    ground.settle()
    told = ground.call("eks", "DescribeUpdate", name="demo", nodegroupName="cpu", updateId=update["id"])["update"]
    assert (told["status"], shown(ground)["scalingConfig"]) == ("Successful", {"minSize": 0, "maxSize": 3, "desiredSize": 1})
    assert len(machines(ground)) == 1
    assert ground.call("eks", "ListUpdates", name="demo")["updateIds"] == []

    assert ground.refused("eks", "DeleteCluster", name="demo") == ("ResourceInUseException", "Cluster has nodegroups attached")
    ground.call("eks", "DeleteNodegroup", clusterName="demo", nodegroupName="cpu")
    assert shown(ground)["status"] == "DELETING"
    ground.settle()
    assert ground.refused("eks", "DescribeNodegroup", clusterName="demo", nodegroupName="cpu") == (
        "ResourceNotFoundException",
        "No node group found for name: cpu.",
    )
    assert machines(ground) == []
    left = ground.call("ec2", "DescribeNetworkInterfaces", Filters=[{"Name": "subnet-id", "Values": [ground.wide]}])
    assert all(one["Description"].startswith("Amazon EKS") for one in left["NetworkInterfaces"])
    assert wanted["nodeRole"] not in ground.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scalingConfig": {"minSize": 3, "maxSize": 3, "desiredSize": 1}}, "Minimum capacity 3 can't be greater than desired size 1"),
        ({"scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 2}}, "desired capacity 2 can't be greater than max size 1"),
        ({"instanceTypes": ["m5.tiny"]}, "The following supplied instance types do not exist: [m5.tiny]"),
        ({"subnets": ["subnet-0123456789abcdef0"]}, "does not exist"),
        ({"nodeRole": "arn:aws:iam::123456789012:role/none"}, "The role with name none cannot be found."),
        ({"nodegroupName": "-x"}, "must begin with an alphanumeric character"),
        ({"capacityType": "CAPACITY_BLOCK"}, "go together"),
        ({"launchTemplate": {"name": "none"}}, "with template name none, does not exist"),
    ],
)
def test_what_does_not_fit_is_refused(ground: Landscape, changes: dict[str, Any], said: str) -> None:
    code, message = ground.refused("eks", "CreateNodegroup", **(request(ground) | changes))
    assert code == "InvalidParameterException"
    assert said in message
    assert ground.call("eks", "ListNodegroups", clusterName="demo") == {"nodegroups": []}


def test_a_role_that_ec2_may_not_assume_is_refused(ground: Landscape) -> None:
    code, message = ground.refused("eks", "CreateNodegroup", **request(ground, nodeRole=ground.eks_role))
    assert (code, message.split(" nodeRole")[0]) == (
        "InvalidParameterException",
        "Following required service principals [ec2.amazonaws.com] were not found in the trust relationships of",
    )


def test_without_capacity_a_group_says_so_and_fails_and_one_that_stands_is_degraded(ground: Landscape) -> None:
    fault = ground.world.faults.add({"scenario": "capacity_shortage", "instance_type": "m5.xlarge", "available": 1})
    ground.call("eks", "CreateNodegroup", **request(ground))
    ground.skip(100)
    group = shown(ground)
    assert (group["status"], [issue["code"] for issue in group["health"]["issues"]]) == ("CREATING", ["AsgInstanceLaunchFailures"])
    assert "InsufficientInstanceCapacity" in group["health"]["issues"][0]["message"]
    ground.settle()
    assert shown(ground)["status"] == "CREATE_FAILED"
    ground.call("eks", "DeleteNodegroup", clusterName="demo", nodegroupName="cpu")
    ground.settle()

    one = {"minSize": 0, "maxSize": 3, "desiredSize": 1}
    ground.call("eks", "CreateNodegroup", **request(ground, scalingConfig=one))
    ground.settle()
    ground.call("eks", "UpdateNodegroupConfig", clusterName="demo", nodegroupName="cpu", scalingConfig={"desiredSize": 2})
    ground.settle()
    assert shown(ground)["status"] == "DEGRADED"
    ground.world.faults.remove(fault["id"])
    ground.skip(400)
    assert (shown(ground)["status"], len(machines(ground)), shown(ground)["health"]) == ("ACTIVE", 2, {"issues": []})


def test_the_vcpu_quota_holds(ground: Landscape) -> None:
    big = {"minSize": 0, "maxSize": 9, "desiredSize": 6}
    ground.call("eks", "CreateNodegroup", **request(ground, instanceTypes=["m5.24xlarge"], scalingConfig=big))
    ground.skip(100)
    assert "vCPU limit of 512" in shown(ground)["health"]["issues"][0]["message"]
    assert len(machines(ground)) == 5


def test_a_capacity_block_with_efa_comes_by_a_launch_template(ground: Landscape) -> None:
    subnet = ground.subnet("10.1.32.0/20", "a")
    [offering] = ground.call(
        "ec2", "DescribeCapacityBlockOfferings", InstanceType="p5.48xlarge", InstanceCount=1, CapacityDurationHours=24
    )["CapacityBlockOfferings"]
    block = ground.call(
        "ec2", "PurchaseCapacityBlock", CapacityBlockOfferingId=offering["CapacityBlockOfferingId"], InstancePlatform="Linux/UNIX"
    )["CapacityReservation"]
    assert block["AvailabilityZone"] == f"{ground.region}a"
    data = {
        "InstanceType": "p5.48xlarge",
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": block["CapacityReservationId"]}},
        "NetworkInterfaces": [{"NetworkCardIndex": 0, "DeviceIndex": 0, "InterfaceType": "efa", "Groups": [ground.group]}],
    }
    made = ground.call("ec2", "CreateLaunchTemplate", LaunchTemplateName="lt-cpu", LaunchTemplateData=data)["LaunchTemplate"]
    wanted = request(
        ground,
        subnets=[subnet],
        capacityType="CAPACITY_BLOCK",
        launchTemplate={"id": made["LaunchTemplateId"]},
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 1},
    )
    assert "both the launch template and the request" in ground.refused("eks", "CreateNodegroup", **wanted)[1]
    del wanted["instanceTypes"]
    ground.call("eks", "CreateNodegroup", **wanted)
    ground.settle()
    group, [machine] = shown(ground), machines(ground)
    assert (group["status"], group["launchTemplate"]["name"], group.get("instanceTypes")) == ("ACTIVE", "lt-cpu", None)
    assert (machine["InstanceLifecycle"], machine["CapacityReservationId"]) == ("capacity-block", block["CapacityReservationId"])
    ground.call("eks", "UpdateNodegroupConfig", clusterName="demo", nodegroupName="cpu", scalingConfig={"desiredSize": 2})
    ground.skip(100)
    assert "ReservationCapacityExceeded" in shown(ground)["health"]["issues"][0]["message"]


NEEDED = (
    "eks:CreateNodegroup",
    "iam:PassRole",
    "iam:GetRole",
    "iam:ListAttachedRolePolicies",
    "ec2:RunInstances",
    "iam:CreateServiceLinkedRole",
)


def with_template(land: Landscape) -> dict[str, Any]:
    made = land.call("ec2", "CreateLaunchTemplate", LaunchTemplateName="ours", LaunchTemplateData={"SecurityGroupIds": [land.group]})
    return request(land, launchTemplate={"id": made["LaunchTemplate"]["LaunchTemplateId"], "version": "1"})


def test_a_caller_with_all_rights_that_it_takes_makes_a_group(ground: Landscape) -> None:
    wanted = with_template(ground)
    call(ground.world, "eks", "CreateNodegroup", wanted, principal=user(ground, *NEEDED))
    ground.settle()
    assert shown(ground)["status"] == "ACTIVE"


@pytest.mark.parametrize("missing", NEEDED)
def test_a_caller_without_one_of_them_is_refused_and_nothing_is_made(ground: Landscape, missing: str) -> None:
    wanted = with_template(ground)
    limited = user(ground, *(action for action in NEEDED if action != missing))
    with pytest.raises(AWSError) as caught:
        call(ground.world, "eks", "CreateNodegroup", wanted, principal=limited)
    said = "authorized to launch instances with this launch template" if missing == "ec2:RunInstances" else f"to perform: {missing}"
    assert said in caught.value.message
    assert ground.call("eks", "ListNodegroups", clusterName="demo") == {"nodegroups": []}
