"""The plan of a creation: every resource, every check, cost, duration, and what cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clusters import dependencies, names, template
from clusters.catalog.cost import cost
from clusters.choices import DependencyState, Seen
from clusters.dependencies.entry import DependencySeen
from clusters.dependencies.kuberay import CHART_MISSING, KubeRay
from clusters.models import Cluster
from clusters.phases import PHASES
from clusters.phases.probe import PhaseObservation
from clusters.reading.hyperpod import GROUP_RESOURCE
from clusters.reading.reader import READ_ERRORS, ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.spec import ClusterInput
from instantstart.cloud.identity import Identity
from operations.choices import Severity
from operations.plan import Change, Check, FieldChange, Irreversible

MOUNTS = ("PersistentVolume", "PersistentVolumeClaim")


@dataclass(frozen=True)
class World:
    """What is there already: the phases' readings by name, the add-ons and releases by name, or why it can't be read."""

    phases: dict[str, PhaseObservation]
    dependencies: dict[str, DependencySeen]
    unreadable: str = ""

    @property
    def something(self) -> bool:
        return any(seen.seen is not Seen.ABSENT for seen in self.phases.values())

    def ready(self, phase: str) -> bool:
        return phase in self.phases and self.phases[phase].seen is Seen.READY

    @property
    def all_ready(self) -> bool:
        return all(self.ready(phase.name) for phase in PHASES)


NOTHING = World({}, {})


def read_world(spec: ResolvedSpec) -> World:
    """What AWS and Kubernetes hold of this name already; what can't be read counts as not there, and is said."""
    reader = ClusterReader(spec.name, spec.region, spec.account, eks_name=spec.eks, hyperpod_name=spec.hyperpod)
    phases: dict[str, PhaseObservation] = {}
    found: dict[str, DependencySeen] = {}
    unreadable = ""
    for phase in PHASES:
        try:
            phases[phase.name] = phase.probe(reader, spec)
        except READ_ERRORS as error:
            unreadable = unreadable or str(error)
    if phases.get("select") is not None and phases["select"].seen is Seen.READY:
        for entry in dependencies.wanted(spec):
            try:
                found[entry.name] = entry.detect(reader)
            except READ_ERRORS as error:
                unreadable = unreadable or str(error)
    return World(phases, found, unreadable)


def changes(spec: ResolvedSpec, identity: Identity, world: World) -> Iterator[Change]:
    """Every resource, in the order of the phases; `none` for what is there already."""
    stack_ready = world.ready("control_plane")
    yield Change(resource_type="AWS::CloudFormation::Stack", name=names.stack(spec.name), action="none" if stack_ready else "create")
    for resource in template.resources(spec, identity):
        yield Change(
            resource_type=resource.type,
            name=f"{resource.logical_id}{f' ({resource.name})' if resource.name else ''}",
            action="none" if stack_ready else "create",
        )
    for entry in dependencies.wanted(spec):
        yield entry.plan(spec, world.dependencies.get(entry.name, DependencySeen(DependencyState.ABSENT)))
    hyperpod = world.phases.get("hyperpod")
    there = hyperpod is not None and hyperpod.seen not in (Seen.ABSENT, Seen.FAILED)
    yield Change(resource_type="AWS::SageMaker::Cluster", name=spec.name, action="none" if there else "create")
    for group in spec.all_groups:
        fields = (
            FieldChange(field="instance_type", after=group.instance_type),
            FieldChange(field="count", after=group.count),
            FieldChange(field="capacity", after=str(group.capacity)),
            FieldChange(field="volume_gb", after=group.volume_gb),
            FieldChange(field="threads_per_core", after=group.threads_per_core),
            FieldChange(field="deep_health_checks", after=[str(check) for check in spec.checks_of(group)]),
        )
        yield Change(
            resource_type=GROUP_RESOURCE,
            name=f"{spec.name}/{group.name}",
            action="none" if there else "create",
            fields=() if there else fields,
        )
    mounted = world.ready("storage")
    for kind, name in zip(MOUNTS, (names.volume(spec.storage.claim), spec.storage.claim), strict=True):
        after = (FieldChange(field="bucket", after=spec.storage.bucket),)
        yield Change(resource_type=kind, name=name, action="none" if mounted else "create", fields=() if mounted else after)
    if world.something and not world.all_ready and all(seen.seen is not Seen.ABSENT for seen in world.phases.values()):
        # Everything exists, but something is not ready yet: going on with it is a change, though no resource is new.
        yield Change(resource_type="Phase", name=f"{spec.name}/{_first_undone(world)}", action="update")


def _first_undone(world: World) -> str:
    return next(str(phase.name) for phase in PHASES if not world.ready(phase.name))


def own_checks(spec: ResolvedSpec, world: World) -> Iterator[Check]:
    """What the catalogue of checks can't know."""
    if spec.kuberay and not KubeRay().chart():
        yield Check(
            code="kuberay_chart_missing",
            severity=Severity.ERROR,
            title="KubeRay's chart",
            detail=CHART_MISSING,
            fix=CHART_MISSING,
            field="kuberay",
        )
    if world.unreadable:
        yield Check(
            code="existing_unreadable",
            severity=Severity.WARNING,
            title="What exists already",
            detail=f"Part of what exists of this name could not be read: {world.unreadable}",
            fix="Try again when it can be read; going on is safe, since every step looks before it acts.",
        )


def kept_spec_checks(row: Cluster, data: ClusterInput) -> Iterator[Check]:
    """A half-made cluster goes on as it was begun: a field that is given and differs is refused by name."""
    before = ClusterInput.model_validate(row.given)
    for field in sorted(data.model_fields_set - {"name"}):
        old, new = getattr(before, field), getattr(data, field)
        if old != new and not (field == "region" and new == row.region):
            yield Check(
                code="already_begun_otherwise",
                severity=Severity.ERROR,
                title="Resuming",
                detail=f"{row.name} was begun with another {field.replace('_', ' ')}: what is made already can't be changed to it.",
                fix=f"Leave {field} away to go on as it was begun, or delete {row.name} first.",
                field=field,
            )


def irreversible(spec: ResolvedSpec, world: World) -> tuple[Irreversible, ...]:
    """Nothing here is lost by a deletion; this names what can't be changed afterwards."""
    if world.ready("control_plane"):
        return ()
    network = spec.network
    lasting = [
        Irreversible(
            what=f"The nodes' subnet {network.compute.cidr} in {network.compute.zone.name}",
            why="AWS can't change a subnet's CIDR or Availability Zone.",
        ),
        *(
            Irreversible(
                what=f"The capacity mode of {group.name} ({group.capacity})", why="HyperPod can't change it for an existing group."
            )
            for group in spec.all_groups
        ),
    ]
    return tuple(lasting)


def price(spec: ResolvedSpec) -> float | None:
    return cost(spec)


def duration(world: World) -> int:
    """Typical seconds of the phases that are not ready."""
    return sum(phase.typical_seconds for phase in PHASES if not world.ready(phase.name))
