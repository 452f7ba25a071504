"""Stacks that are made: order, times, events, outputs, what they refuse at once, and how they roll back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.tests.cloudformation.conftest import GATEWAY, ROLE, VPC, Cloudformation, group, subnet
from sandbox.world import World

NAT: dict[str, Any] = {
    "Vpc": VPC,
    "Gateway": GATEWAY,
    "Attachment": {
        "Type": "AWS::EC2::VPCGatewayAttachment",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "InternetGatewayId": {"Ref": "Gateway"}},
    },
    "Subnet": subnet(),
    "Address": {"Type": "AWS::EC2::EIP", "DependsOn": "Attachment", "Properties": {"Domain": "vpc"}},
    "Nat": {
        "Type": "AWS::EC2::NatGateway",
        "Properties": {"SubnetId": {"Ref": "Subnet"}, "AllocationId": {"Fn::GetAtt": ["Address", "AllocationId"]}},
    },
}


def test_resources_are_made_after_those_they_name_and_the_stack_is_complete_last(cfn: Cloudformation) -> None:
    cfn.stack({"Subnet": subnet(), "Vpc": VPC})
    assert cfn.events("net") == [
        ("net", "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_IN_PROGRESS"),
        ("Vpc", "CREATE_COMPLETE"),
        ("Subnet", "CREATE_IN_PROGRESS"),
        ("Subnet", "CREATE_IN_PROGRESS"),
        ("Subnet", "CREATE_COMPLETE"),
        ("net", "CREATE_COMPLETE"),
    ]
    assert [event.get("ResourceStatusReason", "") for event in cfn.history("net")][:3] == [
        "User Initiated",
        "",
        "Resource creation Initiated",
    ]


def test_events_lie_in_time_as_the_durations_say(cfn: Cloudformation) -> None:
    cfn.world.clock.set_speed(1)
    cfn.create(NAT)
    took = cfn.settle()
    # 3 s before, VPC, attachment, address 5 s each, NAT 120 s, 3 s after.
    assert took == pytest.approx(3 + 5 + 5 + 5 + 120 + 3, abs=0.1)
    moments = [event["Timestamp"] for event in cfn.history("net")]
    assert moments == sorted(moments)


def test_a_stack_is_not_complete_before_its_nat_gateway_is_available(cfn: Cloudformation) -> None:
    cfn.create(NAT)
    cfn.world.fast_forward(100)
    assert cfn.describe("net")["StackStatus"] == "CREATE_IN_PROGRESS"
    assert ("Nat", "CREATE_IN_PROGRESS") in cfn.events("net")
    assert ("Nat", "CREATE_COMPLETE") not in cfn.events("net")
    cfn.settle()
    (nat,) = cfn.ec2("DescribeNatGateways")["NatGateways"]
    assert (cfn.describe("net")["StackStatus"], nat["State"]) == ("CREATE_COMPLETE", "available")


def test_waiting_and_jumping_give_the_same_history(cfn: Cloudformation) -> None:
    cfn.create(NAT, "jumped")
    cfn.settle()
    cfn.create(NAT, "stepped")
    for _ in range(200):
        cfn.world.fast_forward(1)
    assert cfn.events("stepped")[1:-1] == cfn.events("jumped")[1:-1]


def test_a_restart_in_the_middle_changes_nothing(cfn: Cloudformation) -> None:
    cfn.create(NAT)
    cfn.world.fast_forward(20)
    before = cfn.events("net")
    folder = cfn.world.settings.state_dir
    cfn.world.close()
    world = World(folder)
    try:
        again = Cloudformation(world)
        assert again.events("net") == before
        again.settle()
        assert again.describe("net")["StackStatus"] == "CREATE_COMPLETE"
        assert len([kind for kind, _ in again.alive() if kind == "ec2.nat-gateway"]) == 1
    finally:
        world.close()


def test_tags_of_stack_resource_and_cloudformation_reach_what_is_made(cfn: Cloudformation) -> None:
    named = {**VPC, "Properties": {**VPC["Properties"], "Tags": [{"Key": "Name", "Value": "mine"}, {"Key": "team", "Value": "own"}]}}
    tags = [{"Key": "instantstart:cluster", "Value": "demo"}, {"Key": "team", "Value": "ml"}]
    stack = cfn.stack({"Vpc": named}, Tags=tags)
    found = cfn.ec2("DescribeVpcs", VpcIds=[cfn.physical("net", "Vpc")])["Vpcs"][0]["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in found} == {
        "instantstart:cluster": "demo",
        "team": "own",
        "Name": "mine",
        "aws:cloudformation:stack-name": "net",
        "aws:cloudformation:stack-id": stack["StackId"],
        "aws:cloudformation:logical-id": "Vpc",
    }


def test_outputs_and_exports_are_there_when_it_is_complete(cfn: Cloudformation) -> None:
    outputs = {
        "VpcId": {"Value": {"Ref": "Vpc"}, "Export": {"Name": "shared-vpc"}, "Description": "the network"},
        "Block": {"Value": {"Fn::GetAtt": "Vpc.CidrBlock"}},
    }
    cfn.create({"Vpc": VPC}, Outputs=outputs)
    assert cfn.describe("net")["Outputs"] == []
    cfn.settle()
    vpc = cfn.physical("net", "Vpc")
    assert cfn.describe("net")["Outputs"] == [
        {"OutputKey": "VpcId", "OutputValue": vpc, "Description": "the network", "ExportName": "shared-vpc"},
        {"OutputKey": "Block", "OutputValue": "10.1.0.0/16"},
    ]
    assert [(export["Name"], export["Value"]) for export in cfn("ListExports")["Exports"]] == [("shared-vpc", vpc)]


def test_an_import_uses_the_export_and_keeps_its_stack(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC}, Outputs={"Id": {"Value": {"Ref": "Vpc"}, "Export": {"Name": "shared"}}})
    using = {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Fn::ImportValue": "shared"}, "CidrBlock": "10.1.0.0/24"}}
    assert cfn.stack({"Subnet": using}, "user")["StackStatus"] == "CREATE_COMPLETE"
    assert cfn("ListImports", ExportName="shared") == {"Imports": ["user"]}
    cfn.delete("net")
    assert cfn.describe("net")["StackStatus"] == "DELETE_FAILED"
    assert cfn.describe("net")["StackStatusReason"] == "Delete canceled. Cannot delete export shared as it is in use by user."
    cfn.delete("user")
    cfn.delete("net")
    assert cfn.alive() == []


def test_a_failure_rolls_back_and_leaves_nothing(cfn: Cloudformation) -> None:
    before = cfn.alive()
    stack = cfn.stack({"Vpc": VPC, "One": subnet("10.1.0.0/24"), "Two": {**subnet("10.1.0.128/25"), "DependsOn": "One"}})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert cfn.alive() == before
    reason = cfn.reason("net", "Two", "CREATE_FAILED")
    assert reason.startswith(
        "Resource handler returned message: \"The CIDR '10.1.0.128/25' conflicts with another subnet "
        "(Service: Ec2, Status Code: 400, Request ID: "
    )
    assert reason.endswith("HandlerErrorCode: InvalidRequest)")
    told = "The following resource(s) failed to create: [Two]. Rollback requested by user."
    assert cfn.reason("net", "net", "ROLLBACK_IN_PROGRESS") == told
    assert cfn.events("net")[-6:] == [
        ("Two", "DELETE_COMPLETE"),
        ("One", "DELETE_IN_PROGRESS"),
        ("One", "DELETE_COMPLETE"),
        ("Vpc", "DELETE_IN_PROGRESS"),
        ("Vpc", "DELETE_COMPLETE"),
        ("net", "ROLLBACK_COMPLETE"),
    ]


def test_what_is_under_way_is_cancelled_by_a_failure(cfn: Cloudformation) -> None:
    bad = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/8"}}
    stack = cfn.stack({"Good": VPC, "Bad": bad})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert cfn.reason("net", "Good", "CREATE_FAILED") == "Resource creation cancelled"
    assert cfn.reason("net", "net", "ROLLBACK_IN_PROGRESS").startswith("The following resource(s) failed to create: [Bad].")
    assert cfn.alive() == []


def test_a_rolled_back_stack_can_only_be_deleted(cfn: Cloudformation) -> None:
    stack = cfn.stack({"Bad": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/8"}}})
    refused = cfn.refused("UpdateStack", StackName="net", TemplateBody=json.dumps({"Resources": {"Vpc": VPC}}))
    assert refused == ("ValidationError", f"Stack:{stack['StackId']} is in ROLLBACK_COMPLETE state and can not be updated.")
    cfn.delete("net")
    assert cfn.describe(stack["StackId"])["StackStatus"] == "DELETE_COMPLETE"


@pytest.mark.parametrize(
    ("option", "status", "left"),
    [
        ({"OnFailure": "DO_NOTHING"}, "CREATE_FAILED", 1),
        ({"DisableRollback": True}, "CREATE_FAILED", 1),
        ({"OnFailure": "DELETE"}, "DELETE_COMPLETE", 0),
    ],
)
def test_what_follows_a_failure_can_be_chosen(cfn: Cloudformation, option: dict[str, Any], status: str, left: int) -> None:
    stack = cfn.stack({"Vpc": VPC, "Bad": subnet("10.9.0.0/24")}, **option)
    assert stack["StackStatus"] == status
    assert len([kind for kind, _ in cfn.alive() if kind == "ec2.vpc"]) == left


def test_a_quota_rolls_a_stack_back_with_its_sentence(cfn: Cloudformation) -> None:
    cfn.world.faults.add({"scenario": "quota_reached", "name": "VPCs per Region"})
    stack = cfn.stack({"Vpc": VPC})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "The maximum number of VPCs has been reached." in cfn.reason("net", "Vpc", "CREATE_FAILED")
    assert cfn.reason("net", "Vpc", "CREATE_FAILED").endswith("HandlerErrorCode: ServiceLimitExceeded)")


def test_a_denied_action_rolls_a_stack_back_with_its_sentence(cfn: Cloudformation) -> None:
    cfn.world.faults.add({"kind": "access_denied", "service": "ec2", "operation": "CreateSubnet"})
    stack = cfn.stack({"Vpc": VPC, "Subnet": subnet()})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reason = cfn.reason("net", "Subnet", "CREATE_FAILED")
    assert "is not authorized to perform: ec2:CreateSubnet" in reason
    assert reason.endswith("HandlerErrorCode: AccessDenied)")


def test_a_half_made_resource_is_undone(cfn: Cloudformation) -> None:
    """A role whose inline policy is refused: the role itself was made before."""
    bad = {**ROLE, "Properties": {**ROLE["Properties"], "Policies": [{"PolicyName": "p", "PolicyDocument": {"Statement": []}}]}}
    bad["Properties"]["Policies"][0]["PolicyDocument"] = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow"}]}
    assert cfn.stack({"Role": bad})["StackStatus"] == "ROLLBACK_COMPLETE"
    assert cfn.alive() == []


def test_a_name_in_use_is_a_failure_and_not_taken_over(cfn: Cloudformation) -> None:
    named = {**ROLE, "Properties": {**ROLE["Properties"], "RoleName": "worker"}}
    cfn.stack({"Role": named}, "first")
    assert cfn.stack({"Role": named}, "second")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Role with name worker already exists." in cfn.reason("second", "Role", "CREATE_FAILED")
    cfn.delete("second")
    assert cfn.alive() == [("iam.role", "worker")]


def test_a_missing_or_unknown_property_fails_the_resource(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {}}}, "missing")
    assert "required key [CidrBlock] not found" in cfn.reason("missing", "Vpc", "CREATE_FAILED")
    cfn.stack({"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16", "Colour": "blue"}}}, "unknown")
    assert "extraneous key [Colour] is not permitted" in cfn.reason("unknown", "Vpc", "CREATE_FAILED")


def test_a_stack_that_takes_too_long_rolls_back(cfn: Cloudformation) -> None:
    stack = cfn.stack(NAT, TimeoutInMinutes=1)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert cfn.reason("net", "net", "ROLLBACK_IN_PROGRESS").startswith("Stack creation time exceeded the specified timeout of 1 minute(s).")
    assert cfn.alive() == []


def test_one_token_makes_one_stack(cfn: Cloudformation) -> None:
    first = cfn.create({"Vpc": VPC}, ClientRequestToken="t-1")
    assert cfn.create({"Vpc": VPC}, ClientRequestToken="t-1") == first
    cfn.settle()
    assert cfn.create({"Vpc": VPC}, ClientRequestToken="t-1") == first
    with pytest.raises(AWSError) as caught:
        cfn.create({"Vpc": VPC, "Gateway": GATEWAY}, ClientRequestToken="t-1")
    assert caught.value.code == "TokenAlreadyExistsException"
    assert len(cfn("DescribeStacks")["Stacks"]) == 1
    assert cfn.history("net")[0]["ClientRequestToken"] == "t-1"


def test_a_token_makes_a_new_stack_when_its_first_is_gone(cfn: Cloudformation) -> None:
    first = cfn.create({"Vpc": VPC}, ClientRequestToken="t-1")
    cfn.settle()
    cfn.delete("net")
    assert cfn.create({"Vpc": VPC}, ClientRequestToken="t-1") != first


def test_a_stack_name_is_used_once(cfn: Cloudformation) -> None:
    cfn.create({"Vpc": VPC})
    refused = cfn.refused("CreateStack", StackName="net", TemplateBody=json.dumps({"Resources": {"Vpc": VPC}}))
    assert refused == ("AlreadyExistsException", "Stack [net] already exists")


@pytest.mark.parametrize(
    ("capabilities", "named", "needed"),
    [([], False, "CAPABILITY_IAM"), ([], True, "CAPABILITY_NAMED_IAM"), (["CAPABILITY_IAM"], True, "CAPABILITY_NAMED_IAM")],
)
def test_iam_wants_capabilities(cfn: Cloudformation, capabilities: list[str], named: bool, needed: str) -> None:
    role = {**ROLE, "Properties": {**ROLE["Properties"], **({"RoleName": "r"} if named else {})}}
    body = json.dumps({"Resources": {"Role": role}})
    refused = cfn.refused("CreateStack", StackName="net", TemplateBody=body, Capabilities=capabilities)
    assert refused == ("InsufficientCapabilitiesException", f"Requires capabilities : [{needed}]")
    assert cfn("DescribeStacks")["Stacks"] == []


def test_a_security_groups_own_rules_are_made_with_it(cfn: Cloudformation) -> None:
    rules = {
        "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": "443", "CidrIp": "10.0.0.0/8"}],
        "SecurityGroupEgress": [{"IpProtocol": -1, "CidrIp": "10.0.0.0/8"}],
    }
    cfn.stack({"Vpc": VPC, "Group": group(**rules)})
    (found,) = cfn.ec2("DescribeSecurityGroups", GroupIds=[cfn.physical("net", "Group")])["SecurityGroups"]
    assert [permission["ToPort"] for permission in found["IpPermissions"]] == [443]
    assert [permission["IpRanges"] for permission in found["IpPermissionsEgress"]] == [[{"CidrIp": "10.0.0.0/8"}]]


def test_a_property_of_another_shape_fails_the_resource_and_not_the_clock(cfn: Cloudformation) -> None:
    role = {**ROLE, "Properties": {**ROLE["Properties"], "Policies": [{"PolicyName": "p"}]}}
    assert cfn.stack({"Role": role})["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Properties validation failed for AWS::IAM::Role: KeyError('PolicyDocument')" in cfn.reason("net", "Role", "CREATE_FAILED")
    assert cfn.alive() == []
