"""The status of a pod as its kubelet reports it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sandbox.kube.kubelet.container import Container
from sandbox.kube.kubelet.times import text_of


def phase(init: Sequence[Container], main: Sequence[Container]) -> str:
    failed_init = any(container.ended.is_set() and container.exit_code not in (0, None) for container in init if not container.sidecar)
    if failed_init:
        return "Failed"
    if all(container.ended.is_set() and container.exit_code is not None for container in main):
        return "Succeeded" if all(container.exit_code == 0 for container in main) else "Failed"
    if any("waiting" not in container.state or container.restarts for container in main):
        return "Running"
    return "Pending"


def build(
    init: Sequence[Container], main: Sequence[Container], *, pod_ip: str, host_ip: str, started: str, generation: int | None
) -> dict[str, Any]:
    """`started`: when the kubelet took the pod, RFC 3339."""
    current = phase(init, main)
    unready = [container.name for container in main if not container.ready]
    incomplete = [container.name for container in init if not (container.ready or container.exit_code == 0 or container.started)]
    done = current in ("Succeeded", "Failed")
    body: dict[str, Any] = {
        "phase": current,
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": started,
        "conditions": [
            _condition("PodReadyToStartContainers", bool(pod_ip) and not done, ""),
            _condition(
                "Initialized", not incomplete, f"containers with incomplete status: [{' '.join(incomplete)}]", "ContainersNotInitialized"
            ),
            *(_readiness(kind, current, unready) for kind in ("ContainersReady", "Ready")),
        ],
        "containerStatuses": [container.status() for container in main],
    }
    if generation is not None:
        body["observedGeneration"] = generation
    if init:
        body["initContainerStatuses"] = [container.status() for container in init]
    if pod_ip:
        body |= {"podIP": pod_ip, "podIPs": [{"ip": pod_ip}]}
    return body


def _readiness(kind: str, current: str, unready: list[str]) -> dict[str, Any]:
    if current in ("Succeeded", "Failed"):
        return _condition(kind, False, "", "PodCompleted" if current == "Succeeded" else "PodFailed")
    return _condition(kind, not unready, f"containers with unready status: [{' '.join(unready)}]", "ContainersNotReady")


def _condition(kind: str, holds: bool, message: str, reason: str = "") -> dict[str, Any]:
    return {
        "type": kind,
        "status": "True" if holds else "False",
        "reason": None if holds else reason or None,
        "message": None if holds else message or None,
        "lastTransitionTime": text_of(time.time()),
    }


def keep_transition_times(status: dict[str, Any], before: dict[str, Any] | None) -> None:
    """A condition that did not change keeps the time of its last change."""
    earlier = {item["type"]: item for item in (before or {}).get("conditions", [])}
    for item in status["conditions"]:
        old = earlier.get(item["type"])
        if old is not None and old["status"] == item["status"]:
            item["lastTransitionTime"] = old["lastTransitionTime"]
