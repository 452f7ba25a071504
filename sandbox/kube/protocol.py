"""What the AWS side of the sandbox may ask of its Kubernetes side. Structural: nothing here imports the implementation.

A cluster is named by its *cluster key* everywhere: "account/region/name".
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sandbox.kube.node import NodeSpec

Manifest = dict[str, Any]
PatchType = Literal["merge", "strategic", "json"]


class KubeError(Exception):
    """An answer of the Kubernetes API other than success, or no answer.

    `code` is the Status reason ("NotFound", "AlreadyExists", "Conflict", "Forbidden", "Invalid" …), "Unreachable" when there was
    no answer; `status` is the HTTP status, 0 without one.
    """

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status


@dataclass(frozen=True)
class KubeEndpoint:
    """What DescribeCluster tells of a cluster's API: `endpoint` "https://127.0.0.1:PORT", the CA in PEM, the OIDC issuer's URL."""

    endpoint: str
    ca_pem: str
    oidc_issuer: str


class KubeClient(Protocol):
    """The API of one cluster as `system:masters`. Manifests are plain dicts; each method raises KubeError."""

    async def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Manifest | None: ...

    async def list(self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = "") -> list[Manifest]: ...

    async def create(self, manifest: Manifest) -> Manifest: ...

    async def apply(self, manifest: Manifest, manager: str = "eks", force: bool = True) -> Manifest:
        """Server-side apply."""
        ...

    async def patch(
        self,
        api_version: str,
        kind: str,
        name: str,
        patch: Any,
        namespace: str = "",
        patch_type: PatchType = "merge",
        subresource: str = "",
    ) -> Manifest: ...

    async def delete(self, api_version: str, kind: str, name: str, namespace: str = "", propagation: str = "Background") -> bool:
        """False when it was not there."""
        ...

    async def evict(self, name: str, namespace: str) -> bool:
        """Whether the pod may go (and goes); False while a disruption budget holds it, or when it is gone."""
        ...

    def watch(
        self, api_version: str, kind: str, namespace: str = "", labels: str = "", fields: str = ""
    ) -> AsyncIterator[tuple[str, Manifest]]:
        """("ADDED" | "MODIFIED" | "DELETED", object), the existing objects first; reconnects by itself and then tells only of changes."""
        ...


class Kubelet(Protocol):
    """The nodes of all clusters."""

    async def ensure_node(self, cluster_key: str, spec: NodeSpec) -> None:
        """Register the node, or bring labels, taints and capacity of a registered one in line. Starts the control plane if needed."""
        ...

    async def remove_node(self, cluster_key: str, name: str) -> bool:
        """The machine is gone for good: the Node object is deleted, its pods end. False when there was none."""
        ...

    def lose_node(self, cluster_key: str, name: str) -> bool:
        """The machine stops answering: no lease, no pod status, no logs; Kubernetes finds out by itself. False when unknown."""
        ...

    def restore_node(self, cluster_key: str, name: str) -> bool:
        """The lost machine answers again, its pods as they were. False when unknown."""
        ...

    async def reboot_node(self, cluster_key: str, name: str) -> bool:
        """A lost machine's or a running one's containers start anew under a new boot id. False when unknown."""
        ...

    def node_names(self, cluster_key: str) -> list[str]: ...


class KubeBackend(Protocol):
    """Control planes for EKS clusters. Methods that are not coroutines only take notes; what they cause happens on the event loop."""

    @property
    def kubelet(self) -> Kubelet: ...

    def available(self) -> bool:
        """Whether the control plane's binary is there; while it is being built, EKS clusters stay CREATING."""
        ...

    def progress(self) -> str:
        """One sentence on what the binary waits for: "512 of 1460 packages built"; empty when it is available."""
        ...

    def versions(self) -> list[str]:
        """Kubernetes versions that can run, newest first: ["1.36"]."""
        ...

    def reserve(self, cluster_key: str) -> KubeEndpoint:
        """The endpoint of a cluster, the same at every call and after a restart. Starts nothing."""
        ...

    def prewarm(self, cluster_key: str) -> None:
        """Start the reserved cluster's control plane in the background, so that its first caller need not wait."""
        ...

    def release(self, cluster_key: str) -> None:
        """The cluster is deleted: its endpoint closes, its control plane is wiped and kept for the next one. Unknown keys are fine."""
        ...

    def started(self, cluster_key: str) -> bool:
        """Whether the control plane answers now."""
        ...

    async def client(self, cluster_key: str) -> KubeClient:
        """A client of the cluster; starts the control plane when it does not run. KubeError "Unreachable" when it can't start."""
        ...

    async def start(self) -> None:
        """Open the endpoints of the reserved clusters. Called once the event loop runs."""
        ...

    async def stop(self) -> None:
        """End every process. State stays on disk."""
        ...

    async def reset(self) -> None:
        """Forget every cluster and its state."""
        ...
