"""Network interfaces: one's own, and those that services make (NAT gateways, EKS, HyperPod, load balancers).

They are what keeps subnets and security groups from being deleted. Services use `make_managed` and `delete_managed`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import address, limits, private_addresses, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import ADDRESSES, NETWORK_INTERFACES, SECURITY_GROUPS, SUBNETS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def make(
    context: Context,
    subnet_id: str,
    group_ids: list[str],
    *,
    description: str = "",
    interface_type: str = "interface",
    address_count: int = 1,
    private_ip: str | None = None,
    interface_tags: list[dict[str, str]] | None = None,
) -> Record:
    """An interface with `address_count` private addresses. Errors: subnet or group not there, subnet full, quota."""
    subnet = SUBNETS.get(context, subnet_id)
    groups = [SECURITY_GROUPS.get(context, group_id) for group_id in group_ids]
    for group in groups:
        if group["VpcId"] != subnet["VpcId"]:
            raise AWSError(
                "InvalidParameterValue",
                f"You have specified two resources that belong to different networks: {group['GroupId']}, {subnet_id}",
            )
    limits.check(context, limits.NETWORK_INTERFACES, context.world.store.count(NETWORK_INTERFACES.kind, context.scope))
    addresses = private_addresses.take(context, subnet_id, subnet["CidrBlock"], address_count, private_ip)
    identifier = NETWORK_INTERFACES.new_id(context)
    suffix = "ec2.internal" if context.region == "us-east-1" else f"{context.region}.compute.internal"
    record: Record = {
        "NetworkInterfaceId": identifier,
        "SubnetId": subnet_id,
        "VpcId": subnet["VpcId"],
        "AvailabilityZone": subnet["AvailabilityZone"],
        "Description": description,
        "Groups": [{"GroupId": group["GroupId"], "GroupName": group["GroupName"]} for group in groups],
        "InterfaceType": interface_type,
        "MacAddress": _mac(identifier),
        "OwnerId": context.account,
        "PrivateIpAddress": addresses[0],
        "PrivateDnsName": f"ip-{addresses[0].replace('.', '-')}.{suffix}",
        "PrivateIpAddresses": [{"Primary": index == 0, "PrivateIpAddress": one} for index, one in enumerate(addresses)],
        "Ipv6Addresses": [],
        "RequesterId": context.principal.user_id or context.account,
        "RequesterManaged": False,
        "SourceDestCheck": True,
        "Status": "available",
        "TagSet": [],
        "Tags": interface_tags or [],
    }
    NETWORK_INTERFACES.put(context, record)
    return record


def make_managed(
    context: Context,
    subnet_id: str,
    group_ids: list[str],
    *,
    description: str,
    requester: str,
    interface_type: str = "interface",
    address_count: int = 1,
    instance_id: str = "",
    instance_owner: str = "",
    interface_tags: list[dict[str, str]] | None = None,
) -> Record:
    """An interface that a service makes in the account's subnet and keeps attached: the account cannot delete or detach it.

    `requester`: who made it, e.g. `amazon-elb` or an id of the service; `instance_owner`: the attachment's owner (default: the requester).
    """
    record = make(
        context,
        subnet_id,
        group_ids,
        description=description,
        interface_type=interface_type,
        address_count=address_count,
        interface_tags=interface_tags,
    )
    record |= {
        "RequesterId": requester,
        "RequesterManaged": True,
        "Status": "in-use",
        "Attachment": {
            "AttachmentId": context.new_id("eni-attach"),
            "AttachTime": context.timestamp,
            "DeleteOnTermination": False,
            "DeviceIndex": 1,
            "InstanceOwnerId": instance_owner or requester,
            "Status": "attached",
            **({"InstanceId": instance_id} if instance_id else {}),
        },
    }
    NETWORK_INTERFACES.put(context, record)
    return record


def delete_managed(context: Context, interface_id: str) -> bool:
    """Take a service's interface away. False when there is none any more."""
    record = NETWORK_INTERFACES.find(context, interface_id)
    if record is None:
        return False
    _remove(context, record)
    return True


def _remove(context: Context, record: Record) -> None:
    for mapped in ADDRESSES.where(context, NetworkInterfaceId=record["NetworkInterfaceId"]):
        address.release_from(context, mapped)
    subnet = SUBNETS.find(context, record["SubnetId"])
    if subnet is not None:
        taken = [item["PrivateIpAddress"] for item in record["PrivateIpAddresses"]]
        private_addresses.give_back(context, record["SubnetId"], subnet["CidrBlock"], taken)
    NETWORK_INTERFACES.delete(context, record["NetworkInterfaceId"])


def _mac(identifier: str) -> str:
    digest = hashlib.sha256(identifier.encode()).hexdigest()
    return ":".join(["02", *(digest[start : start + 2] for start in range(0, 10, 2))])


def view(record: Record) -> Record:
    """EC2 calls an interface's tags TagSet, unlike everywhere else."""
    answer = wire(record)
    answer["TagSet"] = answer.pop("Tags")
    return answer


@operation("ec2", "CreateNetworkInterface")
def create_network_interface(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """One that a service asks for (source "service") is managed: attached from the start, and not the account's to delete."""
    check_dry_run(params)
    interface_tags = tags.from_specifications(context, params, "network-interface")
    subnet = SUBNETS.get(context, params["SubnetId"])
    group_ids = params.get("Groups") or [
        group["GroupId"] for group in SECURITY_GROUPS.where(context, VpcId=subnet["VpcId"], GroupName="default")
    ]
    description, interface_type = params.get("Description", ""), params.get("InterfaceType", "interface")
    count = 1 + (params.get("SecondaryPrivateIpAddressCount") or 0)
    if context.source == "service":
        record = make_managed(
            context,
            subnet["SubnetId"],
            group_ids,
            description=description,
            requester="amazon-eks" if description.startswith("Amazon EKS") else "amazon-aws",
            interface_type=interface_type,
            address_count=count,
            interface_tags=interface_tags,
        )
    else:
        record = make(
            context,
            subnet["SubnetId"],
            group_ids,
            description=description,
            interface_type=interface_type,
            address_count=count,
            private_ip=params.get("PrivateIpAddress"),
            interface_tags=interface_tags,
        )
    return {"NetworkInterface": view(record)}


@operation("ec2", "DescribeNetworkInterfaces")
def describe_network_interfaces(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = NETWORK_INTERFACES.select(context, params.get("NetworkInterfaceIds"), params.get("Filters"))
    return {"NetworkInterfaces": [view(record) for record in found]}


@operation("ec2", "ModifyNetworkInterfaceAttribute")
def modify_network_interface_attribute(context: Context, params: dict[str, Any]) -> None:
    record = NETWORK_INTERFACES.get(context, params["NetworkInterfaceId"])
    if params.get("Groups"):
        groups = [SECURITY_GROUPS.get(context, group_id) for group_id in params["Groups"]]
        record["Groups"] = [{"GroupId": group["GroupId"], "GroupName": group["GroupName"]} for group in groups]
    if params.get("Description") is not None:
        record["Description"] = params["Description"].get("Value", "")
    if params.get("SourceDestCheck") is not None:
        record["SourceDestCheck"] = bool(params["SourceDestCheck"].get("Value"))
    NETWORK_INTERFACES.put(context, record)


@operation("ec2", "DetachNetworkInterface")
def detach_network_interface(context: Context, params: dict[str, Any]) -> None:
    for record in NETWORK_INTERFACES.all(context):
        attachment = record.get("Attachment")
        if attachment and attachment["AttachmentId"] == params["AttachmentId"]:
            if record["RequesterManaged"] and context.source == "api":
                raise AWSError("OperationNotPermitted", f"You are not allowed to manage '{record['RequesterId']}' attachments.")
            del record["Attachment"]
            record["Status"] = "available"
            NETWORK_INTERFACES.put(context, record)
            return
    raise AWSError("InvalidAttachmentID.NotFound", f"The networkInterfaceAttachment ID '{params['AttachmentId']}' does not exist")


@operation("ec2", "DeleteNetworkInterface")
def delete_network_interface(context: Context, params: dict[str, Any]) -> None:
    """Errors: InvalidNetworkInterface.InUse while it is attached."""
    check_dry_run(params)
    record = NETWORK_INTERFACES.get(context, params["NetworkInterfaceId"])
    identifier = record["NetworkInterfaceId"]
    if record.get("Attachment") and context.source != "service":
        raise AWSError("InvalidNetworkInterface.InUse", f"Network interface '{identifier}' is currently in use.")
    _remove(context, record)
