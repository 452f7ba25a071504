"""Which pods are not well, and why: one verdict a pod, from what Kubernetes says of it now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from clusters.diagnosis.evidence import Level, quoted
from clusters.diagnosis.gathering.objects import moment
from clusters.diagnosis.gathering.pods import STARTING
from clusters.reading.kubernetes import condition
from clusters.reading.pods import pod_of

SLOW = timedelta(minutes=5)
"""So long a pod may take from being bound to a node until it is ready, and to go once it was told to."""
RECENT = timedelta(hours=1)
"""So long a container that ran out of memory is told of, although it runs again."""
BACK_OFF, LOOPING = timedelta(minutes=10), 2
"""The kubelet forgets a container's ends once it has run so long; so many starts make a loop of it, also while it runs."""
MESSAGE = 200
_REASON = re.compile(r"[A-Z][A-Za-z0-9]{1,60}")


@dataclass(frozen=True)
class Verdict:
    """reason: one word, Kubernetes' own where it has one. message: from outside, "" for none."""

    reason: str
    message: str
    since: datetime
    level: Level = Level.ERROR


@dataclass(frozen=True)
class UnwellPod:
    """workload: what the pod belongs to ("Job default/train"). node: its key here, or Kubernetes' name; "" for none."""

    namespace: str
    name: str
    workload: str
    node: str
    verdict: Verdict
    restarts: int

    @property
    def place(self) -> tuple[int, str, str, str, str]:
        """Its place in the list: errors first, then by reason and workload."""
        return (-self.verdict.level, self.verdict.reason, self.workload, self.namespace, self.name)


def unwell(items: Iterable[Mapping[str, Any]], keys: Mapping[str, str], now: datetime) -> list[UnwellPod]:
    """Those of these pods that are not well, in their order. keys: Kubernetes' name of a node → its key here."""
    found = []
    for item in items:
        verdict = judged(item, now)
        if verdict is not None:
            pod = pod_of(item)
            found.append(UnwellPod(pod.namespace, pod.name, quoted(pod.title, 200), keys.get(pod.node, pod.node), verdict, _restarts(item)))
    return sorted(found, key=lambda one: one.place)


def judged(item: Mapping[str, Any], now: datetime) -> Verdict | None:
    """None for a pod that is well, has ended well, or is on its way in good time."""
    metadata, status = item["metadata"], item.get("status") or {}
    phase = status.get("phase", "")
    if phase == "Succeeded":
        return None
    if metadata.get("deletionTimestamp"):
        asked = moment(metadata["deletionTimestamp"], now)
        return Verdict("Terminating", "It was told to go and is still there.", asked, Level.WARNING) if now - asked > SLOW else None
    made = moment(metadata.get("creationTimestamp"), now)
    containers = [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]
    if phase == "Failed":
        ended = next((end for one in containers if (end := (one.get("state") or {}).get("terminated") or {}).get("exitCode")), {})
        return _ended(ended, status, moment(ended.get("finishedAt") or status.get("startTime"), made))
    for one in containers:
        verdict = _container(one, made, now)
        if verdict is not None:
            return verdict
    if phase == "Pending":
        return _pending(item, made, now)
    if phase == "Running":
        return _unready(item, made, now)
    return Verdict("Unknown", quoted(f"{status.get('reason', '')} {status.get('message', '')}", MESSAGE), made)


def _ended(ended: Mapping[str, Any], status: Mapping[str, Any], at: datetime) -> Verdict:
    if status.get("reason"):
        return Verdict(_word(status["reason"], "Failed"), quoted(status.get("message", ""), MESSAGE), at)
    code = f"exit code {ended['exitCode']}" if ended else ""
    text = quoted(": ".join(part for part in (code, str(ended.get("message", ""))) if part), MESSAGE)
    return Verdict(_word(ended.get("reason"), "Failed"), text, at)


def _container(one: Mapping[str, Any], made: datetime, now: datetime) -> Verdict | None:
    state, before = one.get("state") or {}, (one.get("lastState") or {}).get("terminated") or {}
    waiting, ended = state.get("waiting") or {}, state.get("terminated") or {}
    memory = before.get("reason") == "OOMKilled"
    if waiting.get("reason", "") not in STARTING:
        told = waiting.get("message", "")
        if before.get("exitCode"):
            told = f"{before.get('reason', 'Error')}, exit code {before['exitCode']}: {before.get('message') or told}"
        return Verdict(_word("OOMKilled" if memory else waiting["reason"], "Waiting"), quoted(told, MESSAGE), _at(before, made))
    if ended.get("exitCode"):
        return Verdict(
            _word(ended.get("reason"), "Error"),
            quoted(f"exit code {ended['exitCode']}: {ended.get('message', '')}".rstrip(": "), MESSAGE),
            _at(ended, made),
        )
    if not memory and before.get("exitCode") and one.get("restartCount", 0) >= LOOPING and now - _at(before, made) < BACK_OFF:
        told = f"{before.get('reason', 'Error')}, exit code {before['exitCode']}: {before.get('message') or 'it was started again'}"
        return Verdict("CrashLoopBackOff", quoted(told, MESSAGE), _at(before, made))
    if memory and now - _at(before, made) < RECENT:
        return Verdict("OOMKilled", "It ran out of memory and was started again.", _at(before, made), Level.WARNING)
    return None


def _at(end: Mapping[str, Any], otherwise: datetime) -> datetime:
    return moment(end.get("finishedAt"), otherwise)


def _pending(item: Mapping[str, Any], made: datetime, now: datetime) -> Verdict | None:
    scheduled = condition(item, "PodScheduled")
    for one in (item.get("status") or {}).get("conditions") or ():
        if one.get("type") == "PodScheduled" and one.get("status") == "False":
            since = moment(one.get("lastTransitionTime"), made)
            return Verdict(_word(one.get("reason"), "Unschedulable"), quoted(one.get("message", ""), MESSAGE), since, Level.WARNING)
    if now - made <= SLOW:
        return None
    if scheduled:
        return Verdict("NotStarted", "It has a node, and its containers have not started.", made, Level.WARNING)
    return Verdict("NotScheduled", "The scheduler has not looked at it.", made, Level.WARNING)


def _unready(item: Mapping[str, Any], made: datetime, now: datetime) -> Verdict | None:
    for one in (item.get("status") or {}).get("conditions") or ():
        if one.get("type") == "Ready" and one.get("status") != "True" and now - made > SLOW:  # before that it has only begun
            since = moment(one.get("lastTransitionTime"), made)
            return Verdict("NotReady", quoted(one.get("message") or one.get("reason", ""), MESSAGE), since, Level.WARNING)
    return None


def _word(said: object, otherwise: str) -> str:
    """A reason as Kubernetes writes them; what is none comes from elsewhere and is not repeated."""
    text = str(said or "")
    return text if _REASON.fullmatch(text) else otherwise


def _restarts(item: Mapping[str, Any]) -> int:
    return sum(int(one.get("restartCount", 0)) for one in (item.get("status") or {}).get("containerStatuses") or ())
