"""What Deployments and DaemonSets tell: which lack pods, and which device plugins are there."""

from __future__ import annotations

from typing import Any

from sandbox.kube.protocol import KubeClient, Manifest

# Part of an image's name, and the resource that the plugin offers on its nodes
_PLUGINS = {
    "nvidia/k8s-device-plugin": "nvidia.com/gpu",
    "aws-efa-k8s-device-plugin": "vpc.amazonaws.com/efa",
    "neuron-device-plugin": "aws.amazon.com/neuron",
}

Key = tuple[str, str, str]  # kind, namespace, name


class Workloads:
    """A cluster's Deployments and DaemonSets at one moment."""

    def __init__(self, objects: dict[Key, Manifest]) -> None:
        self._objects = objects

    def missing(self, key: Key) -> int:
        """Pods it wants and does not have Ready; all of them while the object itself is not seen yet."""
        found = self._objects.get(key)
        if found is None:
            return 1
        status = found.get("status", {})
        if status.get("observedGeneration", 0) < found["metadata"].get("generation", 0):
            return 1
        if key[0] == "DaemonSet":
            return int(status.get("desiredNumberScheduled", 0) - status.get("numberReady", 0))
        return int(found["spec"].get("replicas", 1) - status.get("readyReplicas", 0))

    def plugged(self) -> frozenset[str]:
        """Extended resources whose device plugin runs on at least one node."""
        offered: set[str] = set()
        for (kind, _, _), found in self._objects.items():
            if kind == "DaemonSet" and found.get("status", {}).get("numberReady", 0) > 0:
                offered.update(resource for part, resource in _PLUGINS.items() if any(part in image for image in _images(found)))
        return frozenset(offered)


async def read(client: KubeClient) -> Workloads:
    objects: dict[Key, Manifest] = {}
    for kind in ("Deployment", "DaemonSet"):
        for found in await client.list("apps/v1", kind):
            objects[kind, found["metadata"]["namespace"], found["metadata"]["name"]] = found
    return Workloads(objects)


def _images(workload: Manifest) -> list[str]:
    containers: list[dict[str, Any]] = workload["spec"]["template"]["spec"]["containers"]
    return [container.get("image", "") for container in containers]
