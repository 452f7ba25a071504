"""One look at a cluster's drift: our rows of what is there against what was asked for, CloudFormation's detection, and who did it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction

from clusters import state
from clusters.choices import DriftState
from clusters.drift import alert, desired, fields, stacks
from clusters.drift.compare import Difference, differences
from clusters.drift.who import Trail
from clusters.groups import autoscaling
from clusters.models import Cluster, ClusterStack, Drift, DriftLook
from clusters.reading.hyperpod import hyperpod_of
from clusters.reading.reader import READ_ERRORS, ClusterReader
from clusters.stacks import parts
from clusters.stacks.rows import forget_stacks, keep_stack
from instantstart.cloud.errors import CloudError
from operations import clock, events
from operations.choices import ACTIVE_STATES
from operations.models import Operation

log = structlog.get_logger(__name__)

DETECTION_EVERY = timedelta(minutes=55)
ASKED_FOR = timedelta(days=1)
"""How long after it was first seen CloudTrail is asked for who did it: its events come late, and some not at all."""
OF_ROWS = (
    "cluster.prefer",
    "cluster.protect",
    "drift.accept",
    "drift.ignore",
    "drift.observe",
    "stack.compare",
    "stack.discard",
    "stack.update",
)
"""Operations that change nothing of what is read from HyperPod and Kubernetes."""
LIVE = (DriftState.OPEN, DriftState.IGNORED)


def look(name: str) -> None:
    """Writes what drifted. Reads AWS only for CloudFormation's detection and for the author of what is new."""
    row = Cluster.objects.filter(name=name).first()
    if row is None:
        return
    compare(row)
    try:
        compare_stacks(row)
        find_authors(row)
    except CloudError as error:
        # What could not be asked is asked at the next look; what is known stays.
        log.warning("drift_unreadable", cluster=name, code=error.code, operation=error.operation)


def compare(row: Cluster) -> None:
    """Our rows of what is there against what was asked for."""
    reader = ClusterReader.of(row, background=True)
    with transaction.atomic():
        locked = state.locked(row.name)
        if locked is None:
            return
        mark, _ = DriftLook.objects.get_or_create(cluster=locked)
        desired.fold(locked, mark)
        why = _unready(locked)
        mark.skipped = why
        mark.save()
        if why:
            return
        document = locked.documents.get(name="hyperpod")
        seen = fields.observed(hyperpod_of(document.body), locked.features.all())
        desired.read_unknown(locked, seen, document.observed_at)
        found = differences(desired.wanted(locked), seen)
        at = document.observed_at
    counts = [one for one in found if one.field == "count"]
    if counts:
        scaled = _autoscaled(reader, [one.resource.removeprefix(fields.GROUP) for one in counts])
        found = [one for one in found if one.field != "count" or one.resource.removeprefix(fields.GROUP) not in scaled]
    keep(row, "cluster", found, at)


def _unready(row: Cluster) -> str:
    """Why desired and observed can't be compared now, "" when they can."""
    operations = Operation.objects.filter(cluster=row.name).exclude(kind__in=OF_ROWS)
    if operations.filter(state__in=ACTIVE_STATES).exists():
        return "An operation is under way."
    document = row.documents.filter(name="hyperpod").first()
    if document is None or not document.body:
        return "AWS has told of no HyperPod cluster yet."
    last = operations.filter(ended_at__isnull=False).order_by("-ended_at").values_list("ended_at", flat=True).first()
    if last is not None and document.observed_at <= last:
        return "It has not been read since the last operation ended."
    if row.unreadable_since is not None:
        return "It can't be read at the moment."
    if document.body.get("ClusterStatus") != "InService":
        return f"The HyperPod cluster is {document.body.get('ClusterStatus')}."
    return ""


def _autoscaled(reader: ClusterReader, groups: Iterable[str]) -> set[str]:
    """Groups whose count is another's business; all of them while Kubernetes can't say."""
    names = list(groups)
    try:
        return {name for name in names if autoscaling.node_classes(reader, name)}
    except READ_ERRORS:
        return set(names)


def keep(row: Cluster, source: str, found: Iterable[Difference | stacks.StackDifference], at: datetime, part: str = "") -> None:
    """Brings the rows of one source to what was found: new ones open, those that are as we left them again are resolved.

    part: of the stack that was looked at, where the source is one.
    """
    with transaction.atomic():
        if state.locked(row.name) is None:
            return
        rows = (one for one in row.drifts.filter(source=source, state__in=LIVE) if not part or parts.split(one.resource)[0] == part)
        live = {(one.resource, one.field): one for one in rows}
        taken = _accepted(row) if source == "stack" else {}
        news = False
        for one in found:
            known = live.pop((one.resource, one.field), None)
            if taken.get((one.resource, one.field)) == one.observed:
                if known is not None:
                    live[one.resource, one.field] = known
                continue
            news |= _note(row, source, one, known, at)
        for gone in live.values():
            gone.state, gone.last_seen, gone.decided_at = DriftState.RESOLVED, at, clock.now()
            gone.save(update_fields=["state", "last_seen", "decided_at"])
            news = True
        if source == "cluster":
            DriftLook.objects.filter(cluster=row).update(looked_at=at)
        if news:
            alert.tell_of(row)
            events.publish(row.topic, "drift", {"cluster": row.name})


def _note(row: Cluster, source: str, one: Difference | stacks.StackDifference, known: Drift | None, at: datetime) -> bool:
    if known is None:
        Drift.objects.create(
            cluster=row,
            source=source,
            resource=one.resource,
            field=one.field,
            desired=one.desired,
            observed=one.observed,
            physical_id=getattr(one, "physical_id", ""),
            first_seen=at,
            last_seen=at,
        )
        return True
    changed = (known.desired, known.observed) != (one.desired, one.observed)
    known.last_seen = at
    if changed:
        # Another change of the same field: whoever ignored the first has not seen this one.
        known.desired, known.observed, known.state = one.desired, one.observed, DriftState.OPEN
        known.by_whom = known.by_arn = known.event_id = known.event_name = known.decided_by = ""
        known.changed_at = known.asked_at = known.decided_at = None
    known.save()
    return changed


def _accepted(row: Cluster) -> dict[tuple[str, str], object]:
    """Properties of stacks that a person took over: CloudFormation knows nothing of it and goes on telling them."""
    rows = row.drifts.filter(source="stack", state=DriftState.ACCEPTED).order_by("id")
    return {(one.resource, one.field): one.observed for one in rows}


def compare_stacks(row: Cluster, asked_at: datetime | None = None) -> bool:
    """Reads the detections that are over, and asks for them where the last are an hour old, or began before asked_at. CloudError.

    Whether all was compared, since asked_at where that is given; if not, it is to be called again in a while.
    """
    if row.imported:
        return True  # its stacks are another's
    reader = ClusterReader.of(row, background=True)
    mark = DriftLook.objects.get_or_create(cluster=row)[0]
    at = clock.now()
    for one in row.stacks.exclude(detection=""):
        _settle(row, reader, one, mark.detected_at or at)
    if row.stacks.exclude(detection="").exists():
        return False
    if mark.detected_at is not None and (mark.detected_at >= asked_at if asked_at is not None else at - mark.detected_at < DETECTION_EVERY):
        return True
    there = parts.of_cluster(reader)
    for part, stack in there.items():
        found = keep_stack(row, reader, part, stack)
        ClusterStack.objects.filter(pk=found.pk).update(detection=stacks.detect(reader.aws, stack))
    forget_stacks(row, there)
    DriftLook.objects.filter(pk=mark.pk).update(detected_at=at)
    return False


def _settle(row: Cluster, reader: ClusterReader, one: ClusterStack, at: datetime) -> None:
    try:
        if stacks.running(reader.aws, one.detection):
            return
        keep(row, "stack", stacks.differences(reader.aws, one.stack_id, one.part), at, one.part)
    except CloudError as error:
        if not error.missing and error.code != "ValidationError":
            raise
    ClusterStack.objects.filter(pk=one.pk).update(detection="")


def find_authors(row: Cluster) -> None:
    """Asks CloudTrail who did what is new. CloudError."""
    at = clock.now()
    unknown = list(row.drifts.filter(state__in=LIVE, event_id="", first_seen__gte=at - ASKED_FOR).select_related("cluster"))
    if not unknown:
        return
    trail = Trail(ClusterReader.of(row, background=True).aws)
    for one in unknown:
        since = row.desired.filter(resource=one.resource, field=one.field).values_list("at", flat=True).first()
        # CloudTrail tells whole seconds.
        deed = trail.author(one, {row.hyperpod, row.eks, row.hyperpod_arn}, since.replace(microsecond=0) if since is not None else None)
        asked: dict[str, Any] = {"asked_at": at}
        if deed is not None:
            asked |= {
                "by_whom": deed.username[:255],
                "by_arn": deed.arn[:512],
                "changed_at": deed.at,
                "event_id": deed.event_id,
                "event_name": deed.name,
            }
        row.drifts.filter(pk=one.pk, observed=one.observed, event_id="").update(**asked)
