"""AWS::EC2::VPC, Subnet and VPCEndpoint."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import (
    Properties,
    ResourceType,
    Work,
    boolean,
    changed_tags,
    document,
    ignoring,
    resource_type,
)


def retag(work: Work, before: list[dict[str, str]], identifier: str = "") -> None:
    """Bring an EC2 resource's tags to the wanted ones."""
    setting, unwanted = changed_tags(work, before)
    resources = [identifier or work.physical_id]
    if setting:
        work.call("ec2", "CreateTags", {"Resources": resources, "Tags": setting})
    if unwanted:
        work.call("ec2", "DeleteTags", {"Resources": resources, "Tags": [{"Key": key} for key in unwanted]})


class Ec2Type(ResourceType):
    service = "Ec2"

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        self.change(work, before)
        self.change_tags(work, tags_before)

    def change(self, work: Work, before: Properties) -> None:
        """Changes of properties but Tags; the default refuses them."""
        ResourceType.update(self, work, before, [])

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        retag(work, tags_before)


@resource_type
class Vpc(Ec2Type):
    name = "AWS::EC2::VPC"
    required = frozenset({"CidrBlock"})
    optional = frozenset({"EnableDnsSupport", "EnableDnsHostnames", "InstanceTenancy", "Tags"})
    immutable = frozenset({"CidrBlock"})

    def create(self, work: Work) -> str:
        reply = work.call(
            "ec2",
            "CreateVpc",
            {
                "CidrBlock": work.properties["CidrBlock"],
                "InstanceTenancy": work.properties.get("InstanceTenancy"),
                "TagSpecifications": work.tag_specifications("vpc"),
            },
        )
        work.physical_id = reply["Vpc"]["VpcId"]
        self._dns(work, {})
        return work.physical_id

    def _dns(self, work: Work, before: Properties) -> None:
        for member in ("EnableDnsSupport", "EnableDnsHostnames"):
            value = boolean(work.properties.get(member))
            if value is not None and value != boolean(before.get(member)):
                work.call("ec2", "ModifyVpcAttribute", {"VpcId": work.physical_id, member: {"Value": value}})

    def change(self, work: Work, before: Properties) -> None:
        self._dns(work, before)

    def attributes(self, work: Work) -> dict[str, Any]:
        vpc = work.call("ec2", "DescribeVpcs", {"VpcIds": [work.physical_id]})["Vpcs"][0]
        within = [{"Name": "vpc-id", "Values": [work.physical_id]}]
        groups = work.call("ec2", "DescribeSecurityGroups", {"Filters": [*within, {"Name": "group-name", "Values": ["default"]}]})
        acls = work.call("ec2", "DescribeNetworkAcls", {"Filters": [*within, {"Name": "default", "Values": ["true"]}]})
        return {
            "VpcId": work.physical_id,
            "CidrBlock": vpc["CidrBlock"],
            "CidrBlockAssociations": [item["AssociationId"] for item in vpc["CidrBlockAssociationSet"]],
            "DefaultSecurityGroup": groups["SecurityGroups"][0]["GroupId"],
            "DefaultNetworkAcl": acls["NetworkAcls"][0]["NetworkAclId"],
        }

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteVpc", {"VpcId": work.physical_id})


@resource_type
class Subnet(Ec2Type):
    name = "AWS::EC2::Subnet"
    required = frozenset({"VpcId"})
    optional = frozenset({"CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "MapPublicIpOnLaunch", "Tags"})
    immutable = frozenset({"VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId"})

    def create(self, work: Work) -> str:
        names = ("VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId")
        params = {name: work.properties.get(name) for name in names}
        reply = work.call("ec2", "CreateSubnet", {**params, "TagSpecifications": work.tag_specifications("subnet")})
        work.physical_id = reply["Subnet"]["SubnetId"]
        self.change(work, {})
        return work.physical_id

    def change(self, work: Work, before: Properties) -> None:
        value = boolean(work.properties.get("MapPublicIpOnLaunch")) or False
        if value != (boolean(before.get("MapPublicIpOnLaunch")) or False):
            work.call("ec2", "ModifySubnetAttribute", {"SubnetId": work.physical_id, "MapPublicIpOnLaunch": {"Value": value}})

    def attributes(self, work: Work) -> dict[str, Any]:
        subnet = work.call("ec2", "DescribeSubnets", {"SubnetIds": [work.physical_id]})["Subnets"][0]
        filters = [{"Name": "association.subnet-id", "Values": [work.physical_id]}]
        acls = work.call("ec2", "DescribeNetworkAcls", {"Filters": filters})["NetworkAcls"]
        associations = [one for acl in acls for one in acl["Associations"] if one["SubnetId"] == work.physical_id]
        return {
            "SubnetId": work.physical_id,
            "VpcId": subnet["VpcId"],
            "CidrBlock": subnet["CidrBlock"],
            "AvailabilityZone": subnet["AvailabilityZone"],
            "AvailabilityZoneId": subnet["AvailabilityZoneId"],
            "NetworkAclAssociationId": associations[0]["NetworkAclAssociationId"],
            "Ipv6CidrBlocks": [],
        }

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteSubnet", {"SubnetId": work.physical_id})


@resource_type
class VpcEndpoint(Ec2Type):
    name = "AWS::EC2::VPCEndpoint"
    required = frozenset({"VpcId", "ServiceName"})
    optional = frozenset(
        {"VpcEndpointType", "RouteTableIds", "SubnetIds", "SecurityGroupIds", "PolicyDocument", "PrivateDnsEnabled", "Tags"}
    )
    immutable = frozenset({"VpcId", "ServiceName", "VpcEndpointType", "SubnetIds", "SecurityGroupIds", "PrivateDnsEnabled"})
    seconds = "ec2.vpc-endpoint.create"

    def create(self, work: Work) -> str:
        names = ("VpcId", "ServiceName", "VpcEndpointType", "RouteTableIds", "SubnetIds", "SecurityGroupIds")
        params: dict[str, Any] = {name: work.properties.get(name) for name in names}
        params["PrivateDnsEnabled"] = boolean(work.properties.get("PrivateDnsEnabled"))
        if "PolicyDocument" in work.properties:
            params["PolicyDocument"] = document(work.properties["PolicyDocument"])
        reply = work.call("ec2", "CreateVpcEndpoint", {**params, "TagSpecifications": work.tag_specifications("vpc-endpoint")})
        identifier: str = reply["VpcEndpoint"]["VpcEndpointId"]
        return identifier

    def change(self, work: Work, before: Properties) -> None:
        old, new = before.get("RouteTableIds") or [], work.properties.get("RouteTableIds") or []
        params: dict[str, Any] = {"VpcEndpointId": work.physical_id}
        if [one for one in new if one not in old]:
            params["AddRouteTableIds"] = [one for one in new if one not in old]
        if [one for one in old if one not in new]:
            params["RemoveRouteTableIds"] = [one for one in old if one not in new]
        if before.get("PolicyDocument") != work.properties.get("PolicyDocument"):
            given = work.properties.get("PolicyDocument")
            params |= {"PolicyDocument": document(given)} if given else {"ResetPolicy": True}
        if len(params) > 1:
            work.call("ec2", "ModifyVpcEndpoint", params)

    def attributes(self, work: Work) -> dict[str, Any]:
        endpoint = work.call("ec2", "DescribeVpcEndpoints", {"VpcEndpointIds": [work.physical_id]})["VpcEndpoints"][0]
        return {
            "Id": work.physical_id,
            "NetworkInterfaceIds": endpoint["NetworkInterfaceIds"],
            "DnsEntries": [],
            "CreationTimestamp": str(endpoint["CreationTimestamp"]),
        }

    def delete(self, work: Work) -> None:
        ignoring(("InvalidVpcEndpointId.NotFound",), work, "ec2", "DeleteVpcEndpoints", {"VpcEndpointIds": [work.physical_id]})
