"""Pods as the watch cache holds them, made here: worlds that are too large, or too ill, for a cluster of a test's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from clusters.diagnosis.gathering import kubernetes
from clusters.models import Cluster
from instantstart.kube import cache
from instantstart.kube.cache import Snapshot
from instantstart.kube.target import KubeTarget

ILLS: dict[str, dict[str, Any]] = {
    "CrashLoopBackOff": {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}},
    "ImagePullBackOff": {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image registry.example/x:1"}}},
    "OOMKilled": {"state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}},
}


def pod(name: str, now: datetime, *, ill: str = "", node: str = "", job: str = "", message: str = "", age: float = 3600) -> dict[str, Any]:
    """A pod of the Job, of none for "". ill: "" (it runs), one of ILLS, or "Unschedulable"."""
    made = (now - timedelta(seconds=age)).isoformat()
    metadata: dict[str, Any] = {"namespace": "default", "name": name, "creationTimestamp": made}
    if job:
        metadata["ownerReferences"] = [{"kind": "Job", "name": job, "controller": True}]
    conditions = [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "False" if ill else "True"}]
    status: dict[str, Any] = {"phase": "Running", "conditions": conditions}
    if ill == "Unschedulable":
        text = message or "0/1000 nodes are available: 1000 Insufficient nvidia.com/gpu."
        scheduled = {"type": "PodScheduled", "status": "False", "reason": ill, "message": text, "lastTransitionTime": made}
        return {"kind": "Pod", "metadata": metadata, "spec": {}, "status": {"phase": "Pending", "conditions": [scheduled]}}
    if ill:
        state = {kind: {**told, **({"message": message} if message else {})} for kind, told in ILLS[ill]["state"].items()}
        status["containerStatuses"] = [{"name": "main", "restartCount": 3, "state": state}]
    return {"kind": "Pod", "metadata": metadata, "spec": {"nodeName": node}, "status": status}


@dataclass
class Watched:
    """In place of a ClusterCache, and of the API behind it."""

    pods_held: list[dict[str, Any]] = field(default_factory=list)
    complete: bool = True
    error: str = ""
    target: KubeTarget | None = None

    def nodes(self, wait: float = 0.0) -> Snapshot:
        return Snapshot((), self.complete, 1.0, self.error)

    def pods(self, wait: float = 0.0) -> Snapshot:
        return Snapshot(tuple(self.pods_held), self.complete, 1.0 if self.complete else None, self.error)

    def warnings(self, wait: float = 0.0) -> Snapshot:
        return Snapshot((), self.complete, 1.0, self.error)

    def list(self, *kind: str, **selectors: str) -> list[dict[str, Any]]:
        return []


def watch(monkeypatch: pytest.MonkeyPatch, cluster: Cluster, pods: list[dict[str, Any]]) -> Watched:
    """The cluster's Kubernetes, from now on."""
    Cluster.objects.filter(pk=cluster.pk).update(endpoint="https://127.0.0.1:1")
    watched = Watched(pods)
    monkeypatch.setattr(cache, "of", lambda target: watched)
    monkeypatch.setattr(kubernetes.kube, "connect", lambda target: watched)
    return watched
