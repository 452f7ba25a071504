"""EKS node groups of a standing cluster: made, scaled and deleted by minimal calls, and refused in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Cluster, NodeGroup
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import begin
from clusters.tests.groups.standing import Standing
from clusters.tests.groups.test_groups import done, plan, pod, refusals
from operations.choices import Severity
from operations.driver import drive
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def members() -> list[str]:
    nodes = ClusterReader("demo", "us-west-2").nodes
    return [node.name for node in nodes if node.labels.get("eks.amazonaws.com/nodegroup") == "cpu" and node.ready]


def clear(standing: Standing, who: User) -> None:
    if ClusterReader("demo", "us-west-2").node_group("cpu") is not None:
        done(standing, who, "node_group.delete", node_group="cpu", confirm="cpu", disrupt=True)
    standing.mark()


def test_a_node_groups_life_takes_one_call_a_change_and_none_where_nothing_changes(
    standing: Standing, operator: User, api: Callable[..., APIClient]
) -> None:
    clear(standing, operator)
    Cluster.objects.update(cost_per_hour=10.0)
    found = plan(operator, "node_group.create", node_group="cpu", labels={"team": "red"})
    assert refusals(found) == {}
    assert found.cost_per_hour == 10.192
    assert [change.resource_type for change in found.changes if change.action == "create"][-2:] == [
        "AWS::EC2::LaunchTemplate",
        "AWS::EKS::Nodegroup",
    ]
    done(standing, operator, "node_group.create", node_group="cpu", labels={"team": "red"})
    assert standing.writes()[-2:] == ["CreateLaunchTemplate", "CreateNodegroup"]
    described = standing.aws.read("eks", "describe_nodegroup", clusterName="demo", nodegroupName="cpu")["nodegroup"]
    assert (described["status"], described["tags"]["instantstart:cluster"]) == ("ACTIVE", "demo")
    [name] = members()
    node = next(one for one in ClusterReader("demo", "us-west-2").nodes if one.name == name)
    assert (node.labels["eks.amazonaws.com/capacityType"], node.labels["team"]) == ("ON_DEMAND", "red")
    standing.mark()

    again = submit("node_group.create", {"name": "demo", "node_group": "cpu"}, principal_for(operator), channel="api")
    same = submit("node_group.scale", {"name": "demo", "node_group": "cpu", "desired": 1}, principal_for(operator), channel="api")
    assert (again.changed, again.operation, same.changed, same.operation) == (False, None, False, None)
    assert refusals(plan(operator, "node_group.create", node_group="cpu", maximum=9)) == {"node_group_exists": "node_group"}
    assert refusals(plan(operator, "node_group.scale", node_group="cpu", desired=9)) == {"node_group_counts": "desired"}
    assert standing.writes() == []

    drive(lambda: NodeGroup.objects.filter(name="cpu").exclude(nodes=[]).exclude(nodes=None).exists(), max_ticks=50)
    shown = api(operator).get("/api/v1/clusters/demo/node-groups/cpu/").json()
    assert (shown["status"], shown["ready_count"], shown["ours"], shown["price_per_hour"]) == ("ACTIVE", 1, True, 0.192)
    assert [one["name"] for one in shown["nodes"]] == [name]
    assert Cluster.objects.get().node_groups.count() == 1

    done(standing, operator, "node_group.scale", node_group="cpu", desired=2)
    assert (len(members()), standing.writes()) == (2, ["UpdateNodegroupConfig"])
    standing.mark()

    kube = ClusterReader("demo", "us-west-2").kube
    assert kube is not None
    kube.apply(pod("thesis", members()[0]))
    assert refusals(plan(operator, "node_group.scale", node_group="cpu", desired=1)) == {"work_runs": "disrupt"}
    assert refusals(plan(operator, "node_group.delete", node_group="cpu")) == {"confirmation_missing": "confirm", "work_runs": "disrupt"}
    assert standing.writes() == []

    whole = submit("cluster.delete", {"name": "demo", "confirm": "demo"}, principal_for(operator), channel="api", dry_run=True).plan
    assert ("AWS::EKS::Nodegroup", "demo/cpu", "delete") in [(one.resource_type, one.name, one.action) for one in whole.changes]

    done(standing, operator, "node_group.delete", node_group="cpu", confirm="cpu", disrupt=True)
    assert (members(), standing.writes()) == ([], ["DeleteNodegroup", "DeleteLaunchTemplate"])


def test_a_node_group_that_does_not_fit_is_refused_with_its_field(standing: Standing, operator: User) -> None:
    def refused(**fields: object) -> dict[str, str]:
        return refusals(plan(operator, "node_group.create", node_group="new", **fields))

    assert refused(minimum=2, desired=1) == {"node_group_counts": "desired"}
    assert refused(instance_types=["m5.nonsense"])["instance_type_unknown"] == "instance_types"
    assert refused(subnets=["subnet-0123456789abcdef0"])["subnet_not_found"] == "subnets"
    assert refused(instance_types=["m5.24xlarge"], maximum=20) == {"quota_too_low": "maximum"}
    assert refused(efa=True) == {"node_group_without_efa": "efa"}
    block = "cr-0123456789abcdef0"
    assert refused(capacity="spot", capacity_reservation=block) == {"spot_with_capacity_block": "capacity_reservation"}
    assert refused(capacity="capacity-block") == {"capacity_block_without_reservation": "capacity_reservation"}
    assert refused(capacity="capacity-block", capacity_reservation=block) == {"capacity_reservation_not_found": "capacity_reservation"}
    spot = plan(operator, "node_group.create", node_group="new", capacity="spot")
    assert (spot.cost_per_hour, [check.code for check in spot.checks if check.severity == Severity.ERROR]) == (None, [])
    assert standing.writes() == []


def test_without_capacity_the_operation_says_so_and_goes_on_when_there_is_some(standing: Standing, operator: User) -> None:
    clear(standing, operator)
    standing.sandbox.fault(scenario="capacity_shortage", instance_type="m5.xlarge", available=0)
    operation = begin(operator, "node_group.create", name="demo", node_group="cpu")

    def told() -> bool:
        operation.refresh_from_db()
        return "InsufficientInstanceCapacity" in operation.waiting_for

    drive(told, max_ticks=300, on_idle=standing.sandbox.forward)
    standing.sandbox.no_faults()
    drive(operation, max_ticks=3000, on_idle=standing.sandbox.forward)
    operation.refresh_from_db()
    assert operation.state == "succeeded", operation.error_message
    done(standing, operator, "node_group.delete", node_group="cpu", confirm="cpu")


def test_a_capacity_block_with_efa_is_made_by_its_launch_template(standing: Standing, operator: User) -> None:
    clear(standing, operator)
    subnet = standing.describe()["VpcConfig"]["Subnets"][0]
    zone = standing.aws.read("ec2", "describe_subnets", SubnetIds=[subnet])["Subnets"][0]["AvailabilityZone"]
    asked = {"InstanceType": "g5.8xlarge", "InstanceCount": 1, "CapacityDurationHours": 24}
    offers = standing.aws.read("ec2", "describe_capacity_block_offerings", **asked)
    offer = next(one for one in offers["CapacityBlockOfferings"])
    bought = standing.aws.write(
        "ec2", "purchase_capacity_block", CapacityBlockOfferingId=offer["CapacityBlockOfferingId"], InstancePlatform="Linux/UNIX"
    ).data["CapacityReservation"]
    wanted = {
        "node_group": "cpu",
        "instance_types": ["g5.8xlarge"],
        "capacity": "capacity-block",
        "capacity_reservation": bought["CapacityReservationId"],
        "efa": True,
        "maximum": 1,
    }
    if bought["AvailabilityZone"] != zone:
        assert refusals(plan(operator, "node_group.create", **wanted)) == {"capacity_reservation_does_not_fit": "capacity_reservation"}
        return
    done(standing, operator, "node_group.create", **wanted)
    [reservation] = standing.aws.read("ec2", "describe_instances")["Reservations"]
    assert reservation["Instances"][0]["CapacityReservationId"] == bought["CapacityReservationId"]
    done(standing, operator, "node_group.delete", node_group="cpu", confirm="cpu")
