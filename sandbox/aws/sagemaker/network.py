"""The network interfaces of a node in its group's subnet: one with 50 addresses, and one address for each further card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2.network_interface import delete_managed, make_managed
from sandbox.aws.sagemaker.instance_types import facts

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_DESCRIPTION = "[DO NOT DELETE] ENI managed by Amazon SageMaker HyperPod"
_REQUESTER = "amazon-sagemaker"
_PRIMARY_ADDRESSES = 50


def subnets(context: Context, network: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = context.as_source("service").call("ec2", "DescribeSubnets", {"SubnetIds": network["Subnets"]})["Subnets"]
    return found


def attach(context: Context, node: dict[str, Any], subnet: dict[str, Any], security_groups: list[str]) -> None:
    """Make the node's interfaces and give it address and place. Error: InsufficientFreeAddressesInSubnet, nothing left made."""
    machine = facts(node["instance_type"])
    with context.world.database.transaction():
        made = [
            make_managed(
                context,
                subnet["SubnetId"],
                security_groups,
                description=f"{_DESCRIPTION} cluster {node['cluster_id']}",
                requester=_REQUESTER,
                interface_type="efa" if machine.efa else "interface",
                address_count=1 if card else _PRIMARY_ADDRESSES,
            )
            for card in range(machine.cards)
        ]
    node.update(
        interfaces=[interface["NetworkInterfaceId"] for interface in made],
        ip=made[0]["PrivateIpAddress"],
        dns=made[0]["PrivateDnsName"],
        subnet=subnet["SubnetId"],
        cidr=subnet["CidrBlock"],
        zone=subnet["AvailabilityZone"],
        zone_id=subnet["AvailabilityZoneId"],
    )


def needed(instance_type: str) -> int:
    """Addresses that a node takes in its subnet."""
    return facts(instance_type).addresses


def detach(context: Context, node: dict[str, Any]) -> None:
    for interface_id in node["interfaces"]:
        delete_managed(context, interface_id)
    node["interfaces"] = []
