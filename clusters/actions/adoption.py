"""cluster.adopt and cluster.forget: an imported cluster becomes one that is changed from here, or leaves the list; AWS sees tags alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from accounts.preferences import forget_cluster
from accounts.principal import Principal
from clusters import state, tags
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.groups.overlap import refuse_beside_parts
from clusters.models import Cluster
from clusters.reading.reader import READ_ERRORS, ClusterReader
from clusters.steps.adoption import TagEks, TagHyperPod, UntagEks, UntagHyperPod, eks_tags, hyperpod_tags, ours, wanted
from clusters.steps.base import Subject
from instantstart.problem import Problem
from operations import alerts, clock
from operations.action import Action, Verification, register
from operations.choices import OperationState, Risk, Severity
from operations.models import Operation
from operations.observing import forget_source
from operations.plan import Change, Check, FieldChange, Plan
from operations.step import Step

EKS, HYPERPOD = "AWS::EKS::Cluster", "AWS::SageMaker::Cluster"


@register
class AdoptCluster(Action[NameInput]):
    """Writes our tags, and from then on the actions on groups, nodes and features are open to it."""

    kind = "cluster.adopt"
    title = "Adopt an imported cluster"
    Input = NameInput
    typical_seconds = 5

    def subject(self, data: NameInput) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: NameInput, principal: Principal) -> Plan:
        row = _imported(data.name, principal, "adopted")
        with readable():
            found = _tags(row)
        changes = [_tagged(kind, name, said, row.name) for kind, name, said in found]
        own = Change(
            resource_type="Cluster",
            name=row.name,
            action="update" if row.adopted_at is None else "none",
            fields=(FieldChange(field="adopted", before=False, after=True),) if row.adopted_at is None else (),
        )
        return Plan(
            kind=self.kind,
            summary=f"Adopt {row.name}: write our tags, and allow changes of it from here",
            changes=(*changes, own),
            checks=tuple(_owners(found, row.name)),
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        yield TagEks(subject)
        if subject.hyperpod_name:
            yield TagHyperPod(subject)

    def finished(self, operation: Operation) -> None:
        row = state.locked(operation.input["name"])
        if row is not None and operation.state == OperationState.SUCCEEDED and row.adopted_at is None:
            before = state.shown(row)
            row.adopted_at = clock.now()
            state.settle(row, before)
            state.publish_cluster(row)

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/", "adopted_at is not null")


class ForgetInput(NameInput):
    """keep_tags: forget it although AWS can't be read; our tags, if there are any, stay there."""

    keep_tags: bool = False


@register
class ForgetCluster(Action[ForgetInput]):
    """The rows here and our tags there; no resource of AWS or Kubernetes."""

    kind = "cluster.forget"
    title = "Forget an imported cluster"
    risk = Risk.DISRUPTIVE
    Input = ForgetInput
    typical_seconds = 5

    def subject(self, data: ForgetInput) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: ForgetInput, principal: Principal) -> Plan:
        row = _imported(data.name, principal, "forgotten")
        changes: list[Change] = []
        checks = [
            Check(
                code="nothing_deleted",
                severity=Severity.INFO,
                title="In AWS",
                detail=f"Nothing of {row.eks} is deleted there but the tags named above, if any; what was added from here stays.",
            )
        ]
        if not data.keep_tags:
            try:
                found = _tags(row)
            except READ_ERRORS as error:
                checks.append(
                    Check(
                        code="tags_unreadable",
                        severity=Severity.ERROR,
                        title="Tags",
                        detail=f"Whether it carries our tags could not be read: {error}",
                        fix="Try again when it can be read, or send keep_tags: true to leave them there.",
                        field="keep_tags",
                    )
                )
            else:
                changes = [_untagged(kind, name, said or {}, ours(said, row.name)) for kind, name, said in found]
        return Plan(
            kind=self.kind,
            summary=f"Forget {row.name}: take it off the list, and our tags off it",
            changes=(*changes, Change(resource_type="Cluster", name=row.name, action="delete")),
            checks=tuple(checks),
            typical_seconds=self.typical_seconds,
        )

    def guard(self, data: ForgetInput) -> None:
        """What changes it from here needs its row until it has ended."""
        refuse_beside_parts(data.name)

    def steps(self, operation: Operation) -> Iterable[Step]:
        row = cluster_row(operation, missing_ok=True)
        if row is None or operation.input.get("keep_tags"):
            return
        subject = Subject.of(row, operation.pk.hex)
        yield UntagEks(subject)
        if subject.hyperpod_name:
            yield UntagHyperPod(subject)

    def finished(self, operation: Operation) -> None:
        name = operation.input["name"]
        row = state.locked(name) if operation.state == OperationState.SUCCEEDED else None
        if row is not None:
            forget_cluster(name)
            alerts.forget_cluster(name)
            forget_source("cluster", name)
            state.publish_cluster(row, "cluster_gone")
            row.delete()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/", "status is 404")


def _imported(name: str, principal: Principal, what: str) -> Cluster:
    row = known_cluster(name, principal, observed_too=True)
    if not row.imported:
        raise Problem(
            409,
            "not_imported",
            "Not imported",
            f"{name} was made here, so it can't be {what}.",
            "Nothing needs to be done to change it; delete it to be rid of it.",
        )
    return row


Tagged = tuple[str, str, Mapping[str, str] | None]


def _tags(row: Cluster) -> list[Tagged]:
    """Kind, name and tags of what an adoption tags."""
    reader = ClusterReader.of(row)
    found: list[Tagged] = [(EKS, row.eks, eks_tags(reader))]
    if row.hyperpod:
        found.append((HYPERPOD, row.hyperpod, hyperpod_tags(reader)))
    return found


def _tagged(kind: str, name: str, said: Mapping[str, str] | None, cluster: str) -> Change:
    before = said or {}
    fields = tuple(
        FieldChange(field=f"tags.{key}", before=before.get(key), after=value)
        for key, value in wanted(cluster).items()
        if before.get(key) != value
    )
    return Change(resource_type=kind, name=name, action="update" if fields else "none", fields=fields)


def _untagged(kind: str, name: str, said: Mapping[str, str], keys: list[str]) -> Change:
    fields = tuple(FieldChange(field=f"tags.{key}", before=said[key], after=None) for key in keys)
    return Change(resource_type=kind, name=name, action="update" if fields else "none", fields=fields)


def _owners(found: list[Tagged], cluster: str) -> Iterator[Check]:
    for kind, name, said in found:
        owner = (said or {}).get(tags.CLUSTER, "")
        if said is None:
            yield Check(
                code="cluster_missing",
                severity=Severity.ERROR,
                title="Tags",
                detail=f"AWS knows no {'EKS' if kind == EKS else 'HyperPod'} cluster {name} any more.",
                fix="Search the region and import it again, or forget it.",
            )
        elif owner not in ("", cluster):
            yield Check(
                code="owned_elsewhere",
                severity=Severity.ERROR,
                title="Tags",
                detail=f"{name} carries the tag {tags.CLUSTER}={owner}: another InstantStart made or adopted it.",
                fix=f"Forget it there, or take that tag off; if it was this one's, import it under the name {owner}.",
            )
