"""Change sets: looked at first, then executed, or thrown away."""

from __future__ import annotations

import json
from typing import Any

from sandbox.testing import call
from sandbox.tests.cloudformation.conftest import GATEWAY, VPC, Cloudformation, subnet

WIDER = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.2.0.0/16"}}
DNS = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16", "EnableDnsHostnames": True}}


def proposed(cfn: Cloudformation, resources: dict[str, Any], name: str = "next") -> dict[str, Any]:
    cfn("CreateChangeSet", StackName="net", ChangeSetName=name, TemplateBody=json.dumps({"Resources": resources}))
    cfn.settle()
    return cfn("DescribeChangeSet", StackName="net", ChangeSetName=name)


def outline(change_set: dict[str, Any]) -> list[tuple[str, str, str]]:
    changes = [one["ResourceChange"] for one in change_set["Changes"]]
    return [(one["Action"], one["LogicalResourceId"], one.get("Replacement", "")) for one in changes]


def test_it_tells_what_would_change_and_changes_nothing(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Gateway": GATEWAY})
    before = cfn.alive()
    told = proposed(cfn, {"Vpc": DNS, "Subnet": subnet()})
    assert (told["Status"], told["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert outline(told) == [("Modify", "Vpc", "False"), ("Add", "Subnet", ""), ("Remove", "Gateway", "")]
    assert told["Changes"][0]["ResourceChange"]["Details"][0]["Target"] == {
        "Attribute": "Properties",
        "Name": "EnableDnsHostnames",
        "RequiresRecreation": "Never",
    }
    assert cfn.alive() == before
    assert outline(proposed(cfn, {"Vpc": WIDER}, "wider"))[0] == ("Modify", "Vpc", "True")


def test_nothing_to_change_is_a_failed_change_set(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    told = proposed(cfn, {"Vpc": VPC})
    assert (told["Status"], told["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert told["StatusReason"] == "The submitted information didn't contain changes. Submit different information to create a change set."
    assert cfn.refused("ExecuteChangeSet", StackName="net", ChangeSetName="next")[0] == "InvalidChangeSetStatus"


def test_executing_one_updates_the_stack_and_drops_the_others(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    proposed(cfn, {"Vpc": VPC, "Gateway": GATEWAY}, "other")
    proposed(cfn, {"Vpc": DNS})
    cfn("ExecuteChangeSet", StackName="net", ChangeSetName="next")
    assert cfn("DescribeChangeSet", StackName="net", ChangeSetName="next")["ExecutionStatus"] == "EXECUTE_IN_PROGRESS"
    cfn.settle()
    assert cfn.describe("net")["StackStatus"] == "UPDATE_COMPLETE"
    (left,) = cfn("ListChangeSets", StackName="net")["Summaries"]
    assert (left["ChangeSetName"], left["ExecutionStatus"]) == ("next", "EXECUTE_COMPLETE")
    vpc = cfn.physical("net", "Vpc")
    assert cfn.ec2("DescribeVpcAttribute", VpcId=vpc, Attribute="enableDnsHostnames")["EnableDnsHostnames"] == {"Value": True}


def test_an_update_in_between_makes_it_obsolete(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    proposed(cfn, {"Vpc": DNS})
    cfn.update({"Vpc": VPC, "Gateway": GATEWAY})
    assert cfn("DescribeChangeSet", StackName="net", ChangeSetName="next")["ExecutionStatus"] == "OBSOLETE"
    assert cfn.refused("ExecuteChangeSet", StackName="net", ChangeSetName="next")[0] == "InvalidChangeSetStatus"


def test_names_are_unique_a_token_repeats_and_a_deleted_one_is_gone(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    asked = {"StackName": "net", "ChangeSetName": "next", "ClientToken": "t", "TemplateBody": json.dumps({"Resources": {"Vpc": DNS}})}
    first = cfn("CreateChangeSet", **asked)
    assert cfn("CreateChangeSet", **asked) == first
    assert cfn.refused("CreateChangeSet", **{**asked, "ClientToken": "u"})[0] == "AlreadyExistsException"
    assert cfn.refused("CreateChangeSet", **{**asked, "StackName": "none"})[0] == "ValidationError"
    cfn("DeleteChangeSet", StackName="net", ChangeSetName="next")
    cfn("DeleteChangeSet", StackName="net", ChangeSetName="next")
    assert cfn.refused("DescribeChangeSet", StackName="net", ChangeSetName="next")[0] == "ChangeSetNotFound"


def test_a_drift_aware_one_sets_back_what_another_hand_changed_and_deleted(cfn: Cloudformation) -> None:
    logs = {name: {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": name, "RetentionInDays": 30}} for name in ("A", "B")}
    tagged = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16", "Tags": [{"Key": "a", "Value": "1"}]}}
    resources = {"Vpc": tagged, "Gateway": GATEWAY, **logs}
    cfn.stack(resources, Tags=[{"Key": "team", "Value": "ml"}])
    asked = {"StackName": "net", "UsePreviousTemplate": True, "DeploymentMode": "REVERT_DRIFT"}
    cfn("CreateChangeSet", ChangeSetName="none", **asked)
    cfn.settle()
    told = cfn("DescribeChangeSet", StackName="net", ChangeSetName="none")
    assert (told["Status"], told["StackDriftStatus"]) == ("FAILED", "IN_SYNC")

    call(cfn.world, "logs", "PutRetentionPolicy", {"logGroupName": "A", "retentionInDays": 7})
    call(cfn.world, "logs", "DeleteLogGroup", {"logGroupName": "B"})
    cfn.ec2("CreateTags", Resources=[cfn.physical("net", "Vpc")], Tags=[{"Key": "a", "Value": "2"}, {"Key": "b", "Value": "3"}])
    # An ordinary change set does not see it.
    assert proposed(cfn, resources, "blind")["Status"] == "FAILED"
    cfn("CreateChangeSet", ChangeSetName="back", **asked)
    cfn.settle()
    told = cfn("DescribeChangeSet", StackName="net", ChangeSetName="back")
    assert (told["DeploymentMode"], told["StackDriftStatus"]) == ("REVERT_DRIFT", "DRIFTED")
    assert outline(told) == [("Modify", "Vpc", "False"), ("Modify", "A", "False"), ("Add", "B", "")]
    target = told["Changes"][1]["ResourceChange"]["Details"][0]["Target"]
    assert (target["Path"], target["BeforeValue"], target["AfterValue"], target["BeforeValueFrom"]) == (
        "/RetentionInDays",
        "7",
        "30",
        "ACTUAL_STATE",
    )
    cfn("ExecuteChangeSet", StackName="net", ChangeSetName="back")
    cfn.settle()
    assert cfn.describe("net")["StackStatus"] == "UPDATE_COMPLETE"
    groups = call(cfn.world, "logs", "DescribeLogGroups", {})["logGroups"]
    assert {one["logGroupName"]: one["retentionInDays"] for one in groups} == {"A": 30, "B": 30}
    (vpc,) = cfn.ec2("DescribeVpcs", VpcIds=[cfn.physical("net", "Vpc")])["Vpcs"]
    own = {tag["Key"]: tag["Value"] for tag in vpc["Tags"] if not tag["Key"].startswith("aws:")}
    assert own == {"a": "1", "team": "ml"}
