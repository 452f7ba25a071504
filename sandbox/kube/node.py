"""What a simulated machine tells its cluster when it joins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Taint:
    key: str
    value: str = ""
    effect: str = "NoSchedule"


@dataclass(frozen=True)
class NodeSpec:
    """One Kubernetes node, as its kubelet would register it.

    `capacity` holds Kubernetes quantities ({"cpu": "192", "memory": "2048Gi", "pods": "110", "nvidia.com/gpu": "8"}); the
    allocatable amounts are derived from it. `ip` is the machine's address in its subnet, `subnet` that subnet's CIDR: pods get
    their addresses from it, as with the VPC CNI. With `needs_cni` the node stays NotReady until a vpc-cni pod runs on it.
    Labels given here win over those the kubelet adds itself (os, arch, hostname, instance type, zone, region).
    """

    name: str
    instance_id: str
    instance_type: str
    zone: str
    ip: str
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    capacity: Mapping[str, str] = field(default_factory=dict)
    provider_id: str = ""
    subnet: str = ""
    needs_cni: bool = False
