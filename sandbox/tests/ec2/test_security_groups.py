"""Security groups, their rules, and network interfaces that hold them."""

from __future__ import annotations

from typing import Any

from sandbox.aws.ec2 import network_interface
from sandbox.tests.ec2.conftest import Ec2


def https(block: str = "10.0.0.0/8") -> dict[str, Any]:
    return {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{"CidrIp": block}]}


def described(ec2: Ec2, group: str) -> dict[str, Any]:
    found: dict[str, Any] = ec2("DescribeSecurityGroups", GroupIds=[group])["SecurityGroups"][0]
    return found


def test_a_new_group_lets_everything_out_and_nothing_in(ec2: Ec2) -> None:
    group = described(ec2, ec2.group(ec2.vpc()))
    assert group["IpPermissions"] == []
    assert [permission["IpRanges"] for permission in group["IpPermissionsEgress"]] == [[{"CidrIp": "0.0.0.0/0"}]]


def test_a_rule_is_added_once(ec2: Ec2) -> None:
    group = ec2.group(ec2.vpc())
    ec2("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=[https()])
    refused = ec2.refused("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=[https("10.0.0.1/8")])
    sentence = 'the specified rule "peer: 10.0.0.0/8, TCP, from port: 443, to port: 443, ALLOW" already exists'
    assert refused == ("InvalidPermission.Duplicate", sentence)
    assert len(described(ec2, group)["IpPermissions"]) == 1


def test_a_rule_is_revoked_by_its_content_or_its_id(ec2: Ec2) -> None:
    group = ec2.group(ec2.vpc())
    ec2("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=[https(), https("192.168.0.0/16")])
    ec2("RevokeSecurityGroupIngress", GroupId=group, IpPermissions=[https()])
    assert ec2.refused("RevokeSecurityGroupIngress", GroupId=group, IpPermissions=[https()])[0] == "InvalidPermission.NotFound"
    filters = [{"Name": "group-id", "Values": [group]}]
    rules = ec2("DescribeSecurityGroupRules", Filters=filters)["SecurityGroupRules"]
    (left,) = [rule for rule in rules if not rule["IsEgress"]]
    assert left["CidrIpv4"] == "192.168.0.0/16"
    ec2("RevokeSecurityGroupIngress", GroupId=group, SecurityGroupRuleIds=[left["SecurityGroupRuleId"]])
    assert described(ec2, group)["IpPermissions"] == []


def test_a_group_may_refer_to_itself_in_both_directions_and_still_be_deleted(ec2: Ec2) -> None:
    group = ec2.group(ec2.vpc())
    itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
    ec2("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=[itself])
    ec2("AuthorizeSecurityGroupEgress", GroupId=group, IpPermissions=[itself])
    egress = described(ec2, group)["IpPermissionsEgress"]
    assert [pair["GroupId"] for permission in egress for pair in permission["UserIdGroupPairs"]] == [group]
    ec2("DeleteSecurityGroup", GroupId=group)
    assert ec2.refused("DescribeSecurityGroups", GroupIds=[group])[0] == "InvalidGroup.NotFound"


def test_a_group_that_another_names_is_not_deleted(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    named, naming = ec2.group(vpc, "named"), ec2.group(vpc, "naming")
    permission = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": named}]}
    ec2("AuthorizeSecurityGroupIngress", GroupId=naming, IpPermissions=[permission])
    assert ec2.refused("DeleteSecurityGroup", GroupId=named) == ("DependencyViolation", f"resource {named} has a dependent object")
    ec2("RevokeSecurityGroupIngress", GroupId=naming, IpPermissions=[permission])
    ec2("DeleteSecurityGroup", GroupId=named)


def test_the_default_group_is_not_deleted_by_a_user(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    filters = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "group-name", "Values": ["default"]}]
    group = ec2("DescribeSecurityGroups", Filters=filters)["SecurityGroups"][0]["GroupId"]
    assert ec2.refused("DeleteSecurityGroup", GroupId=group)[0] == "CannotDelete"


def test_a_name_is_used_once_in_a_vpc(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.group(vpc)
    refused = ec2.refused("CreateSecurityGroup", GroupName="mine", Description="again", VpcId=vpc)
    assert refused == ("InvalidGroup.Duplicate", f"The security group 'mine' already exists for VPC '{vpc}'")
    ec2.group(ec2.vpc("10.2.0.0/16"))


def test_ports_must_make_sense(ec2: Ec2) -> None:
    group = ec2.group(ec2.vpc())
    for first, last in ((443, 80), (0, 65536)):
        permission = {"IpProtocol": "tcp", "FromPort": first, "ToPort": last, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
        refused = ec2.refused("AuthorizeSecurityGroupIngress", GroupId=group, IpPermissions=[permission])
        assert refused == ("InvalidParameterValue", f"Invalid TCP/UDP port range ({first}-{last})")


def test_a_services_interface_blocks_subnet_and_group_and_is_not_the_accounts_to_delete(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    subnet, group = ec2.subnet(vpc), ec2.group(vpc)
    context = ec2.world.context("eks")
    made = network_interface.make_managed(context, subnet, [group], description="Amazon EKS demo", requester="amazon-eks", address_count=3)
    identifier = made["NetworkInterfaceId"]
    assert ec2.refused("DeleteSubnet", SubnetId=subnet)[0] == "DependencyViolation"
    assert ec2.refused("DeleteSecurityGroup", GroupId=group)[0] == "DependencyViolation"
    in_use = f"Network interface '{identifier}' is currently in use."
    assert ec2.refused("DeleteNetworkInterface", NetworkInterfaceId=identifier) == ("InvalidNetworkInterface.InUse", in_use)
    attachment = made["Attachment"]["AttachmentId"]
    assert ec2.refused("DetachNetworkInterface", AttachmentId=attachment)[0] == "OperationNotPermitted"
    assert network_interface.delete_managed(context, identifier) is True
    assert network_interface.delete_managed(context, identifier) is False
    ec2("DeleteSubnet", SubnetId=subnet)
    ec2("DeleteSecurityGroup", GroupId=group)


def test_interfaces_are_found_by_group_and_description(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    subnet, group = ec2.subnet(vpc), ec2.group(vpc)
    made = ec2("CreateNetworkInterface", SubnetId=subnet, Groups=[group], Description="Amazon EKS demo")["NetworkInterface"]
    ec2("CreateNetworkInterface", SubnetId=subnet)
    filters = [{"Name": "group-id", "Values": [group]}, {"Name": "description", "Values": ["Amazon EKS *"]}]
    found = ec2("DescribeNetworkInterfaces", Filters=filters)["NetworkInterfaces"]
    assert [interface["NetworkInterfaceId"] for interface in found] == [made["NetworkInterfaceId"]]
