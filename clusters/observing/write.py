"""Keeps what one look saw: in one transaction, only where it is newer than what is there, and nothing of what could not be read."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from clusters import state
from clusters.choices import Seen
from clusters.models import Cluster, ClusterDocument, Dependency, Phase, Resource
from clusters.observing import nodes
from clusters.observing.cost import cost_per_hour
from clusters.observing.look import Look
from clusters.phases.probe import PhaseObservation
from operations import events
from operations.models import ObservedSource
from operations.step import Fault


def write(name: str, seen: Look) -> bool:
    """Writes the look; False when the cluster's row is gone."""
    with transaction.atomic():
        row = state.locked(name)
        if row is None:
            return False
        if row.observed_at is not None and row.observed_at > seen.began:
            return True  # a later look was faster
        before = state.shown(row)
        state.refresh_operations(row)
        _phases(row, seen)
        if seen.nothing_read is None:
            _cluster(row, seen)
        state.settle(row, before)
        return True


def mark_unreadable(name: str, fault: Fault, since: datetime, failures: int) -> None:
    """Nothing at all could be read: every phase is on its way to Unknown, with what was last known kept."""
    with transaction.atomic():
        row = state.locked(name)
        if row is None:
            return
        before = state.shown(row)
        message = _sentence(fault)
        row.failures, row.unreadable, row.unreadable_since = failures, message, row.unreadable_since or since
        row.phases.update(unreadable=message, failures=failures)
        row.phases.filter(unreadable_since=None).update(unreadable_since=since)
        state.settle(row, before)


def _sentence(fault: Fault) -> str:
    return f"{fault.message} {fault.hint}".strip()[:1000]


def _phases(row: Cluster, seen: Look) -> None:
    for phase in row.phases.all():
        observation = seen.phases.get(phase.name)  # type: ignore[call-overload]
        if observation is not None:
            if phase.observed_at is None or phase.observed_at <= seen.began:
                _readable(row, phase, observation, seen.began)
        elif phase.name in seen.troubles and seen.nothing_read is None:
            phase.failures += 1
            phase.unreadable = _sentence(seen.troubles[phase.name])
            phase.unreadable_since = phase.unreadable_since or seen.began
            phase.save(update_fields=["failures", "unreadable", "unreadable_since"])


def _readable(row: Cluster, phase: Phase, observation: PhaseObservation, at: datetime) -> None:
    news = (phase.seen, phase.message) != (str(observation.seen), observation.message[:1000])
    phase.seen, phase.message = observation.seen, observation.message[:1000]
    phase.facts = dict(observation.facts)
    phase.faults = [{"code": fault.code, "message": fault.message, "hint": fault.hint} for fault in observation.faults]
    phase.made = phase.made or observation.seen == Seen.READY
    phase.observed_at, phase.failures, phase.unreadable, phase.unreadable_since = at, 0, "", None
    phase.save(update_fields=["seen", "message", "facts", "faults", "made", "observed_at", "failures", "unreadable", "unreadable_since"])
    if news:
        state.publish_phase(row, phase)
    if _resources(row, phase.name, observation, at):
        events.publish(row.topic, "resources", {"cluster": row.name, "phase": phase.name})


def _resources(row: Cluster, phase: str, observation: PhaseObservation, at: datetime) -> bool:
    """Whether the list of resources changed."""
    wanted = {(item.resource_type, item.physical_id[:512], item.name): item for item in observation.resources}
    known = {(item.resource_type, item.physical_id, item.name): item for item in row.resources.filter(phase=phase)}
    gone = [item.pk for key, item in known.items() if key not in wanted]
    if gone:
        Resource.objects.filter(pk__in=gone).delete()
    fresh = [
        Resource(
            cluster=row,
            phase=phase,
            resource_type=item.resource_type,
            physical_id=item.physical_id[:512],
            name=item.name,
            status=item.status,
            message=item.message[:1000],
            observed_at=at,
        )
        for key, item in wanted.items()
        if key not in known
    ]
    Resource.objects.bulk_create(fresh)
    moved = []
    for key, item in wanted.items():
        old = known.get(key)
        if old is not None and (old.status, old.message) != (item.status, item.message[:1000]):
            old.status, old.message = item.status, item.message[:1000]
            moved.append(old)
    Resource.objects.bulk_update(moved, ["status", "message"])
    row.resources.filter(phase=phase).update(observed_at=at)
    return bool(gone or fresh or moved)


def _cluster(row: Cluster, seen: Look) -> None:
    at = seen.began
    row.interval = _interval(row, at)
    row.observed_at, row.failures, row.unreadable, row.unreadable_since = at, 0, "", None
    if seen.endpoint is not None:
        row.endpoint, row.ca_data, row.eks_arn, version = seen.endpoint
        row.kubernetes_version = version or row.kubernetes_version
    elif "documents" not in seen.troubles:
        row.endpoint = row.ca_data = row.eks_arn = ""
    if seen.hyperpod_read:
        row.hyperpod_arn = seen.hyperpod.arn if seen.hyperpod else ""
    changed = []
    if seen.hyperpod_read and nodes.write_groups(row, seen.hyperpod, at):
        changed.append("groups")
    if seen.instances is not None and nodes.write_nodes(row, seen.instances, seen.nodes, at):
        changed.append("nodes")
    if seen.events is not None and nodes.write_events(row, seen.events):
        changed.append("events")
    if seen.dependencies is not None and _dependencies(row, seen, at):
        changed.append("dependencies")
    _documents(row, seen.documents, at)
    row.cost_per_hour = cost_per_hour(row, seen)
    for kind in changed:
        events.publish(row.topic, kind, {"cluster": row.name})


def _interval(row: Cluster, at: datetime) -> float | None:
    """Seconds between two looks: what the source aims at, or what the last two took where that is longer, up to the steady pace.

    A look that takes longer than the interval aimed at, or one for which no worker was free, must not make fresh facts stale.
    """
    aimed = ObservedSource.objects.filter(kind="cluster", key=row.name).values_list("interval", flat=True).first()
    if aimed is None or row.observed_at is None:
        return aimed
    happened = (at - row.observed_at).total_seconds()
    return max(aimed, min(happened, float(settings.POLL_STEADY)))


def _dependencies(row: Cluster, seen: Look, at: datetime) -> bool:
    found = seen.dependencies or []
    known = {item.name: item for item in row.dependencies.all()}
    changed = False
    for position, (entry, one) in enumerate(found):
        fields: dict[str, Any] = {
            "kind": entry.kind,
            "state": one.state,
            "status": one.status,
            "version": one.version,
            "message": one.message[:1000],
            "faults": [{"code": fault.code, "message": fault.message, "hint": fault.hint} for fault in one.faults],
            "pods": one.pods,
            "ready_pods": one.ready_pods,
            "position": position,
        }
        old = known.pop(entry.name, None)
        if old is None:
            Dependency.objects.create(cluster=row, name=entry.name, observed_at=at, **fields)
            changed = True
        elif any(getattr(old, key) != value for key, value in fields.items()):
            for key, value in fields.items():
                setattr(old, key, value)
            old.observed_at = at
            old.save()
            changed = True
    if known:
        row.dependencies.filter(name__in=known).delete()
        changed = True
    row.dependencies.update(observed_at=at)
    return changed


def _documents(row: Cluster, documents: dict[str, Any], at: datetime) -> None:
    for name, body in documents.items():
        plain = json.loads(json.dumps(body, default=_plain)) if body is not None else None
        ClusterDocument.objects.update_or_create(cluster=row, name=name, defaults={"body": plain, "observed_at": at})


def _plain(value: Any) -> Any:
    """Timestamps as ISO 8601, the rest as AWS's client shows it."""
    return value.isoformat() if isinstance(value, datetime) else str(value)
