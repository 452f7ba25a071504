"""Elastic IP addresses."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import limits, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import ADDRESSES, NETWORK_INTERFACES
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def _public_ip(context: Context) -> str:
    used = {record["PublicIp"] for record in ADDRESSES.all(context)}
    while True:
        # 203.0.113.0/24 and 198.51.100.0/24 are for documentation: nobody's address is ever shown as ours.
        candidate = f"{random.choice(('203.0.113', '198.51.100'))}.{random.randint(1, 254)}"  # noqa: S311
        if candidate not in used:
            return candidate


@operation("ec2", "AllocateAddress")
def allocate_address(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    address_tags = tags.from_specifications(context, params, "elastic-ip")
    limits.check(context, limits.ADDRESSES, len(ADDRESSES.all(context)))
    record: Record = {
        "AllocationId": ADDRESSES.new_id(context),
        "PublicIp": _public_ip(context),
        "Domain": "vpc",
        "PublicIpv4Pool": "amazon",
        "NetworkBorderGroup": context.region,
        "Tags": address_tags,
    }
    ADDRESSES.put(context, record)
    return {name: record[name] for name in ("AllocationId", "PublicIp", "Domain", "PublicIpv4Pool", "NetworkBorderGroup")}


@operation("ec2", "DescribeAddresses")
def describe_addresses(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = ADDRESSES.select(context, params.get("AllocationIds"), params.get("Filters"))
    wanted = params.get("PublicIps")
    if wanted:
        known = {record["PublicIp"] for record in found}
        for public_ip in wanted:
            if public_ip not in known:
                raise AWSError("InvalidAddress.NotFound", f"Address '{public_ip}' not found.")
        found = [record for record in found if record["PublicIp"] in wanted]
    return {"Addresses": [wire(record) for record in found]}


@operation("ec2", "ReleaseAddress")
def release_address(context: Context, params: dict[str, Any]) -> None:
    """Errors: InvalidIPAddress.InUse while it is associated, with a NAT gateway's interface for example."""
    check_dry_run(params)
    identifier = params.get("AllocationId")
    if not identifier:
        raise AWSError("MissingParameter", "The request must contain the parameter AllocationId")
    record = ADDRESSES.get(context, identifier)
    if record.get("AssociationId"):
        raise AWSError("InvalidIPAddress.InUse", f"Address {record['PublicIp']} is in use.")
    ADDRESSES.delete(context, identifier)


def associate(context: Context, record: Record, interface: Record) -> str:
    """Map the address to the interface's primary private address; both records are kept."""
    association = context.new_id("eipassoc")
    record |= {
        "AssociationId": association,
        "NetworkInterfaceId": interface["NetworkInterfaceId"],
        "NetworkInterfaceOwnerId": context.account,
        "PrivateIpAddress": interface["PrivateIpAddress"],
    }
    ADDRESSES.put(context, record)
    interface["Association"] = {
        "AllocationId": record["AllocationId"],
        "AssociationId": association,
        "IpOwnerId": context.account,
        "PublicIp": record["PublicIp"],
        "PublicDnsName": "",
    }
    NETWORK_INTERFACES.put(context, interface)
    return association


def release_from(context: Context, record: Record) -> None:
    """End the address's association, if it has one."""
    interface_id = record.get("NetworkInterfaceId")
    for member in ("AssociationId", "NetworkInterfaceId", "NetworkInterfaceOwnerId", "PrivateIpAddress", "InstanceId"):
        record.pop(member, None)
    ADDRESSES.put(context, record)
    interface = NETWORK_INTERFACES.find(context, interface_id) if interface_id else None
    if interface is not None:
        interface.pop("Association", None)
        NETWORK_INTERFACES.put(context, interface)


@operation("ec2", "AssociateAddress")
def associate_address(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = ADDRESSES.get(context, params.get("AllocationId") or "")
    interface = NETWORK_INTERFACES.get(context, params.get("NetworkInterfaceId") or "")
    if record.get("AssociationId"):
        if not params.get("AllowReassociation", True):
            raise AWSError(
                "Resource.AlreadyAssociated",
                f"resource {record['AllocationId']} is already associated with associate-id {record['AssociationId']}",
            )
        release_from(context, record)
    return {"AssociationId": associate(context, record, interface)}


@operation("ec2", "DisassociateAddress")
def disassociate_address(context: Context, params: dict[str, Any]) -> None:
    found = ADDRESSES.where(context, AssociationId=params.get("AssociationId"))
    if not params.get("AssociationId") or not found:
        raise AWSError("InvalidAssociationID.NotFound", f"The association ID '{params.get('AssociationId')}' does not exist")
    interface = NETWORK_INTERFACES.find(context, found[0]["NetworkInterfaceId"])
    if interface is not None and interface.get("RequesterManaged"):
        raise AWSError("AuthFailure", "You do not have permission to access the specified resource.")
    release_from(context, found[0])
