"""From what was seen to what is shown: settles the states of a cluster and its phases, and tells the pages when they changed."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from clusters import listed
from clusters.choices import State
from clusters.models import Cluster, Phase
from clusters.phases.probe import derive, overall
from operations import clock, events
from operations.choices import ACTIVE_STATES, DUE_STATES
from operations.models import Operation

DELETE_KIND = "cluster.delete"
SHOWN = ("state", "message", "instance_count", "node_count", "ready_node_count", "cost_per_hour", "deletion_protection", "operation_state")


def locked(name: str) -> Cluster | None:
    """The row, locked until the transaction ends; None when it is gone. Whoever writes phases takes this first."""
    return Cluster.objects.select_for_update().filter(name=name).first()


def settle(cluster: Cluster, before: dict[str, Any] | None = None) -> None:
    """Derives the phases' and the cluster's states and saves them. Runs inside the caller's transaction, the row locked.

    before: what `shown()` said when the caller began, to tell whether anything changed.
    """
    before = shown(cluster) if before is None else before
    at = clock.now()
    phases = list(cluster.phases.order_by("position"))
    for phase in phases:
        state = derive(
            phase.seen,
            failures=phase.failures,
            made=phase.made,
            operation_state=phase.operation_state,
            removing=phase.operation_kind == DELETE_KIND,
            imported=cluster.imported,
        )
        if state != phase.state:
            phase.state, phase.changed_at = state, at
            phase.save(update_fields=["state", "changed_at"])
            publish_phase(cluster, phase)
    cluster.state = cluster_state(cluster, [State(phase.state) for phase in phases])
    cluster.message = next((phase.message for phase in phases if phase.state == cluster.state and phase.message), "")[:1000]
    if cluster.state == State.UNKNOWN:
        cluster.message = next((phase.unreadable for phase in phases if phase.state == State.UNKNOWN), cluster.message)[:1000]
    changed = shown(cluster) != before
    if changed:
        cluster.changed_at = at
    cluster.listed = listed.text(cluster)
    cluster.save()
    if changed:
        publish_cluster(cluster)


def cluster_state(cluster: Cluster, states: list[State]) -> State:
    """An operation under way is shown as such while something is not ready; facts otherwise."""
    active = cluster.operation_state in ACTIVE_STATES
    if cluster.operation_state in DUE_STATES and cluster.operation_kind == DELETE_KIND:  # one that waits for approval deletes nothing yet
        return State.UNKNOWN if State.UNKNOWN in states else State.DELETING
    summed = overall(states)
    if active and summed in (State.PENDING, State.FAILED, State.CANCELLED, State.GONE):
        return State.RUNNING
    return summed


def shown(cluster: Cluster) -> dict[str, Any]:
    """What a list shows of the cluster."""
    return {name: getattr(cluster, name) for name in SHOWN}


def publish_cluster(cluster: Cluster, kind: str = "cluster") -> None:
    payload = {"name": cluster.name, **{key: str(value) if key == "state" else value for key, value in shown(cluster).items()}}
    events.publish("clusters", kind, payload)
    events.publish(cluster.topic, kind, payload)


def publish_phase(cluster: Cluster, phase: Phase) -> None:
    payload = {"cluster": cluster.name, "phase": phase.name, "state": str(phase.state), "message": phase.message}
    events.publish(cluster.topic, "phase", payload)


def refresh_operations(cluster: Cluster) -> None:
    """How the last operations stand now: they move between states of which their actions are not told."""
    phases = list(cluster.phases.all())
    wanted = {one for one in (cluster.operation_id, *(phase.operation_id for phase in phases)) if one is not None}
    now = {pk: str(state) for pk, state in Operation.objects.filter(pk__in=wanted).values_list("pk", "state")}
    if cluster.operation_id in now:
        cluster.operation_state = now[cluster.operation_id]
    for phase in phases:
        current = now.get(phase.operation_id) if phase.operation_id else None
        if current is not None and current != phase.operation_state:
            phase.operation_state = current
            phase.save(update_fields=["operation_state"])


def note_operation(name: str, operation: Operation, *, whole: bool, phases: tuple[str, ...] = ()) -> None:
    """Keeps how an operation on the cluster stands; whole: it is one on the cluster itself, not on a phase alone."""
    with transaction.atomic():
        cluster = locked(name)
        if cluster is None:
            return
        before = shown(cluster)
        if whole:
            cluster.operation_id, cluster.operation_kind, cluster.operation_state = operation.pk, operation.kind, operation.state
        fields: dict[str, Any] = {
            "operation_id": operation.pk,
            "operation_kind": operation.kind,
            "operation_state": operation.state,
            "started_at": operation.started_at or operation.created_at,
            "ended_at": operation.ended_at,
        }
        cluster.phases.filter(name__in=phases).update(**fields)
        settle(cluster, before)
