"""cluster.delete: the phases taken back in reverse order, after the name was typed, with nothing of ours left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from accounts.preferences import forget_cluster
from accounts.principal import Principal
from clusters import dependencies, features, names, state
from clusters.actions.subject import NameInput, cluster_row, known_cluster, made_here
from clusters.choices import PhaseName
from clusters.dependencies.addon import AddonsGone
from clusters.groups import network
from clusters.groups.overlap import refuse_beside_parts
from clusters.groups.placing import STACK_RESOURCE
from clusters.models import Cluster
from clusters.node_groups import role as node_role
from clusters.reading import blockers
from clusters.reading.node_groups import NODE_GROUP_RESOURCE
from clusters.reading.reader import READ_ERRORS, ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from clusters.steps.deletion import EmptyBucket, NothingInTheWay, NothingLeft, RemoveHyperPod, RemoveLogGroups, RemoveObject, RemoveStack
from clusters.steps.features import RemovePart
from clusters.steps.group_network import RemoveNetworks
from clusters.steps.node_groups import RemoveNodeGroups
from instantstart.problem import Problem
from operations import alerts
from operations.action import Action, Verification, register
from operations.choices import OperationState, Risk, Severity
from operations.models import Operation
from operations.observing import forget_source
from operations.plan import Change, Check, Irreversible, Plan
from operations.step import Fault, Step


class DeleteInput(NameInput):
    """confirm: the cluster's name once more, typed by a person. empty_bucket: whether people's files in its bucket may go."""

    confirm: str = ""
    empty_bucket: bool = False
    skip_kubernetes: bool = False
    """Whether to go on although the Kubernetes API can't be read; what is in it goes with the cluster."""


@register
class DeleteCluster(Action[DeleteInput]):
    kind = "cluster.delete"
    title = "Delete a cluster"
    risk = Risk.DESTRUCTIVE
    Input = DeleteInput
    typical_seconds = 1200

    def subject(self, data: DeleteInput) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: DeleteInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        made_here(row, "delete")
        reader = ClusterReader.of(row)
        spec = ResolvedSpec.model_validate(row.spec)
        groups, unread = _node_groups(reader, row)
        return Plan(
            kind=self.kind,
            summary=f"Delete the cluster {row.name} in {row.region} and everything made for it",
            changes=tuple(_changes(reader, row, groups)),
            checks=(*_checks(reader, row, spec, data), *unread),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=0.0,
            typical_seconds=self.typical_seconds,
            irreversible=tuple(_irreversible(spec, data)),
            basis={
                "empty_bucket": data.empty_bucket,
                "node_groups": groups,
                "resources": sorted(f"{item.resource_type} {item.physical_id}" for item in row.resources.all()),
            },
        )

    def guard(self, data: DeleteInput) -> None:
        """Somebody may have protected it since the plan looked, and nothing that makes more of it is under way."""
        refuse_beside_parts(data.name)
        row = state.locked(data.name)
        if row is not None and row.deletion_protection:
            fault = _protected(row.name)
            raise Problem(409, fault.code, "Deletion protection", fault.message, fault.hint)

    def record(self, data: DeleteInput, operation: Operation) -> None:
        state.note_operation(data.name, operation, whole=True, phases=tuple(PhaseName.values))

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = DeleteInput.model_validate(operation.input)
        row = cluster_row(operation)
        named = operation.plan["basis"].get("node_groups", ())
        subject = Subject.of(row, operation.pk.hex)
        return removal(subject, everything=data.empty_bucket, kubernetes=not data.skip_kubernetes, node_groups=named)

    def finished(self, operation: Operation) -> None:
        name = operation.input["name"]
        if operation.state != OperationState.SUCCEEDED:
            state.note_operation(name, operation, whole=True, phases=tuple(PhaseName.values))
            return
        row = state.locked(name)
        if row is not None:
            forget_cluster(name)
            alerts.forget_cluster(name)
            forget_source("cluster", name)
            row.operation_state = operation.state
            state.publish_cluster(row, "cluster_gone")
            row.delete()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/", "status is 404")


def removal(subject: Subject, *, everything: bool, kubernetes: bool, node_groups: Sequence[str] = ()) -> list[Step]:
    """The steps, phase by phase backwards. node_groups: EKS's that the plan named, of whatever hand."""
    spec = subject.spec
    claim = spec.storage.claim
    inside: list[Step] = [
        NothingInTheWay(subject),
        RemoveObject(subject, "Pod", names.storage_probe(claim), names.STORAGE_NAMESPACE),
        RemoveObject(subject, "PersistentVolumeClaim", claim, names.STORAGE_NAMESPACE),
        RemoveObject(subject, "PersistentVolume", names.volume(claim)),
    ]
    entries = list(reversed(dependencies.REGISTRY))
    releases: list[Step] = [entry.remove(subject) for entry in entries if entry.kind == "helm"]
    addons: list[Step] = [entry.remove(subject) for entry in entries if entry.kind == "addon"]
    return [
        *(inside if kubernetes else []),
        *(releases if kubernetes else []),
        RemoveNodeGroups(subject, node_groups),
        RemoveHyperPod(subject),
        *addons,
        AddonsGone(subject, [entry.name for entry in entries if entry.kind == "addon"]),
        *(step for feature in reversed(features.REGISTRY.values()) for step in feature.farewell(subject)),
        RemovePart(subject, "node-group", node_role.role_part(spec)),
        EmptyBucket(subject, everything=everything),
        RemoveNetworks(subject),
        RemoveStack(subject),
        RemoveLogGroups(subject),
        NothingLeft(subject),
    ]


def _node_groups(reader: ClusterReader, row: Cluster) -> tuple[list[str], tuple[Check, ...]]:
    """EKS's node groups by name, and a warning where only what was last seen of them can be told."""
    try:
        return sorted(one.name for one in reader.node_groups), ()
    except READ_ERRORS as error:
        warning = Check(
            code="node_groups_unreadable",
            severity=Severity.WARNING,
            title="EKS node groups",
            detail=f"The EKS node groups could not be read, so these are the last known: {error}",
            fix="The deletion stops at one that is not named here.",
        )
        return sorted(row.node_groups.values_list("name", flat=True)), (warning,)


def _changes(reader: ClusterReader, row: Cluster, groups: Iterable[str]) -> Iterator[Change]:
    for group in groups:
        yield Change(resource_type=NODE_GROUP_RESOURCE, name=f"{row.name}/{group}", action="delete")
    known = {(item.resource_type, item.physical_id) for item in row.resources.all()}
    for resource_type, physical_id in sorted(known):
        yield Change(resource_type=resource_type, name=physical_id, action="delete")
    try:
        networks = [stack.name for stack in network.all_of(reader)]
    except READ_ERRORS:
        networks = []  # they are looked for again when it comes to it
    for name in networks:
        yield Change(resource_type=STACK_RESOURCE, name=name, action="delete")
    if not known:
        yield Change(resource_type="Cluster", name=row.name, action="delete")


def _protected(name: str) -> Fault:
    return Fault("deletion_protected", f"{name} is protected against deletion.", "Switch deletion protection off first.")


def _checks(reader: ClusterReader, row: Cluster, spec: ResolvedSpec, data: DeleteInput) -> Iterator[Check]:
    if row.deletion_protection:
        yield Check.of(_protected(row.name), "Deletion protection")
    if data.confirm != row.name:
        yield Check(
            code="confirmation_missing",
            severity=Severity.ERROR,
            title="Confirmation",
            detail="A deletion needs the cluster's name typed once more.",
            fix=f'Send confirm: "{row.name}".',
            field="confirm",
        )
    yield from _blocking(reader, spec, data)


def _blocking(reader: ClusterReader, spec: ResolvedSpec, data: DeleteInput) -> Iterator[Check]:
    if not data.skip_kubernetes:
        try:
            yield from _as_checks(
                ("Jobs", blockers.running_jobs(reader), blockers.jobs_fault),
                ("Load balancers", blockers.load_balancers(reader), blockers.load_balancers_fault),
                ("Pods on the shared storage", blockers.claim_users(reader, spec), blockers.claim_fault),
            )
        except READ_ERRORS as error:
            yield Check(
                code="kubernetes_unreadable",
                severity=Severity.WARNING,
                title="Jobs and load balancers",
                detail=f"The Kubernetes API could not be read, so nothing is known of jobs and load balancers: {error}",
                fix="Try again when it can be read, or send skip_kubernetes: true to go on without.",
                field="skip_kubernetes",
            )
    try:
        yield from _as_checks(
            ("Load balancers' interfaces", blockers.load_balancer_interfaces(reader, spec), blockers.load_balancer_interfaces_fault)
        )
    except READ_ERRORS as error:
        yield Check(
            code="interfaces_unreadable",
            severity=Severity.WARNING,
            title="Load balancers' interfaces",
            detail=f"The network interfaces of the cluster's VPC could not be read: {error}",
            fix="The deletion stops where one is in its way, and names it.",
        )
    try:
        keys = [] if data.empty_bucket else blockers.first_foreign_files(reader.aws, spec.bucket)
    except READ_ERRORS as error:
        yield Check(
            code="bucket_unreadable",
            severity=Severity.WARNING,
            title="Files in the bucket",
            detail=f"The bucket {spec.bucket} could not be read: {error}",
            fix="The deletion stops there if it holds files.",
        )
        return
    if keys:
        yield Check.of(blockers.files_fault(spec.bucket, keys), "Files in the bucket", "empty_bucket")


def _as_checks(*found: tuple[str, list[str], object]) -> Iterator[Check]:
    for title, things, make in found:
        if things:
            fault: Fault = make(things)  # type: ignore[operator]
            yield Check.of(fault, title)
        else:
            yield Check(
                code=f"no_{title.lower().replace(chr(39), '').replace(' ', '_')}",
                severity=Severity.PASS,
                title=title,
                detail="None is in the way.",
            )


def _irreversible(spec: ResolvedSpec, data: DeleteInput) -> Iterator[Irreversible]:
    yield Irreversible(
        what=f"The cluster {spec.name} with its nodes and their disks",
        why="Instances and volumes are destroyed; Spot and on-demand capacity may not come back.",
    )
    if data.empty_bucket:
        yield Irreversible(what=f"All files in the bucket {spec.bucket}, every version", why="S3 keeps nothing of a deleted version.")
