"""From apiVersion and kind to the path of the REST API: a table for the usual kinds, discovery for the rest."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from instantstart.kube import errors
from instantstart.kube.errors import KubeError

if TYPE_CHECKING:
    from instantstart.kube.transport import Transport


@dataclass(frozen=True)
class Resource:
    """plural: the name in paths. namespaced: whether objects live in namespaces."""

    plural: str
    namespaced: bool


BUILT_IN: dict[tuple[str, str], Resource] = {
    ("v1", "Namespace"): Resource("namespaces", False),
    ("v1", "Node"): Resource("nodes", False),
    ("v1", "PersistentVolume"): Resource("persistentvolumes", False),
    ("v1", "PersistentVolumeClaim"): Resource("persistentvolumeclaims", True),
    ("v1", "Pod"): Resource("pods", True),
    ("v1", "Service"): Resource("services", True),
    ("v1", "ServiceAccount"): Resource("serviceaccounts", True),
    ("v1", "Secret"): Resource("secrets", True),
    ("v1", "ConfigMap"): Resource("configmaps", True),
    ("v1", "Event"): Resource("events", True),
    ("apps/v1", "Deployment"): Resource("deployments", True),
    ("apps/v1", "DaemonSet"): Resource("daemonsets", True),
    ("apps/v1", "StatefulSet"): Resource("statefulsets", True),
    ("apps/v1", "ReplicaSet"): Resource("replicasets", True),
    ("batch/v1", "Job"): Resource("jobs", True),
    ("batch/v1", "CronJob"): Resource("cronjobs", True),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): Resource("clusterroles", False),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): Resource("clusterrolebindings", False),
    ("rbac.authorization.k8s.io/v1", "Role"): Resource("roles", True),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): Resource("rolebindings", True),
    ("storage.k8s.io/v1", "StorageClass"): Resource("storageclasses", False),
    ("storage.k8s.io/v1", "CSIDriver"): Resource("csidrivers", False),
    ("storage.k8s.io/v1", "CSINode"): Resource("csinodes", False),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): Resource("customresourcedefinitions", False),
}

_DISCOVERY_SECONDS = 300.0
_discovered: dict[tuple[str, str], tuple[float, dict[str, Resource]]] = {}
_lock = threading.Lock()


def root(api_version: str) -> str:
    """Path of the group and version: "/api/v1", "/apis/apps/v1"."""
    return f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"


def resource(transport: Transport, api_version: str, kind: str) -> Resource:
    """KubeError "NoSuchKind" when the server answers and knows no such kind (its CRD isn't installed)."""
    known = BUILT_IN.get((api_version, kind))
    if known is not None:
        return known
    key = (transport.target.endpoint, api_version)
    with _lock:
        kept = _discovered.get(key)
    if kept is not None and kind in kept[1] and time.monotonic() - kept[0] < _DISCOVERY_SECONDS:
        return kept[1][kind]
    found = _discover(transport, api_version)
    with _lock:
        _discovered[key] = (time.monotonic(), found)
    if kind not in found:
        raise KubeError(f"GET {root(api_version)}", errors.NO_SUCH_KIND, f"The cluster knows no {kind} in {api_version}.", 404, sent=True)
    return found[kind]


def vanished(transport: Transport, api_version: str, kind: str) -> bool:
    """Whether the server, asked anew, no longer knows the kind: its definition went since it was discovered."""
    if (api_version, kind) in BUILT_IN:
        return False
    found = _discover(transport, api_version)
    with _lock:
        _discovered[(transport.target.endpoint, api_version)] = (time.monotonic(), found)
    return kind not in found


def _discover(transport: Transport, api_version: str) -> dict[str, Resource]:
    try:
        said = transport.json("GET", root(api_version))
    except KubeError as error:
        if error.status == 404 and "/" in api_version and _group_is_absent(transport, api_version):
            return {}
        raise
    return {
        str(item["kind"]): Resource(str(item["name"]), bool(item["namespaced"]))
        for item in said.get("resources", [])
        if "/" not in item["name"]  # subresources
    }


def _group_is_absent(transport: Transport, api_version: str) -> bool:
    """A 404 alone may come from a proxy: the list of groups is what proves it."""
    groups = transport.json("GET", "/apis")
    if groups.get("kind") != "APIGroupList":
        return False
    return not any(version["groupVersion"] == api_version for group in groups.get("groups", []) for version in group.get("versions", []))


def path(found: Resource, api_version: str, namespace: str, name: str = "") -> str:
    """Path of an object, or of all when `name` is empty; of all namespaces when `namespace` is."""
    parts = [root(api_version)]
    if found.namespaced and namespace:
        parts.append(f"namespaces/{quote(namespace, safe='')}")
    parts.append(found.plural)
    if name:
        parts.append(quote(name, safe=""))
    return "/".join(parts)
