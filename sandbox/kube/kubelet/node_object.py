"""The Node object that a simulated machine registers."""

from __future__ import annotations

import datetime as dt
import hashlib
import uuid
from typing import Any

from sandbox.kube.binary import VERSION
from sandbox.kube.node import NodeSpec

KUBELET_PORT = 10250
LEASE_NAMESPACE = "kube-node-lease"
# Reserved for the system on an EKS node; source: the AMI's formulas, rounded.
_RESERVED_CPU_MILLI = 310
_RESERVED_MEMORY_MIB = 2048

_MEMORY_UNITS = {"Ki": 1 / 1024, "Mi": 1.0, "Gi": 1024.0, "Ti": 1024.0 * 1024}
_DEFAULT_CAPACITY = {"cpu": "8", "memory": "32Gi", "pods": "58", "ephemeral-storage": "100Gi"}


def now_text() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def labels(spec: NodeSpec) -> dict[str, str]:
    region = spec.zone.rstrip("abcdefghijklmnopqrstuvwxyz") if spec.zone else ""
    own = {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": spec.name,
        "node.kubernetes.io/instance-type": spec.instance_type,
        "beta.kubernetes.io/instance-type": spec.instance_type,
        "topology.kubernetes.io/zone": spec.zone,
        "topology.kubernetes.io/region": region,
    }
    return {name: value for name, value in own.items() if value} | dict(spec.labels)


def taints(spec: NodeSpec) -> list[dict[str, str]]:
    return [{"key": taint.key, "effect": taint.effect} | ({"value": taint.value} if taint.value else {}) for taint in spec.taints]


def node(spec: NodeSpec, *, ready: bool, boot_id: str) -> dict[str, Any]:
    body: dict[str, Any] = {"providerID": spec.provider_id or f"aws:///{spec.zone}/{spec.instance_id}"}
    if spec.taints:
        body["taints"] = taints(spec)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": spec.name,
            "labels": labels(spec),
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
        "spec": body,
        "status": status(spec, ready=ready, boot_id=boot_id),
    }


def status(spec: NodeSpec, *, ready: bool, boot_id: str) -> dict[str, Any]:
    capacity = _DEFAULT_CAPACITY | dict(spec.capacity)
    machine = hashlib.md5(spec.instance_id.encode(), usedforsecurity=False).hexdigest()
    return {
        "capacity": capacity,
        "allocatable": allocatable(capacity),
        "addresses": [
            {"type": "InternalIP", "address": spec.ip},
            {"type": "Hostname", "address": spec.name},
            {"type": "InternalDNS", "address": f"ip-{spec.ip.replace('.', '-')}.ec2.internal"},
        ],
        "conditions": conditions(ready=ready),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": KUBELET_PORT}},
        # exec and attach arrive as plain WebSockets instead of SPDY
        "declaredFeatures": ["ExtendWebSocketsToKubelet"],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": boot_id,
            "containerRuntimeVersion": "containerd://2.1.4",
            "kernelVersion": "6.1.141-155.222.amzn2023.x86_64",
            "kubeProxyVersion": "",
            "kubeletVersion": f"{VERSION}-eks-sandbox",
            "machineID": machine,
            "operatingSystem": "linux",
            "osImage": "Amazon Linux 2023 (simulated)",
            "systemUUID": str(uuid.UUID(machine)),
        },
    }


def conditions(*, ready: bool) -> list[dict[str, str]]:
    now = now_text()
    found = [
        _condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available", now),
        _condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", now),
        _condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", now),
    ]
    if ready:
        found.append(_condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", now))
    else:
        message = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message: cni plugin not initialized"
        found.append(_condition("Ready", "False", "KubeletNotReady", message, now))
    return found


def _condition(kind: str, value: str, reason: str, message: str, now: str) -> dict[str, str]:
    return {
        "type": kind,
        "status": value,
        "reason": reason,
        "message": message,
        "lastHeartbeatTime": now,
        "lastTransitionTime": now,
    }


def lease(name: str, owner_uid: str) -> dict[str, Any]:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name,
            "namespace": LEASE_NAMESPACE,
            "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": name, "uid": owner_uid}],
        },
        "spec": {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": micro_time()},
    }


def micro_time() -> str:
    return dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def allocatable(capacity: dict[str, str]) -> dict[str, str]:
    """What is left for pods; quantities that are not understood are passed on whole."""
    found = dict(capacity)
    if capacity["cpu"].isdigit():
        found["cpu"] = f"{int(capacity['cpu']) * 1000 - _RESERVED_CPU_MILLI}m"
    amount, unit = capacity["memory"][:-2], capacity["memory"][-2:]
    if unit in _MEMORY_UNITS and amount.isdigit():
        mebibytes = int(amount) * _MEMORY_UNITS[unit]
        found["memory"] = f"{int(mebibytes - min(_RESERVED_MEMORY_MIB, mebibytes / 10))}Mi"
    return found
