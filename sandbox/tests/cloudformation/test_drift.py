"""Drift of stacks: what another hand changed, told property by property."""

from __future__ import annotations

from typing import Any

from sandbox.testing import call
from sandbox.tests.cloudformation.conftest import GATEWAY, ROLE, VPC, Cloudformation, subnet

LOGS = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "/g", "RetentionInDays": 30}}
NAMED = {
    "Type": "AWS::EC2::VPC",
    "Properties": {"CidrBlock": "10.1.0.0/16", "EnableDnsHostnames": True, "Tags": [{"Key": "a", "Value": "1"}]},
}


def detected(cfn: Cloudformation, **params: Any) -> dict[str, Any]:
    """The status of a detection when it is over."""
    identifier = cfn("DetectStackDrift", StackName="net", **params)["StackDriftDetectionId"]
    running = cfn("DescribeStackDriftDetectionStatus", StackDriftDetectionId=identifier)
    assert (running["DetectionStatus"], "StackDriftStatus" in running) == ("DETECTION_IN_PROGRESS", False)
    cfn.settle()
    return cfn("DescribeStackDriftDetectionStatus", StackDriftDetectionId=identifier)


def drifts(cfn: Cloudformation, **params: Any) -> dict[str, dict[str, Any]]:
    return {one["LogicalResourceId"]: one for one in cfn("DescribeStackResourceDrifts", StackName="net", **params)["StackResourceDrifts"]}


def test_a_stack_as_it_was_made_is_in_sync(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": NAMED, "Subnet": subnet(), "Role": ROLE, "Logs": LOGS, "Gateway": GATEWAY}, Tags=[{"Key": "team", "Value": "ml"}])
    assert cfn.describe("net")["DriftInformation"] == {"StackDriftStatus": "NOT_CHECKED"}
    told = detected(cfn)
    assert (told["DetectionStatus"], told["StackDriftStatus"], told["DriftedStackResourceCount"]) == ("DETECTION_COMPLETE", "IN_SYNC", 0)
    assert {name: one["StackResourceDriftStatus"] for name, one in drifts(cfn).items()} == {
        "Vpc": "IN_SYNC",
        "Subnet": "IN_SYNC",
        "Role": "IN_SYNC",
        "Logs": "IN_SYNC",
        "Gateway": "NOT_CHECKED",
    }
    assert cfn.describe("net")["DriftInformation"]["StackDriftStatus"] == "IN_SYNC"


def test_what_another_hand_changed_and_deleted_is_told_by_property(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": NAMED, "Role": ROLE, "Logs": LOGS})
    vpc, role = cfn.physical("net", "Vpc"), cfn.physical("net", "Role")
    cfn.ec2("ModifyVpcAttribute", VpcId=vpc, EnableDnsHostnames={"Value": False})
    cfn.ec2("CreateTags", Resources=[vpc], Tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": "3"}])
    call(cfn.world, "iam", "UpdateAssumeRolePolicy", {"RoleName": role, "PolicyDocument": '{"Version": "2012-10-17", "Statement": []}'})
    call(cfn.world, "logs", "DeleteLogGroup", {"logGroupName": "/g"})
    told = detected(cfn)
    assert (told["StackDriftStatus"], told["DriftedStackResourceCount"]) == ("DRIFTED", 3)
    found = drifts(cfn)
    assert found["Vpc"]["PropertyDifferences"] == [
        {"PropertyPath": "/EnableDnsHostnames", "ExpectedValue": "true", "ActualValue": "false", "DifferenceType": "NOT_EQUAL"},
        {"PropertyPath": "/Tags/0/Value", "ExpectedValue": "1", "ActualValue": "2", "DifferenceType": "NOT_EQUAL"},
        {"PropertyPath": "/Tags/1", "ExpectedValue": "null", "ActualValue": '{"Key": "b", "Value": "3"}', "DifferenceType": "ADD"},
    ]
    assert found["Role"]["StackResourceDriftStatus"] == "MODIFIED"
    assert found["Logs"]["StackResourceDriftStatus"] == "DELETED"
    assert set(drifts(cfn, StackResourceDriftStatusFilters=["DELETED"])) == {"Logs"}


def test_one_detection_of_a_stack_at_a_time_and_only_at_rest(cfn: Cloudformation) -> None:
    identifier = cfn.create({"Vpc": VPC})
    code, message = cfn.refused("DetectStackDrift", StackName="net")
    assert (code, message) == (
        "ValidationError",
        f"Drift detection cannot be performed on stack [{identifier}] while it is in CREATE_IN_PROGRESS status",
    )
    cfn.settle()
    cfn("DetectStackDrift", StackName="net")
    assert cfn.refused("DetectStackDrift", StackName="net")[1] == f"Drift detection is already in progress for stack [{identifier}]"


def test_an_update_makes_what_was_detected_old(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    detected(cfn)
    cfn.update({"Vpc": NAMED})
    assert cfn.describe("net")["DriftInformation"] == {"StackDriftStatus": "NOT_CHECKED"}
    assert drifts(cfn) == {}
