"""Keeps what one look saw: in one transaction, only where it is newer than what is there, and nothing of what could not be read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings

from clusters import state
from clusters.choices import DependencyKind, PhaseName, Seen
from clusters.models import Cluster, ClusterDocument, Dependency, KeptReading, Phase, Resource
from clusters.observing import alerts, features, node_groups, nodes
from clusters.observing.cost import cost_per_hour
from clusters.observing.look import Look
from clusters.phases.probe import PhaseObservation
from clusters.reading.kept import ADDONS, INSTANCES, NODE_GROUPS
from clusters.reading.plain import plain
from operations import events
from operations.choices import ACTIVE_STATES
from operations.models import ObservedSource
from operations.models.observed_source import Pace
from operations.observing import writing
from operations.pace import stretched_interval
from operations.step import Fault

OPTIONAL_SOURCE = "node_groups"
"""Clusters live without it: a permission that is missing for good must not make every look a hurried one."""
MOVING = (Seen.CHANGING, Seen.DELETING)
AGED: dict[str, tuple[str, ...]] = {PhaseName.DEPENDENCIES: (ADDONS,), PhaseName.HYPERPOD: (ADDONS, INSTANCES)}
"""Readings that a phase rests on and that may be an earlier look's."""


def write(name: str, seen: Look) -> Pace:
    """Writes the look. The pace at which to look on; GONE when the cluster's row is gone. Raises LeaseLost when it was overtaken."""
    with writing():
        row = state.locked(name)
        if row is None:
            return Pace.GONE
        before = state.shown(row)
        state.refresh_operations(row)
        pace = _pace(row, seen)
        if row.observed_at is not None and row.observed_at > seen.began:
            return pace  # a later look was faster
        _phases(row, seen)
        if seen.nothing_read is None:
            row.interval = _interval(row, seen.began, pace)
            _cluster(row, seen)
        state.settle(row, before)
        return pace


def _pace(row: Cluster, seen: Look) -> Pace:
    """In transition while an operation runs, something moves, or something could not be read."""
    if (
        row.operation_state in ACTIVE_STATES
        or seen.troubles.keys() - {OPTIONAL_SOURCE}
        or seen.outline
        or features.moving(seen)
        or any(not group.settled for group in seen.node_groups or ())
        or any(one.seen in MOVING for one in seen.phases.values())
    ):
        return Pace.TRANSITION
    return Pace.STEADY


def mark_unreadable(name: str, fault: Fault, since: datetime, failures: int) -> None:
    """Nothing at all could be read: every phase is on its way to Unknown, with what was last known kept."""
    with writing():
        row = state.locked(name)
        if row is None:
            return
        before = state.shown(row)
        message = _sentence(fault)
        row.failures, row.unreadable, row.unreadable_since = failures, message, row.unreadable_since or since
        row.phases.update(unreadable=message, failures=failures)
        row.phases.filter(unreadable_since=None).update(unreadable_since=since)
        if features.mark_unreadable(row, message, since, failures):
            events.publish(row.topic, "features", {"cluster": row.name})
        state.settle(row, before)


def _sentence(fault: Fault) -> str:
    return f"{fault.message} {fault.hint}".strip()[:1000]


def _phases(row: Cluster, seen: Look) -> None:
    for phase in row.phases.all():
        observation = seen.phases.get(phase.name)  # type: ignore[call-overload]
        if observation is not None:
            if phase.observed_at is None or phase.observed_at <= seen.began:
                _readable(row, phase, observation, seen.as_of(*AGED.get(phase.name, ())))
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
    known = {(item.resource_type, item.physical_id, item.name): item for item in row.resources.filter(phase=phase, stack="")}
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
    row.resources.filter(phase=phase, stack="").update(observed_at=at)
    return bool(gone or fresh or moved)


def _cluster(row: Cluster, seen: Look) -> None:
    at = seen.began
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
    if seen.instances is not None and nodes.write_nodes(row, seen.instances, seen.nodes, seen.pods, seen.as_of(INSTANCES)):
        changed.append("nodes")
    if seen.node_groups is not None and node_groups.write_node_groups(
        row, seen.node_groups, seen.nodes, seen.pods, seen.as_of(NODE_GROUPS)
    ):
        changed.append("node_groups")
    if seen.events is not None and nodes.write_events(row, seen.events):
        changed.append("events")
    if seen.dependencies is not None and _dependencies(row, seen, at):
        changed.append("dependencies")
    if features.write_features(row, seen):
        changed.append("features")
    _documents(row, seen.documents, at)
    _kept(row, seen)
    row.cost_per_hour = cost_per_hour(row, seen)
    alerts.tell(row, seen)
    for kind in changed:
        events.publish(row.topic, kind, {"cluster": row.name})


def _interval(row: Cluster, at: datetime, pace: Pace) -> float | None:
    """Seconds between two looks: what the source aims at, or what the last two took where that is longer, up to the steady pace.

    A look that takes longer than the interval aimed at, or one for which no worker was free, must not make fresh facts stale.
    """
    source = ObservedSource.objects.filter(kind="cluster", key=row.name).first()
    if source is None:
        return None
    # At another pace than before the next look comes after another time.
    aimed = source.interval if source.pace == pace else stretched_interval(pace, source.scope)
    if row.observed_at is None:
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
    if seen.as_of(ADDONS) != at:
        row.dependencies.filter(kind=DependencyKind.ADDON).update(observed_at=seen.as_of(ADDONS))
    return changed


def _kept(row: Cluster, seen: Look) -> None:
    for source, kept in seen.keeper.fresh.items() if seen.keeper else ():
        KeptReading.objects.update_or_create(cluster=row, source=source, defaults={"body": kept.body, "read_at": kept.read_at})


def _documents(row: Cluster, documents: dict[str, Any], at: datetime) -> None:
    for name, body in documents.items():
        ClusterDocument.objects.update_or_create(cluster=row, name=name, defaults={"body": plain(body), "observed_at": at})
