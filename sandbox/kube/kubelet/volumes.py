"""What a pod's volumes wait for, in the kubelet's own words."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from sandbox.kube.client import Client
from sandbox.kube.protocol import Manifest


def claims(pod: Manifest) -> list[tuple[str, str]]:
    """(volume, claim) of the pod's volumes that have a PersistentVolumeClaim."""
    found = []
    for volume in pod["spec"].get("volumes") or []:
        if "persistentVolumeClaim" in volume:
            found.append((volume["name"], volume["persistentVolumeClaim"]["claimName"]))
        elif "ephemeral" in volume:
            found.append((volume["name"], f"{pod['metadata']['name']}-{volume['name']}"))
    return found


def references(pod: Manifest) -> list[tuple[str, str, str]]:
    """(kind, name, volume) of the ConfigMaps and Secrets that must be there; volume is empty for environment variables."""
    found: dict[tuple[str, str, str], None] = {}
    spec = pod["spec"]
    for volume in spec.get("volumes") or []:
        for kind, key, name_field in (("ConfigMap", "configMap", "name"), ("Secret", "secret", "secretName")):
            source = volume.get(key)
            if source and not source.get("optional") and source.get(name_field):
                found[kind, source[name_field], volume["name"]] = None
    for container in [*(spec.get("initContainers") or []), *spec["containers"]]:
        sources: list[dict[str, Any]] = [*(container.get("envFrom") or [])]
        sources += [variable["valueFrom"] for variable in container.get("env") or [] if variable.get("valueFrom")]
        for source in sources:
            for kind, keys in (("ConfigMap", ("configMapRef", "configMapKeyRef")), ("Secret", ("secretRef", "secretKeyRef"))):
                for key in keys:
                    reference = source.get(key)
                    if reference and not reference.get("optional") and reference.get("name"):
                        found[kind, reference["name"], ""] = None
    return [*found]


async def blocker(client: Client, pod: Manifest, drivers: Container[str]) -> str:
    """Why the pod's volumes cannot be mounted on a node with these CSI drivers; empty when they can."""
    namespace = pod["metadata"]["namespace"]
    for volume, claim_name in claims(pod):
        claim = await client.get("v1", "PersistentVolumeClaim", claim_name, namespace)
        if claim is None:
            return f'MountVolume.SetUp failed for volume "{volume}" : persistentvolumeclaim "{claim_name}" not found'
        volume_name = claim["spec"].get("volumeName")
        if not volume_name or (claim.get("status") or {}).get("phase") != "Bound":
            return f'MountVolume.SetUp failed for volume "{volume}" : persistentvolumeclaim "{claim_name}" is not bound'
        persistent = await client.get("v1", "PersistentVolume", volume_name)
        if persistent is None:
            return f'MountVolume.SetUp failed for volume "{volume}" : persistentvolume "{volume_name}" not found'
        driver = (persistent["spec"].get("csi") or {}).get("driver", "")
        if driver and driver not in drivers:
            return (
                f'MountVolume.SetUp failed for volume "{volume_name}" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: '
                f"driver name {driver} not found in the list of registered CSI drivers"
            )
    for kind, name, volume in references(pod):
        if await client.get("v1", kind, name, namespace) is None:
            missing = f'{kind.lower()} "{name}" not found'
            return f'MountVolume.SetUp failed for volume "{volume}" : {missing}' if volume else f"Error: {missing}"
    return ""


def waits_for_something(pod: Manifest) -> bool:
    return bool(claims(pod) or references(pod))
