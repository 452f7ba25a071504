"""Subnets that are made for groups: planned with their range, made first, adopted after a crash, and gone with the group."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from clusters.tests.driving import begin, failure, run
from clusters.tests.groups.meanwhile import Meanwhile
from clusters.tests.groups.standing import Standing
from clusters.tests.groups.test_groups import done, plan, refusals
from operations.cancel import request_cancel
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"


def subnets(standing: Standing, group: str) -> list[dict[str, Any]]:
    """Where the group's nodes are."""
    [found] = [one for one in standing.describe()["InstanceGroups"] if one["InstanceGroupName"] == group]
    return list(standing.aws.pages("ec2", "describe_subnets", "Subnets", SubnetIds=found["OverrideVpcConfig"]["Subnets"]))


def ended(standing: Standing, operation: Operation) -> Operation:
    drive(operation, max_ticks=2000, on_idle=standing.sandbox.forward)
    operation.refresh_from_db()
    return operation


def test_groups_in_another_zone_and_in_subnets_of_their_own_get_free_ranges_and_leave_nothing(standing: Standing, operator: User) -> None:
    before = {(row["kind"], row["id"]) for row in standing.sandbox.ledger()}
    wanted = {
        "groups": [
            {"name": "alone", "instance_type": CPU, "count": 1, "subnet": "dedicated"},
            {"name": "far", "instance_type": CPU, "count": 1, "availability_zone": "us-west-2c"},
            {"name": "near", "instance_type": CPU, "count": 0, "availability_zone": "us-west-2c", "subnet": "shared"},
        ]
    }
    found = plan(operator, "group.add", **wanted)
    assert refusals(found) == {}
    own, zone = "instantstart-demo-group-alone", "instantstart-demo-zone-us-west-2c"
    assert [change.name for change in found.changes if change.resource_type == "AWS::CloudFormation::Stack"] == [own, zone]
    assert [(one["stack"], one["zone"], one["cidr"]) for one in found.basis["networks"]] == [
        (own, "us-west-2a", "10.90.32.0/20"),
        (zone, "us-west-2c", "10.90.48.0/20"),
    ]
    assert sorted(found.documents) == [f"{own}.json", f"{zone}.json"]
    codes = [check.code for check in found.checks]
    assert (codes.count("subnet_range"), codes.count("other_zone")) == (2, 1)

    done(standing, operator, "group.add", **wanted)
    assert standing.writes() == ["CreateStack", "CreateStack", "UpdateCluster"]
    [alone], [far], [near] = (subnets(standing, name) for name in ("alone", "far", "near"))
    assert (alone["CidrBlock"], far["CidrBlock"], far["AvailabilityZone"]) == ("10.90.32.0/20", "10.90.48.0/20", "us-west-2c")
    assert near["SubnetId"] == far["SubnetId"]
    [table] = standing.aws.pages(
        "ec2", "describe_route_tables", "RouteTables", Filters=[{"Name": "association.subnet-id", "Values": [far["SubnetId"]]}]
    )
    assert [route["NatGatewayId"] for route in table["Routes"] if route.get("DestinationCidrBlock") == "0.0.0.0/0"] != []
    assert [route for route in table["Routes"] if route.get("GatewayId", "").startswith("vpce-")] != []

    # A later group in that zone takes the subnet that is there; a zone's subnet stays for the group that is left.
    later = plan(operator, "group.add", groups=[{"name": "later", "instance_type": CPU, "availability_zone": "us-west-2c"}])
    assert ("networks" in later.basis, later.basis["requests"][0]["OverrideVpcConfig"]["Subnets"]) == (False, [far["SubnetId"]])
    done(standing, operator, "group.delete", group="far", confirm="far")
    assert standing.stacks() == [own, zone]
    standing.mark()
    deletion = plan(operator, "group.delete", group="near", confirm="near")
    assert [change.name for change in deletion.changes] == ["demo/near", zone]
    done(standing, operator, "group.delete", group="near", confirm="near")
    done(standing, operator, "group.delete", group="alone", confirm="alone")
    assert standing.writes() == ["UpdateCluster", "DeleteStack", "UpdateCluster", "DeleteStack"]
    assert {(row["kind"], row["id"]) for row in standing.sandbox.ledger()} == before


def test_places_that_do_not_fit_are_refused_with_their_field(standing: Standing, operator: User) -> None:
    def refused(**group: Any) -> dict[str, str]:
        return refusals(plan(operator, "group.add", groups=[{"name": "new", "instance_type": CPU, **group}]))

    assert refused(availability_zone="us-west-2z") == {"zone_unknown": "groups.0.availability_zone"}
    home = standing.describe()["VpcConfig"]["Subnets"][0]
    assert refused(subnet=home, availability_zone="us-west-2c") == {"subnet_in_other_zone": "groups.0.availability_zone"}
    assert refused(subnet=home, availability_zone="us-west-2a") == {}
    # 1,500 nodes take 75,000 addresses: no range of the VPC has so many left.
    assert refused(subnet="dedicated", count=1500)["no_free_range"] == "groups.0.subnet"
    assert standing.writes() == []


def test_a_stack_without_its_group_is_adopted_by_the_next_try_or_taken_away_by_a_deletion(
    standing: Standing, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {"groups": [{"name": "half", "instance_type": CPU, "count": 0, "subnet": "dedicated"}]}
    begun = begin(operator, "group.add", name="demo", **wanted)
    meanwhile = Meanwhile(monkeypatch)
    meanwhile.at("call.after", lambda: request_cancel(begun, "Not now."))
    assert ended(standing, begun).state == OperationState.CANCELLED
    assert (standing.counts(), standing.stacks()) == ({"workers": 1}, ["instantstart-demo-group-half"])

    adopted = plan(operator, "group.add", **wanted)
    assert ("networks" in adopted.basis, [check.code for check in adopted.checks if check.code == "subnet_there"]) == (
        False,
        ["subnet_there"],
    )
    assert refusals(plan(operator, "group.add", groups=[{**wanted["groups"][0], "availability_zone": "us-west-2c"}])) == {
        "network_elsewhere": "groups.0.availability_zone"
    }
    gone = run(standing.sandbox, operator, "group.delete", name="demo", group="half", confirm="half")
    assert (gone.state, standing.stacks()) == (OperationState.SUCCEEDED, []), failure(gone)
    assert standing.writes() == ["CreateStack", "DeleteStack"]


def test_a_stack_that_fails_says_why_and_the_next_try_clears_it(standing: Standing, operator: User) -> None:
    wanted = {"groups": [{"name": "late", "instance_type": CPU, "count": 0, "subnet": "dedicated"}]}
    standing.sandbox.fault(kind="error:SubnetLimitExceeded", service="ec2", operation="CreateSubnet", count=1)
    failed = run(standing.sandbox, operator, "group.add", name="demo", **wanted)
    assert (failed.state, "No group was added" in failed.error_message) == (OperationState.FAILED, True), failure(failed)
    standing.sandbox.no_faults()
    done(standing, operator, "group.add", **wanted)
    assert standing.writes() == ["CreateStack", "DeleteStack", "CreateStack", "UpdateCluster"]
    done(standing, operator, "group.delete", group="late", confirm="late")
    assert standing.stacks() == []
