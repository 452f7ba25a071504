"""A launch template's data and CreateNodegroup's parameters, of what was asked for and where it goes.

Always by a launch template, since the machines must be in the security group of HyperPod's nodes besides EKS's own: pods of one
kind of node would not reach those of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusters.node_groups.spec import NewNodeGroup, NodeCapacity

_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}
_CAPACITIES = {NodeCapacity.ON_DEMAND: "ON_DEMAND", NodeCapacity.SPOT: "SPOT", NodeCapacity.CAPACITY_BLOCK: "CAPACITY_BLOCK"}


@dataclass(frozen=True)
class Place:
    """subnets: where the nodes go. zones: theirs, by name. security_groups: EKS's own first."""

    subnets: tuple[str, ...]
    zones: tuple[str, ...]
    security_groups: tuple[str, ...]


def template_data(asked: NewNodeGroup, place: Place, efa: int) -> dict[str, Any]:
    """efa: EFA interfaces of the type, 0 where none are asked for."""
    disk = {"VolumeSize": asked.volume_gb, "VolumeType": "gp3", "Encrypted": True, "DeleteOnTermination": True}
    data: dict[str, Any] = {
        "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": disk}],
        # With one hop, pods don't reach the credentials of their node.
        "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
    }
    if efa:
        data["NetworkInterfaces"] = [
            {
                "NetworkCardIndex": card,
                "DeviceIndex": 1 if card else 0,
                "InterfaceType": "efa",
                "Groups": list(place.security_groups),
                "DeleteOnTermination": True,
            }
            for card in range(efa)
        ]
    else:
        data["SecurityGroupIds"] = list(place.security_groups)
    if asked.capacity is NodeCapacity.CAPACITY_BLOCK:
        data["InstanceType"] = asked.instance_types[0]
        data["InstanceMarketOptions"] = {"MarketType": "capacity-block"}
        data["CapacityReservationSpecification"] = {"CapacityReservationTarget": {"CapacityReservationId": asked.capacity_reservation}}
    return data


def create_request(asked: NewNodeGroup, place: Place, role_arn: str) -> dict[str, Any]:
    """Without names, template, tags and token."""
    request: dict[str, Any] = {
        "scalingConfig": {"minSize": asked.minimum, "maxSize": asked.maximum, "desiredSize": asked.desired},
        "subnets": list(place.subnets),
        "nodeRole": role_arn,
        "capacityType": _CAPACITIES[asked.capacity],
    }
    if asked.capacity is not NodeCapacity.CAPACITY_BLOCK:
        request["instanceTypes"] = list(asked.instance_types)
    if asked.labels:
        request["labels"] = dict(asked.labels)
    if asked.taints:
        request["taints"] = [
            {"key": one.key, "effect": _EFFECTS[one.effect], **({"value": one.value} if one.value else {})} for one in asked.taints
        ]
    return request


def scaling(before: Mapping[str, int], given: Mapping[str, int | None]) -> dict[str, int]:
    """minimum, maximum, desired with what was given in their place."""
    return {name: value if (value := given.get(name)) is not None else before[name] for name in before}


def changed(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """scalingConfig with what differs alone."""
    members = {"minimum": "minSize", "maximum": "maxSize", "desired": "desiredSize"}
    return {members[name]: value for name, value in after.items() if before[name] != value}


def largest(types: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Of DescribeInstanceTypes' answers the one with the most vCPUs: what a group may take at most."""
    return max(types, key=lambda one: int(one["VCpuInfo"]["DefaultVCpus"]), default=None)
