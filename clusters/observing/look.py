"""One look: what each source said, or why it did not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from clusters import dependencies, features
from clusters.choices import PhaseName
from clusters.dependencies.entry import DependencyEntry, DependencySeen
from clusters.features import FeatureSeen
from clusters.models import Cluster
from clusters.names import scope
from clusters.phases import PHASES
from clusters.phases.probe import PhaseObservation
from clusters.reading.hyperpod import EventReading, HyperPodReading, InstanceReading
from clusters.reading.kept import IDENTITIES, Keeper, Kept
from clusters.reading.kubernetes import NodeReading
from clusters.reading.node_groups import NodeGroupReading
from clusters.reading.pods import PodReading
from clusters.reading.reader import READ_ERRORS, ClusterReader
from clusters.resolved import ResolvedSpec
from operations import clock, errors
from operations.choices import ACTIVE_STATES
from operations.models import Operation
from operations.pace import spare_seconds
from operations.step import Fault

T = TypeVar("T")
SET_FEATURES = "feature.set"
OUTLINE = (PhaseName.CONTROL_PLANE, PhaseName.SELECT, PhaseName.HYPERPOD)
"""What the first look at an imported cluster reads where the rate limit has no room for all at once: clusters, groups and nodes of
many are there in a minute, and the next look reads the rest."""


@dataclass
class Look:
    """None in place of a reading means that it could not be read (`troubles` says why, by source), or that it may wait (events)."""

    began: datetime
    phases: dict[PhaseName, PhaseObservation] = field(default_factory=dict)
    troubles: dict[str, Fault] = field(default_factory=dict)
    nothing_read: Exception | None = None
    """Set when no phase could be read: the error of the first."""
    hyperpod_read: bool = False
    hyperpod: HyperPodReading | None = None
    instances: list[InstanceReading] | None = None
    nodes: list[NodeReading] | None = None
    pods: list[PodReading] | None = None
    events: list[EventReading] | None = None
    node_groups: list[NodeGroupReading] | None = None
    dependencies: list[tuple[DependencyEntry, DependencySeen]] | None = None
    features: dict[str, FeatureSeen] = field(default_factory=dict)
    feature_troubles: dict[str, Fault] = field(default_factory=dict)
    """By the feature's name: why it could not be read."""
    outline: bool = False
    """Whether only the outline was read: what is missing has not been read yet, and the next look comes soon."""
    features_change: bool = False
    """Whether an operation on managed features was under way when the look began."""
    documents: dict[str, Any] = field(default_factory=dict)
    endpoint: tuple[str, str, str, str] | None = None
    """endpoint, CA, ARN and version of the EKS cluster; None when it has none or could not be read."""
    keeper: Keeper | None = None

    def as_of(self, *sources: str) -> datetime:
        """When the oldest of these was read: at this look, or at an earlier one that stands for it."""
        return (self.keeper.as_of(*sources) if self.keeper else None) or self.began


def look(row: Cluster) -> Look:
    """Reads everything, with no transaction open."""
    seen = Look(clock.now())
    active = set(Operation.objects.filter(cluster=row.name, state__in=ACTIVE_STATES).values_list("kind", flat=True))
    seen.features_change = SET_FEATURES in active
    seen.keeper = keeper_of(row, seen.began, at_rest=not active, busy=seen.features_change)
    reader = ClusterReader.of(row, background=True, keeper=seen.keeper)
    spec = ResolvedSpec.model_validate(row.spec)
    first_error: Exception | None = None
    outline = row.imported and row.observed_at is None and seen.keeper.spare > 0
    for phase in PHASES:
        if outline and phase.name not in OUTLINE:
            continue
        try:
            seen.phases[phase.name] = phase.probe(reader, spec)
        except READ_ERRORS as error:
            seen.troubles[phase.name] = errors.classify(error)
            first_error = first_error or error
    if not seen.phases:
        seen.nothing_read = first_error
        return seen
    seen.hyperpod = _try(seen, "hyperpod_cluster", lambda: reader.hyperpod)
    seen.hyperpod_read = "hyperpod_cluster" not in seen.troubles
    if seen.hyperpod is not None:
        seen.instances = _try(seen, "instances", lambda: reader.instances)
        if not reader.events_can_wait and not outline:
            seen.events = _try(seen, "events", lambda: reader.events)
        seen.documents["hyperpod"] = seen.hyperpod.raw
    elif seen.hyperpod_read:
        seen.instances, seen.documents["hyperpod"] = [], None
    seen.nodes = _try(seen, "nodes", lambda: reader.nodes)
    if outline:
        seen.outline = True
        _documents(seen, reader, row.imported)
        return seen
    seen.pods = _try(seen, "pods", lambda: reader.pods) if seen.nodes else None
    seen.node_groups = _try(seen, "node_groups", lambda: reader.node_groups)
    seen.dependencies = _try(seen, "dependencies", lambda: _dependencies(reader, spec))
    _features(seen, reader, spec)
    _documents(seen, reader, row.imported)
    return seen


def keeper_of(row: Cluster, at: datetime, *, at_rest: bool, busy: bool) -> Keeper:
    """What earlier looks left that may stand for this one."""
    # An operation changes things on purpose: then everything is read.
    spare = 0.0 if not at_rest or row.operation_state in ACTIVE_STATES else spare_seconds(scope(row.account, row.region))
    earlier = {one.source: Kept(one.body, one.read_at) for one in row.kept_readings.all()}
    roles = earlier.get(IDENTITIES)
    return Keeper(at, spare, earlier, busy or (roles is not None and _features_set_since(row.name, roles.read_at)))


def _features_set_since(cluster: str, moment: datetime) -> bool:
    """Whether an operation on its managed features has ended since: roles that were read while it ran are not what it left."""
    return Operation.objects.filter(cluster=cluster, kind=SET_FEATURES, ended_at__gte=moment).exists()


def _features(seen: Look, reader: ClusterReader, spec: ResolvedSpec) -> None:
    """Each by itself: one that can't be read says nothing of the others."""
    for name, feature in features.REGISTRY.items():
        try:
            seen.features[name] = feature.detect(reader, spec)
        except READ_ERRORS as error:
            seen.feature_troubles[name] = errors.classify(error)


def _dependencies(reader: ClusterReader, spec: ResolvedSpec) -> list[tuple[DependencyEntry, DependencySeen]]:
    if reader.target is None:
        return []
    return [(entry, entry.detect(reader)) for entry in dependencies.wanted(spec)]


def _documents(seen: Look, reader: ClusterReader, imported: bool) -> None:
    try:
        seen.documents["eks"] = reader.eks.raw if reader.eks else None
        if not imported:
            seen.documents["stack"] = reader.stack.raw if reader.stack else None
        if reader.eks is not None:
            seen.endpoint = (reader.eks.endpoint, reader.eks.ca_data, reader.eks.arn, reader.eks.version)
    except READ_ERRORS as error:
        seen.troubles["documents"] = errors.classify(error)


def _try(seen: Look, source: str, read: Callable[[], T]) -> T | None:
    try:
        return read()
    except READ_ERRORS as error:
        seen.troubles[source] = errors.classify(error)
        return None
