"""Stacks that go: in reverse order, with what blocks them named, and what is kept on purpose."""

from __future__ import annotations

import json

from sandbox.tests.cloudformation.conftest import GATEWAY, ROLE, VPC, Cloudformation, group, subnet


def test_resources_go_in_reverse_order_and_nothing_is_left(cfn: Cloudformation) -> None:
    stack = cfn.stack({"Vpc": VPC, "Subnet": subnet(), "Role": ROLE})
    cfn.delete("net")
    assert cfn.alive() == []
    events = cfn.events(stack["StackId"])
    assert events.index(("Subnet", "DELETE_COMPLETE")) < events.index(("Vpc", "DELETE_IN_PROGRESS"))
    assert events[-1] == ("net", "DELETE_COMPLETE")
    assert [entry["kind"] for entry in cfn.world.ledger.entries(alive=True) if entry["kind"] == "cloudformation.stack"] == []


def test_a_deleted_stack_is_seen_by_its_id_only(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": VPC})["StackId"]
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert cfn.refused("DescribeStacks", StackName="net") == ("ValidationError", "Stack with id net does not exist")
    assert cfn("DescribeStacks")["Stacks"] == []
    rows = cfn("ListStacks", StackStatusFilter=["DELETE_COMPLETE"])["StackSummaries"]
    assert [row["StackId"] for row in rows] == [identifier]
    again = cfn.stack({"Vpc": VPC})
    assert again["StackId"] != identifier


def test_deleting_what_is_not_there_succeeds(cfn: Cloudformation) -> None:
    assert cfn("DeleteStack", StackName="nothing") == {}


def test_what_blocks_a_deletion_is_named_and_the_rest_is_kept(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Subnet": subnet(), "Group": group(), "Gateway": GATEWAY})
    subnet_id = cfn.physical("net", "Subnet")
    interface = cfn.ec2("CreateNetworkInterface", SubnetId=subnet_id)["NetworkInterface"]["NetworkInterfaceId"]
    cfn.delete("net")
    stack = cfn.describe("net")
    assert stack["StackStatus"] == "DELETE_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to delete: [Subnet]."
    reason = cfn.reason("net", "Subnet", "DELETE_FAILED")
    assert f"The subnet '{subnet_id}' has dependencies and cannot be deleted. (Service: Ec2, Status Code: 400" in reason
    kinds = [kind for kind, _ in cfn.alive()]
    assert ("ec2.vpc" in kinds, "ec2.subnet" in kinds, "ec2.internet-gateway" in kinds) == (True, True, False)
    cfn.ec2("DeleteNetworkInterface", NetworkInterfaceId=interface)
    cfn.delete("net")
    assert cfn.alive() == []


def test_a_blocker_that_goes_in_time_does_no_harm(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": VPC, "Subnet": subnet()})["StackId"]
    subnet_id = cfn.physical("net", "Subnet")
    interface = cfn.ec2("CreateNetworkInterface", SubnetId=subnet_id)["NetworkInterface"]["NetworkInterfaceId"]
    cfn("DeleteStack", StackName="net")
    cfn.world.fast_forward(60)
    cfn.ec2("DeleteNetworkInterface", NetworkInterfaceId=interface)
    cfn.settle()
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"


def test_a_failed_deletion_can_leave_resources_behind(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": VPC, "Subnet": subnet()})["StackId"]
    assert cfn.refused("DeleteStack", StackName="net", RetainResources=["Subnet"])[0] == "ValidationError"
    subnet_id = cfn.physical("net", "Subnet")
    cfn.ec2("CreateNetworkInterface", SubnetId=subnet_id)
    cfn.delete("net")
    cfn.delete("net", RetainResources=["Subnet", "Vpc"])
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert ("ec2.subnet", subnet_id) in cfn.alive()


def test_force_leaves_behind_what_failed(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": VPC, "Role": ROLE})["StackId"]
    cfn.ec2("CreateSubnet", VpcId=cfn.physical("net", "Vpc"), CidrBlock="10.1.0.0/24")
    cfn.delete("net")
    assert cfn.describe("net")["StackStatus"] == "DELETE_FAILED"
    cfn.delete("net", DeletionMode="FORCE_DELETE_STACK")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert "iam.role" not in [kind for kind, _ in cfn.alive()]


def test_a_resource_with_the_retain_policy_stays(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": {**VPC, "DeletionPolicy": "Retain"}, "Gateway": GATEWAY})["StackId"]
    vpc = cfn.physical("net", "Vpc")
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert ("Vpc", "DELETE_SKIPPED") in cfn.events(identifier)
    assert ("ec2.vpc", vpc) in cfn.alive()


def test_termination_protection_holds_until_it_is_taken_off(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC}, EnableTerminationProtection=True)
    refused = cfn.refused("DeleteStack", StackName="net")
    assert refused == ("ValidationError", "Stack [net] cannot be deleted while TerminationProtection is enabled")
    assert cfn.describe("net")["EnableTerminationProtection"] is True
    cfn("UpdateTerminationProtection", StackName="net", EnableTerminationProtection=False)
    cfn.delete("net")
    assert cfn.alive() == []


def test_a_stack_can_be_deleted_while_it_is_made(cfn: Cloudformation) -> None:
    identifier = cfn.create({"Vpc": VPC, "Subnet": subnet()})
    cfn.world.fast_forward(5)
    assert ("Vpc", "CREATE_IN_PROGRESS") in cfn.events("net")
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"
    assert cfn.alive() == []
    assert ("Subnet", "CREATE_IN_PROGRESS") not in cfn.events(identifier)


def test_what_somebody_else_deleted_is_no_obstacle(cfn: Cloudformation) -> None:
    identifier = cfn.stack({"Vpc": VPC, "Subnet": subnet()})["StackId"]
    cfn.ec2("DeleteSubnet", SubnetId=cfn.physical("net", "Subnet"))
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"


def test_a_bucket_with_objects_blocks_at_once(cfn: Cloudformation) -> None:
    from sandbox.testing import call

    bucket = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "of-a-test-of-stacks"}}
    identifier = cfn.stack({"Bucket": bucket})["StackId"]
    call(cfn.world, "s3", "PutObject", {"Bucket": "of-a-test-of-stacks", "Key": "k", "Body": b"x"})
    cfn.delete("net")
    assert "The bucket you tried to delete is not empty" in cfn.reason("net", "Bucket", "DELETE_FAILED")
    call(cfn.world, "s3", "DeleteObject", {"Bucket": "of-a-test-of-stacks", "Key": "k"})
    cfn.delete("net")
    assert cfn.describe(identifier)["StackStatus"] == "DELETE_COMPLETE"


def test_resources_are_described_by_stack_and_by_physical_id(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    vpc = cfn.physical("net", "Vpc")
    by_stack = cfn("DescribeStackResources", StackName="net")["StackResources"]
    by_id = cfn("DescribeStackResources", PhysicalResourceId=vpc)["StackResources"]
    assert by_stack == by_id
    assert [(one["LogicalResourceId"], one["ResourceStatus"]) for one in by_stack] == [("Vpc", "CREATE_COMPLETE")]
    assert cfn.refused("DescribeStackResource", StackName="net", LogicalResourceId="Nothing")[1] == (
        "Resource Nothing does not exist for stack net"
    )
    events = cfn("DescribeStackEvents", StackName="net")["StackEvents"]
    assert json.loads(events[1]["ResourceProperties"]) == {"CidrBlock": "10.1.0.0/16"}
