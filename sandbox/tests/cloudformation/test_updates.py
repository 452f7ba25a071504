"""Stacks that change: in place, by replacement, with cleanup, and back again."""

from __future__ import annotations

import json
from typing import Any

from sandbox.tests.cloudformation.conftest import GATEWAY, ROLE, VPC, Cloudformation, group, subnet


def named(resource: dict[str, Any], name: str) -> dict[str, Any]:
    properties = {**resource.get("Properties", {}), "Tags": [{"Key": "Name", "Value": name}]}
    return {**resource, "Properties": properties}


def test_nothing_to_do_is_refused_and_changes_nothing(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC}, Tags=[{"Key": "a", "Value": "b"}])
    before = cfn.history("net")
    body = json.dumps({"Description": "only the description differs", "Resources": {"Vpc": VPC}})
    assert cfn.refused("UpdateStack", StackName="net", TemplateBody=body) == ("ValidationError", "No updates are to be performed.")
    again = cfn.refused("UpdateStack", StackName="net", UsePreviousTemplate=True)
    assert again == ("ValidationError", "No updates are to be performed.")
    assert cfn.history("net") == before


def test_a_tag_changes_in_place(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": named(VPC, "one")})
    vpc = cfn.physical("net", "Vpc")
    stack = cfn.update({"Vpc": named(VPC, "two")})
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert cfn.physical("net", "Vpc") == vpc
    tags = cfn.ec2("DescribeVpcs", VpcIds=[vpc])["Vpcs"][0]["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags}["Name"] == "two"
    assert cfn.events("net")[-5:] == [
        ("net", "UPDATE_IN_PROGRESS"),
        ("Vpc", "UPDATE_IN_PROGRESS"),
        ("Vpc", "UPDATE_COMPLETE"),
        ("net", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        ("net", "UPDATE_COMPLETE"),
    ]


def test_the_stacks_tags_reach_what_is_there_already(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Role": ROLE}, Tags=[{"Key": "team", "Value": "ml"}])
    vpc = cfn.physical("net", "Vpc")
    cfn("UpdateStack", StackName="net", UsePreviousTemplate=True, Tags=[{"Key": "owner", "Value": "me"}], Capabilities=["CAPABILITY_IAM"])
    cfn.settle()
    tags = {tag["Key"]: tag["Value"] for tag in cfn.ec2("DescribeVpcs", VpcIds=[vpc])["Vpcs"][0]["Tags"]}
    assert (tags.get("owner"), tags.get("team")) == ("me", None)


def test_resources_come_and_go(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Old": GATEWAY})
    stack = cfn.update({"Vpc": VPC, "New": subnet()}, Outputs={"Subnet": {"Value": {"Ref": "New"}}})
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert stack["Outputs"] == [{"OutputKey": "Subnet", "OutputValue": cfn.physical("net", "New")}]
    kinds = [kind for kind, _ in cfn.alive()]
    assert ("ec2.internet-gateway" in kinds, "ec2.subnet" in kinds) == (False, True)
    assert cfn.events("net").index(("New", "CREATE_COMPLETE")) < cfn.events("net").index(("Old", "DELETE_IN_PROGRESS"))
    assert {one["LogicalResourceId"] for one in cfn("ListStackResources", StackName="net")["StackResourceSummaries"]} == {"Vpc", "New"}


def test_what_cannot_change_in_place_is_made_anew_and_the_old_goes_afterwards(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Group": group()})
    old = cfn.physical("net", "Group")
    stack = cfn.update({"Vpc": VPC, "Group": group(GroupDescription="another")})
    new = cfn.physical("net", "Group")
    assert (stack["StackStatus"], new != old) == ("UPDATE_COMPLETE", True)
    ids = [found["GroupId"] for found in cfn.ec2("DescribeSecurityGroups")["SecurityGroups"]]
    assert (new in ids, old in ids) == (True, False)
    told = "Requested update requires the creation of a new physical resource; hence creating one."
    assert told in [event.get("ResourceStatusReason") for event in cfn.history("net")]


def test_a_resource_named_by_hand_is_not_replaced(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC, "Group": group(GroupName="mine")})
    before = cfn.alive()
    stack = cfn.update({"Vpc": VPC, "Group": group(GroupName="mine", GroupDescription="another")})
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "custom-named resource requires replacing. Rename mine" in cfn.reason("net", "Group", "UPDATE_FAILED")
    assert cfn.alive() == before


def test_a_failed_update_goes_back_to_what_was(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": named(VPC, "one"), "Group": group()}, Outputs={"Id": {"Value": {"Ref": "Vpc"}}})
    before = cfn.alive()
    template = cfn("GetTemplate", StackName="net")["TemplateBody"]
    changed = {"Vpc": named(VPC, "two"), "Group": group(GroupDescription="new"), "Extra": GATEWAY, "Bad": subnet("10.9.0.0/24")}
    stack = cfn.update(changed)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert cfn.alive() == before
    assert cfn("GetTemplate", StackName="net")["TemplateBody"] == template
    assert stack["Outputs"] == [{"OutputKey": "Id", "OutputValue": cfn.physical("net", "Vpc")}]
    tags = cfn.ec2("DescribeVpcs", VpcIds=[cfn.physical("net", "Vpc")])["Vpcs"][0]["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags}["Name"] == "one"
    assert cfn.reason("net", "net", "UPDATE_ROLLBACK_IN_PROGRESS") == "The following resource(s) failed to update: [Bad]."
    assert cfn.update({"Vpc": named(VPC, "three"), "Group": group()})["StackStatus"] == "UPDATE_COMPLETE"


def test_an_update_can_be_cancelled(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    before = cfn.alive()
    body = json.dumps({"Resources": {"Vpc": named(VPC, "new"), "Extra": GATEWAY}})
    cfn("UpdateStack", StackName="net", TemplateBody=body)
    cfn.world.fast_forward(4)
    cfn("CancelUpdateStack", StackName="net")
    cfn.settle()
    assert cfn.describe("net")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert cfn.reason("net", "net", "UPDATE_ROLLBACK_IN_PROGRESS") == "User Initiated"
    assert cfn.alive() == before
    assert cfn.refused("CancelUpdateStack", StackName="net")[1] == "CancelUpdateStack cannot be called from current stack status"


def test_a_busy_stack_is_not_updated_or_deleted(cfn: Cloudformation) -> None:
    cfn.stack({"Vpc": VPC})
    cfn("UpdateStack", StackName="net", TemplateBody=json.dumps({"Resources": {"Vpc": named(VPC, "new")}}))
    other = json.dumps({"Resources": {"Vpc": named(VPC, "newer")}})
    assert "UPDATE_IN_PROGRESS state and can not be updated" in cfn.refused("UpdateStack", StackName="net", TemplateBody=other)[1]
    assert cfn.refused("DeleteStack", StackName="net")[1] == "Stack [net] cannot be deleted while in status UPDATE_IN_PROGRESS"


def test_a_role_changes_policies_trust_and_description_in_place(cfn: Cloudformation) -> None:
    from sandbox.testing import call

    def role(**properties: Any) -> dict[str, Any]:
        return {**ROLE, "Properties": {**ROLE["Properties"], "RoleName": "worker", **properties}}

    def inline(name: str) -> dict[str, Any]:
        document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
        return {"PolicyName": name, "PolicyDocument": document}

    managed = "arn:aws:iam::aws:policy/"
    cfn.stack({"Role": role(Policies=[inline("one")], ManagedPolicyArns=[managed + "AmazonEKSClusterPolicy"])})
    cfn.update({"Role": role(Policies=[inline("two")], ManagedPolicyArns=[managed + "AmazonEKS_CNI_Policy"], Description="new")})
    assert call(cfn.world, "iam", "ListRolePolicies", {"RoleName": "worker"})["PolicyNames"] == ["two"]
    attached = call(cfn.world, "iam", "ListAttachedRolePolicies", {"RoleName": "worker"})["AttachedPolicies"]
    assert [one["PolicyName"] for one in attached] == ["AmazonEKS_CNI_Policy"]
    assert call(cfn.world, "iam", "GetRole", {"RoleName": "worker"})["Role"]["Description"] == "new"
