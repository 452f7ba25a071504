"""Instances of the account: those of EKS node groups. HyperPod's run in the service's own account, so none of them is shown here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import launch_template, network_interface, tags
from sandbox.aws.ec2.instance_types import INSTANCE_TYPES, offered
from sandbox.aws.ec2.table import Record, wire
from sandbox.aws.ec2.tables import INSTANCES, NETWORK_INTERFACES, SUBNETS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.service_quotas.values import value_of

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_BUCKETS = {
    # family's first letters: (on demand, Spot); source: EC2 User Guide, "On-Demand Instance quotas" and "Spot Instance limits"
    "p": ("L-417A185B", "L-7212CCBC"),
    "g": ("L-DB2E81BA", "L-3819A6DF"),
    "trn": ("L-2C3B7624", "L-6B0D517C"),
    "": ("L-1216C47A", "L-34B43A08"),
}
_ADDRESSES = 10
"""Of the first interface, as on a machine of up to 16 vCPUs: its own and those that the VPC CNI keeps for pods."""


def quota_code(instance_type: str, *, spot: bool) -> str:
    """The vCPU quota that a running instance counts against."""
    bucket = next((name for name in _BUCKETS if name and instance_type.startswith(name)), "")
    return _BUCKETS[bucket][int(spot)]


def launch(
    context: Context,
    instance_type: str,
    subnet_id: str,
    group_ids: list[str],
    *,
    market: str = "ON_DEMAND",
    template: dict[str, Any] | None = None,
    instance_tags: dict[str, str] | None = None,
) -> Record:
    """A running instance with its interfaces. Errors: no capacity, vCPU quota, subnet full, a reservation that is used up."""
    subnet = SUBNETS.get(context, subnet_id)
    zone = subnet["AvailabilityZone"]
    reservation = launch_template.reservation(context, template or {})
    _check_capacity(context, instance_type, subnet, reservation)
    if reservation is None:
        _check_quota(context, instance_type, spot=market == "SPOT")
    group_ids = launch_template.security_groups(template or {}) or group_ids
    identifier = INSTANCES.new_id(context)
    known = INSTANCE_TYPES[instance_type]
    with context.world.database.transaction():
        made = [
            _attached(context, identifier, index, subnet_id, group_ids, efa)
            for index, efa in enumerate(launch_template.interfaces(template or {}) or [False])
        ]
    record: Record = {
        "InstanceId": identifier,
        "InstanceType": instance_type,
        "ImageId": "ami-0" + identifier[-16:],
        "LaunchTime": context.timestamp,
        "State": {"Code": 16, "Name": "running"},
        "Placement": {"AvailabilityZone": zone, "Tenancy": "default"},
        "SubnetId": subnet_id,
        "VpcId": subnet["VpcId"],
        "PrivateIpAddress": made[0]["PrivateIpAddress"],
        "PrivateDnsName": made[0]["PrivateDnsName"],
        "SecurityGroups": made[0]["Groups"],
        "Architecture": "arm64" if known.arm else "x86_64",
        "CpuOptions": {"CoreCount": known.vcpus // known.threads_per_core, "ThreadsPerCore": known.threads_per_core},
        "Tags": [{"Key": key, "Value": value} for key, value in (instance_tags or {}).items()],
        "interfaces": [one["NetworkInterfaceId"] for one in made],
    }
    lifecycle = {"SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}.get(market)
    if lifecycle:
        record["InstanceLifecycle"] = lifecycle
    if reservation is not None:
        record["CapacityReservationId"] = reservation["CapacityReservationId"]
    tags.check(context, record["Tags"])
    INSTANCES.put(context, record)
    return record


def _attached(context: Context, instance_id: str, index: int, subnet_id: str, group_ids: list[str], efa: bool) -> Record:
    """An interface of the instance; the first holds the addresses of pods as well, as the VPC CNI takes them."""
    made = network_interface.make(
        context, subnet_id, group_ids, interface_type="efa" if efa else "interface", address_count=1 if index else _ADDRESSES
    )
    made |= {
        "Status": "in-use",
        "Attachment": {
            "AttachmentId": context.new_id("eni-attach"),
            "AttachTime": context.timestamp,
            "DeleteOnTermination": True,
            "DeviceIndex": min(index, 1),
            "NetworkCardIndex": index,
            "InstanceId": instance_id,
            "InstanceOwnerId": context.account,
            "Status": "attached",
        },
    }
    NETWORK_INTERFACES.put(context, made)
    return made


def terminate(context: Context, instance_id: str) -> None:
    """Gone at once, though EC2 shows it as terminated for a while."""
    record = INSTANCES.find(context, instance_id)
    if record is not None:
        for interface in record["interfaces"]:
            network_interface.delete_managed(context, interface)
        INSTANCES.delete(context, instance_id)


def _check_capacity(context: Context, instance_type: str, subnet: Record, reservation: Record | None) -> None:
    zone = subnet["AvailabilityZone"]
    if reservation is not None:
        used = len(INSTANCES.where(context, CapacityReservationId=reservation["CapacityReservationId"]))
        if reservation["State"] != "active" or used >= reservation["TotalInstanceCount"]:
            raise AWSError(
                "ReservationCapacityExceeded",
                f"The requested reservation {reservation['CapacityReservationId']} does not have sufficient compatible and available "
                "capacity for this request.",
            )
        return
    if not offered(context.region, zone, instance_type):
        raise AWSError(
            "Unsupported", f"Your requested instance type ({instance_type}) is not supported in your requested Availability Zone ({zone})."
        )
    shortage = context.world.faults.scenario("capacity_shortage", zone=zone, instance_type=instance_type)
    if shortage is not None and len(_running(context, instance_type, zone)) >= int(shortage.get("available") or 0):
        raise AWSError(
            "InsufficientInstanceCapacity",
            f"We currently do not have sufficient {instance_type} capacity in the Availability Zone you requested ({zone}). Our system "
            "will be working on provisioning additional capacity.",
        )


def _running(context: Context, instance_type: str, zone: str) -> list[Record]:
    return [one for one in INSTANCES.where(context, InstanceType=instance_type) if one["Placement"]["AvailabilityZone"] == zone]


def _check_quota(context: Context, instance_type: str, *, spot: bool) -> None:
    code = quota_code(instance_type, spot=spot)
    limit = value_of(context, "ec2", code)
    used = sum(
        INSTANCE_TYPES[one["InstanceType"]].vcpus
        for one in INSTANCES.all(context)
        if "CapacityReservationId" not in one and quota_code(one["InstanceType"], spot="InstanceLifecycle" in one) == code
    )
    if limit is not None and used + INSTANCE_TYPES[instance_type].vcpus > limit:
        if spot:
            raise AWSError("MaxSpotInstanceCountExceeded", "Max spot instance count exceeded")
        raise AWSError(
            "VcpuLimitExceeded",
            f"You have requested more vCPU capacity than your current vCPU limit of {int(limit)} allows for the instance bucket that the "
            "specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to request an adjustment to "
            "this limit.",
        )


@operation("ec2", "DescribeInstances")
def describe_instances(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = INSTANCES.select(context, params.get("InstanceIds"), params.get("Filters"))
    return {
        "Reservations": [
            {"ReservationId": "r-" + one["InstanceId"][2:], "OwnerId": context.account, "Groups": [], "Instances": [wire(one)]}
            for one in found
        ]
    }


@operation("ec2", "DescribeInstanceStatus")
def describe_instance_status(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = INSTANCES.select(context, params.get("InstanceIds"), params.get("Filters"))
    well = {"Status": "ok", "Details": [{"Name": "reachability", "Status": "passed"}]}
    return {
        "InstanceStatuses": [
            {
                "InstanceId": one["InstanceId"],
                "AvailabilityZone": one["Placement"]["AvailabilityZone"],
                "InstanceState": one["State"],
                "InstanceStatus": well,
                "SystemStatus": well,
            }
            for one in found
        ]
    }
