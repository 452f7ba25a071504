"""From a claim to a node that works, and from a claim that goes to a node that is gone."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sandbox.kube.controllers import machines
from sandbox.kube.controllers.karpenter import pods
from sandbox.kube.controllers.karpenter.amounts import numbers, wanting
from sandbox.kube.controllers.karpenter.hyperpod import HyperPod
from sandbox.kube.controllers.karpenter.names import (
    CAPACITY_LABEL,
    CORE_API,
    DISRUPTED_TAINT,
    FINALIZER,
    INITIALIZED_LABEL,
    LOGICAL_ID,
    NODE_CLAIM,
    POOL_LABEL,
    REGISTERED_LABEL,
)
from sandbox.kube.controllers.karpenter.objects import Condition, conditions, going, labels_of, logical_id, ready, wanted_of
from sandbox.kube.controllers.karpenter.offerings import Offering
from sandbox.kube.controllers.karpenter.snapshot import Snapshot, node_ready
from sandbox.kube.protocol import KubeClient, Manifest

_DISRUPTED = {"key": DISRUPTED_TAINT, "effect": "NoSchedule"}


class Claims:
    """`rows`: HyperPod's nodes by logical id."""

    def __init__(
        self, client: KubeClient, hyperpod: HyperPod, cluster: dict[str, Any], rows: dict[str, dict[str, Any]], seen: Snapshot
    ) -> None:
        self._client, self._hyperpod, self._cluster, self._rows, self._seen = client, hyperpod, cluster, rows, seen

    @staticmethod
    async def note(client: KubeClient, claim: Manifest, found: str, offering: Offering) -> None:
        """Which node was asked for, and what it will have."""
        name = claim["metadata"]["name"]
        await client.patch(CORE_API, NODE_CLAIM, name, {"metadata": {"annotations": {LOGICAL_ID: found}}})
        await client.patch(CORE_API, NODE_CLAIM, name, {"status": {"capacity": dict(offering.capacity)}}, subresource="status")

    @staticmethod
    async def tell(client: KubeClient, pod: Manifest, message: str) -> None:
        """An event on a pod, one that is written over."""
        metadata = pod["metadata"]
        now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        await client.apply(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"{metadata['name']}.karpenter", "namespace": metadata["namespace"]},
                "involvedObject": {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": metadata["name"],
                    "namespace": metadata["namespace"],
                    "uid": metadata["uid"],
                },
                "reason": "FailedScheduling",
                "message": message[:1024],
                "type": "Warning",
                "source": {"component": "karpenter"},
                "lastTimestamp": now,
            },
            manager="karpenter",
        )

    async def tend(self, claim: Manifest) -> str:
        """The next thing for the claim; why no node will come of it, "" while one may."""
        row = self._rows.get(logical_id(claim))
        node = self._seen.nodes.get(machines.name_of(row)) if row is not None and row["instance_id"] else None
        if going(claim):
            await self._let_go(claim, row, node)
            return ""
        if row is None or row["status"] == "ShuttingDown":
            await self._client.delete(CORE_API, NODE_CLAIM, claim["metadata"]["name"])  # somebody deleted the node
            return ""
        if not row["instance_id"] and row["attempt"]:
            return str(row["message"])
        if node is not None:
            await self._claim_node(claim, node)
        await self._report(claim, row, node)
        return ""

    async def _claim_node(self, claim: Manifest, node: Manifest) -> None:
        """A new node gets what its pool gives it: labels and taints, once."""
        if REGISTERED_LABEL in labels_of(node):
            return
        spec, name = claim["spec"], node["metadata"]["name"]
        own = {key: value for key, value in labels_of(claim).items() if key in (POOL_LABEL, CAPACITY_LABEL) or key not in labels_of(node)}
        patch: dict[str, Any] = {"metadata": {"labels": {**own, REGISTERED_LABEL: "true"}}}
        given = [*spec.get("taints", []), *spec.get("startupTaints", [])]
        if given:
            keys = {(one["key"], one["effect"]) for one in given}
            others = [one for one in node["spec"].get("taints", []) if (one["key"], one["effect"]) not in keys]
            patch["metadata"]["resourceVersion"] = node["metadata"]["resourceVersion"]  # the list is written whole
            patch["spec"] = {"taints": [*others, *given]}
        await self._client.patch("v1", "Node", name, patch)

    async def _report(self, claim: Manifest, row: dict[str, Any], node: Manifest | None) -> None:
        launched, registered = bool(row["instance_id"]), node is not None and REGISTERED_LABEL in labels_of(node)
        missing = self._uninitialized(claim, node) if registered and node is not None else ""
        parts: list[Condition] = [
            ("Launched", "True", "Launched", "")
            if launched
            else ("Launched", "Unknown", "LaunchPending", row["message"] or "HyperPod is launching an instance"),
            ("Registered", "True", "Registered", "")
            if registered
            else ("Registered", "Unknown", "NodeNotFound" if node is None else "NodeNotRegistered", "Node not registered with cluster"),
            ("Initialized", "True", "Initialized", "")
            if registered and not missing
            else (
                "Initialized",
                "Unknown",
                "NodeNotReady" if not missing else "NodeNotInitialized",
                missing or "Node not registered with cluster",
            ),
        ]
        status: dict[str, Any] = {"conditions": conditions(claim, [*parts, ready(parts)])}
        if launched:
            status["providerID"] = f"aws:///{row['zone_id']}/sagemaker/cluster/{machines.name_of(row)}"
        if node is not None:
            status |= {"nodeName": node["metadata"]["name"], "allocatable": node["status"].get("allocatable", {})}
            if registered and not missing:
                status["capacity"] = node["status"].get("capacity", {})
                if INITIALIZED_LABEL not in labels_of(node):
                    await self._client.patch("v1", "Node", node["metadata"]["name"], {"metadata": {"labels": {INITIALIZED_LABEL: "true"}}})
        before = claim.get("status") or {}
        if any(before.get(member) != value for member, value in status.items()):
            await self._client.patch(CORE_API, NODE_CLAIM, claim["metadata"]["name"], {"status": status}, subresource="status")
            claim["status"] = {**before, **status}

    @staticmethod
    def _uninitialized(claim: Manifest, node: Manifest) -> str:
        if not node_ready(node):
            return "Node is not ready"
        keys = {one["key"] for one in claim["spec"].get("startupTaints", [])}
        if left := [one["key"] for one in node["spec"].get("taints", []) if one["key"] in keys]:
            return f"Startup taint {left[0]} still exists"
        offered = numbers(node["status"].get("allocatable"))
        if lacking := [name for name in wanting(wanted_of(claim), offered) if not offered.get(name)]:
            return f"Resource {lacking[0]} was requested and is not registered"
        return ""

    # --- the end

    async def _let_go(self, claim: Manifest, row: dict[str, Any] | None, node: Manifest | None) -> None:
        """No new pods, the old ones evicted, the node deleted, and when it is gone the claim as well."""
        if node is not None and await self._drains(node):
            return
        if row is None:
            left = [one for one in claim["metadata"].get("finalizers", []) if one != FINALIZER]
            await self._client.patch(CORE_API, NODE_CLAIM, claim["metadata"]["name"], {"metadata": {"finalizers": left or None}})
        elif row["status"] != "ShuttingDown":
            self._hyperpod.delete(self._cluster, [row["logical_id"]])

    async def _drains(self, node: Manifest) -> bool:
        """Whether there are pods left to wait for."""
        name, taints = node["metadata"]["name"], node["spec"].get("taints", [])
        if not any(one["key"] == DISRUPTED_TAINT for one in taints):
            version = node["metadata"]["resourceVersion"]
            await self._client.patch(
                "v1", "Node", name, {"metadata": {"resourceVersion": version}, "spec": {"taints": [*taints, _DISRUPTED]}}
            )
            return True
        left = [pod for pod in self._seen.occupants(name) if not pods.bears(pod["spec"], _DISRUPTED)]
        for pod in left:
            if not pod["metadata"].get("deletionTimestamp"):
                await self._client.evict(pod["metadata"]["name"], pod["metadata"]["namespace"])
        return bool(left)
