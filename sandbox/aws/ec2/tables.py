"""All nouns of EC2 that are kept, with the filters their Describe operations take (EC2 API reference, each operation's Filters)."""

from __future__ import annotations

from typing import Any

from sandbox.aws.ec2.filters import members
from sandbox.aws.ec2.table import Record, Table
from sandbox.aws.ec2.tags import taggable


def _each(member: str, inner: str) -> Any:
    """Reads one member of every item of a list member."""
    return lambda record: [item.get(inner) for item in record.get(member) or []]


def _rules(flow: str, read: Any) -> Any:
    return lambda record: [read(permission) for permission in record[flow]]


def _within(group: str, inner: str) -> Any:
    return lambda permission: [item.get(inner) for item in permission.get(group) or []]


DHCP_OPTIONS = taggable(
    "dhcp-options",
    Table(
        "ec2.dhcp-options",
        "DhcpOptionsId",
        "dopt",
        "InvalidDhcpOptionID.NotFound",
        "The dhcpOption ID '{id}' does not exist",
        readers=members(dhcp_options_id="DhcpOptionsId", owner_id="OwnerId"),
    ),
)

VPCS = taggable(
    "vpc",
    Table(
        "ec2.vpc",
        "VpcId",
        "vpc",
        "InvalidVpcID.NotFound",
        "The vpc ID '{id}' does not exist",
        readers={
            **members(
                vpc_id="VpcId", cidr="CidrBlock", state="State", is_default="IsDefault", dhcp_options_id="DhcpOptionsId", owner_id="OwnerId"
            ),
            "isDefault": lambda vpc: vpc["IsDefault"],
            "cidr-block-association.cidr-block": _each("CidrBlockAssociationSet", "CidrBlock"),
            "cidr-block-association.association-id": _each("CidrBlockAssociationSet", "AssociationId"),
            "cidr-block-association.state": lambda vpc: [item["CidrBlockState"]["State"] for item in vpc["CidrBlockAssociationSet"]],
        },
    ),
)

SUBNETS = taggable(
    "subnet",
    Table(
        "ec2.subnet",
        "SubnetId",
        "subnet",
        "InvalidSubnetID.NotFound",
        "The subnet ID '{id}' does not exist",
        readers={
            **members(
                subnet_id="SubnetId",
                vpc_id="VpcId",
                state="State",
                availability_zone="AvailabilityZone",
                availability_zone_id="AvailabilityZoneId",
                cidr_block="CidrBlock",
                default_for_az="DefaultForAz",
                map_public_ip_on_launch="MapPublicIpOnLaunch",
                subnet_arn="SubnetArn",
                available_ip_address_count="AvailableIpAddressCount",
                owner_id="OwnerId",
            ),
            "availabilityZone": lambda subnet: subnet["AvailabilityZone"],
            "availabilityZoneId": lambda subnet: subnet["AvailabilityZoneId"],
            "cidr": lambda subnet: subnet["CidrBlock"],
            "cidrBlock": lambda subnet: subnet["CidrBlock"],
            "defaultForAz": lambda subnet: subnet["DefaultForAz"],
        },
    ),
)

INTERNET_GATEWAYS = taggable(
    "internet-gateway",
    Table(
        "ec2.internet-gateway",
        "InternetGatewayId",
        "igw",
        "InvalidInternetGatewayID.NotFound",
        "The internetGateway ID '{id}' does not exist",
        readers={
            **members(internet_gateway_id="InternetGatewayId", owner_id="OwnerId"),
            "attachment.vpc-id": _each("Attachments", "VpcId"),
            "attachment.state": _each("Attachments", "State"),
        },
    ),
)

NAT_GATEWAYS = taggable(
    "natgateway",
    Table(
        "ec2.nat-gateway",
        "NatGatewayId",
        "nat",
        "NatGatewayNotFound",
        "The Nat Gateway {id} was not found",
        "NatGatewayMalformed",
        readers=members(nat_gateway_id="NatGatewayId", vpc_id="VpcId", subnet_id="SubnetId", state="State"),
    ),
)

ADDRESSES = taggable(
    "elastic-ip",
    Table(
        "ec2.address",
        "AllocationId",
        "eipalloc",
        "InvalidAllocationID.NotFound",
        "The allocation ID '{id}' does not exist",
        readers=members(
            allocation_id="AllocationId",
            association_id="AssociationId",
            public_ip="PublicIp",
            private_ip_address="PrivateIpAddress",
            network_interface_id="NetworkInterfaceId",
            network_interface_owner_id="NetworkInterfaceOwnerId",
            instance_id="InstanceId",
            domain="Domain",
            network_border_group="NetworkBorderGroup",
        ),
    ),
)

ROUTE_TABLES = taggable(
    "route-table",
    Table(
        "ec2.route-table",
        "RouteTableId",
        "rtb",
        "InvalidRouteTableID.NotFound",
        "The routeTable ID '{id}' does not exist",
        readers={
            **members(route_table_id="RouteTableId", vpc_id="VpcId", owner_id="OwnerId"),
            "association.main": _each("Associations", "Main"),
            "association.subnet-id": _each("Associations", "SubnetId"),
            "association.route-table-id": _each("Associations", "RouteTableId"),
            "association.route-table-association-id": _each("Associations", "RouteTableAssociationId"),
            "association.gateway-id": _each("Associations", "GatewayId"),
            "route.destination-cidr-block": _each("Routes", "DestinationCidrBlock"),
            "route.destination-prefix-list-id": _each("Routes", "DestinationPrefixListId"),
            "route.gateway-id": _each("Routes", "GatewayId"),
            "route.nat-gateway-id": _each("Routes", "NatGatewayId"),
            "route.origin": _each("Routes", "Origin"),
            "route.state": _each("Routes", "State"),
        },
    ),
)

NETWORK_ACLS = taggable(
    "network-acl",
    Table(
        "ec2.network-acl",
        "NetworkAclId",
        "acl",
        "InvalidNetworkAclID.NotFound",
        "The networkAcl ID '{id}' does not exist",
        readers={
            **members(network_acl_id="NetworkAclId", vpc_id="VpcId", default="IsDefault", owner_id="OwnerId"),
            "association.subnet-id": _each("Associations", "SubnetId"),
            "association.association-id": _each("Associations", "NetworkAclAssociationId"),
        },
    ),
)

ENDPOINTS = taggable(
    "vpc-endpoint",
    Table(
        "ec2.vpc-endpoint",
        "VpcEndpointId",
        "vpce",
        "InvalidVpcEndpointId.NotFound",
        "The Vpc Endpoint Id '{id}' does not exist",
        readers=members(
            vpc_endpoint_id="VpcEndpointId",
            vpc_id="VpcId",
            service_name="ServiceName",
            vpc_endpoint_state="State",
            vpc_endpoint_type="VpcEndpointType",
        ),
    ),
)


def _permission_readers(prefix: str, flow: str) -> dict[str, Any]:
    return {
        f"{prefix}ip-permission.cidr": _rules(flow, _within("IpRanges", "CidrIp")),
        f"{prefix}ip-permission.group-id": _rules(flow, _within("UserIdGroupPairs", "GroupId")),
        f"{prefix}ip-permission.user-id": _rules(flow, _within("UserIdGroupPairs", "UserId")),
        f"{prefix}ip-permission.prefix-list-id": _rules(flow, _within("PrefixListIds", "PrefixListId")),
        f"{prefix}ip-permission.protocol": _rules(flow, lambda permission: permission.get("IpProtocol")),
        f"{prefix}ip-permission.from-port": _rules(flow, lambda permission: permission.get("FromPort")),
        f"{prefix}ip-permission.to-port": _rules(flow, lambda permission: permission.get("ToPort")),
    }


SECURITY_GROUPS = taggable(
    "security-group",
    Table(
        "ec2.security-group",
        "GroupId",
        "sg",
        "InvalidGroup.NotFound",
        "The security group '{id}' does not exist",
        "InvalidGroupId.Malformed",
        readers={
            **members(group_id="GroupId", group_name="GroupName", vpc_id="VpcId", description="Description", owner_id="OwnerId"),
            **_permission_readers("", "IpPermissions"),
            **_permission_readers("egress.", "IpPermissionsEgress"),
        },
    ),
)

NETWORK_INTERFACES = taggable(
    "network-interface",
    Table(
        "ec2.network-interface",
        "NetworkInterfaceId",
        "eni",
        "InvalidNetworkInterfaceID.NotFound",
        "The networkInterface ID '{id}' does not exist",
        "InvalidNetworkInterfaceId.Malformed",
        readers={
            **members(
                network_interface_id="NetworkInterfaceId",
                vpc_id="VpcId",
                subnet_id="SubnetId",
                availability_zone="AvailabilityZone",
                description="Description",
                interface_type="InterfaceType",
                mac_address="MacAddress",
                owner_id="OwnerId",
                private_ip_address="PrivateIpAddress",
                private_dns_name="PrivateDnsName",
                requester_id="RequesterId",
                requester_managed="RequesterManaged",
                status="Status",
            ),
            "group-id": _each("Groups", "GroupId"),
            "group-name": _each("Groups", "GroupName"),
            "addresses.private-ip-address": _each("PrivateIpAddresses", "PrivateIpAddress"),
            "addresses.primary": _each("PrivateIpAddresses", "Primary"),
            "association.public-ip": lambda interface: (interface.get("Association") or {}).get("PublicIp"),
            "association.allocation-id": lambda interface: (interface.get("Association") or {}).get("AllocationId"),
            "attachment.attachment-id": lambda interface: (interface.get("Attachment") or {}).get("AttachmentId"),
            "attachment.instance-id": lambda interface: (interface.get("Attachment") or {}).get("InstanceId"),
            "attachment.instance-owner-id": lambda interface: (interface.get("Attachment") or {}).get("InstanceOwnerId"),
            "attachment.status": lambda interface: (interface.get("Attachment") or {}).get("Status"),
        },
    ),
)

INSTANCES = taggable(
    "instance",
    Table(
        "ec2.instance",
        "InstanceId",
        "i",
        "InvalidInstanceID.NotFound",
        "The instance ID '{id}' does not exist",
        "InvalidInstanceID.Malformed",
        readers={
            **members(
                instance_id="InstanceId",
                instance_type="InstanceType",
                instance_lifecycle="InstanceLifecycle",
                vpc_id="VpcId",
                subnet_id="SubnetId",
                private_ip_address="PrivateIpAddress",
                private_dns_name="PrivateDnsName",
                capacity_reservation_id="CapacityReservationId",
                architecture="Architecture",
            ),
            "availability-zone": lambda one: one["Placement"]["AvailabilityZone"],
            "instance-state-name": lambda one: one["State"]["Name"],
            "instance-state-code": lambda one: one["State"]["Code"],
            "instance.group-id": _each("SecurityGroups", "GroupId"),
        },
    ),
)

LAUNCH_TEMPLATES = taggable(
    "launch-template",
    Table(
        "ec2.launch-template",
        "LaunchTemplateId",
        "lt",
        "InvalidLaunchTemplateId.NotFound",
        "The specified launch template, with template ID {id}, does not exist.",
        "InvalidLaunchTemplateId.Malformed",
        readers=members(launch_template_name="LaunchTemplateName", create_time="CreateTime"),
    ),
)

CAPACITY_RESERVATIONS = taggable(
    "capacity-reservation",
    Table(
        "ec2.capacity-reservation",
        "CapacityReservationId",
        "cr",
        "InvalidCapacityReservationId.NotFound",
        "The capacity reservation '{id}' does not exist",
        "InvalidCapacityReservationId.Malformed",
        readers=members(
            instance_type="InstanceType", state="State", availability_zone="AvailabilityZone", owner_id="OwnerId", tenancy="Tenancy"
        ),
    ),
)


def tag_value(record: Record, key: str) -> str | None:
    return next((tag["Value"] for tag in record.get("Tags") or [] if tag["Key"] == key), None)
