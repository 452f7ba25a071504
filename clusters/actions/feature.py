"""feature.set: one managed feature, or several in order, on, off or changed; only what differs is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from accounts.principal import Principal
from clusters import features, state
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.choices import FeatureState
from clusters.features.checks import checks
from clusters.features.relations import related, required_by
from clusters.features.wish import FeatureChange, Wish, wishes
from clusters.groups.overlap import ENDS, refuse_overlap
from clusters.models import Cluster
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from instantstart.problem import Problem
from operations import events
from operations.action import Action, Verification, register
from operations.choices import Risk
from operations.conflict import in_progress
from operations.models import Operation
from operations.models.operation import LOCKING_STATES
from operations.plan import Change, Irreversible, Plan
from operations.step import Step

TYPICAL_SECONDS = 180
SETTING = ("feature.set", "drift.revert")
"""Operations that set features."""


class FeatureSetInput(NameInput):
    """features: what changes, by feature. cascade: whether what must go along (needed, or needing) is in the plan too."""

    features: Annotated[dict[str, FeatureChange], Field(min_length=1)]
    cascade: bool = False

    @model_validator(mode="after")
    def _known(self) -> FeatureSetInput:
        unknown = sorted(set(self.features) - set(features.REGISTRY))
        if unknown:
            raise ValueError(f"there is no feature {', '.join(unknown)}; there are {', '.join(features.REGISTRY)}")
        return self


@register
class SetFeature(Action[FeatureSetInput]):
    """Several features in one request are carried out one after the other: where one fails, the later ones stay as they were."""

    kind = "feature.set"
    title = "Set managed features"
    risk = Risk.DISRUPTIVE
    Input = FeatureSetInput
    typical_seconds = TYPICAL_SECONDS

    def risk_of(self, plan: Plan) -> Risk:
        """Turned off, it may take away what others need, or what does not come back."""
        off = [name for name, wish in plan.basis.get("wishes", {}).items() if not wish["enabled"]]
        states = plan.basis.get("states", {})
        needed = any(states.get(other, FeatureState.ABSENT) != FeatureState.ABSENT for name in off for other in required_by(name))
        return Risk.DESTRUCTIVE if off and (plan.irreversible or needed) else self.risk

    def subject(self, data: FeatureSetInput) -> tuple[str, str]:
        return "feature", f"{data.name}/{'+'.join(sorted(data.features))}"[:200]

    def plan(self, data: FeatureSetInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        spec = ResolvedSpec.model_validate(row.spec)
        with readable():
            reader = ClusterReader.of(row)
            _reachable(row, reader)
            seen = {name: features.find(name).detect(reader, spec) for name in sorted(related(data.features))}
            wanted = wishes(data.features, seen, spec, cascade=data.cascade)
            changes = {wish.name: _changes(reader, spec, wish, seen) for wish in wanted}
            found = tuple(checks(reader, spec, [wish for wish in wanted if _changed(changes[wish.name])], seen))
        moving = [wish for wish in wanted if _changed(changes[wish.name])]
        return Plan(
            kind=self.kind,
            summary=_summary(row.name, moving or wanted),
            changes=tuple(change for wish in wanted for change in changes[wish.name]),
            checks=found,
            typical_seconds=TYPICAL_SECONDS * max(1, len(moving)),
            irreversible=tuple(_irreversible(moving, seen)),
            basis={
                "features": sorted(wish.name for wish in moving),
                "groups": sorted({group for wish in moving for group in _groups(wish, seen[wish.name])}),
                "order": [wish.name for wish in moving],
                "wishes": {wish.name: wish.as_json() for wish in moving},
                "states": {name: str(one.state) for name, one in seen.items()},
            },
        )

    def record(self, data: FeatureSetInput, operation: Operation) -> None:
        """One operation at a time on features that hang together: both look at the same rows under the cluster's lock."""
        row = state.locked(data.name)
        if row is None:
            return
        basis = _basis(operation)
        if basis["groups"]:
            refuse_overlap(data.name, operation)
        going = Operation.objects.filter(kind__in=ENDS, cluster=data.name, state__in=LOCKING_STATES).first()
        if going is not None:
            # What a feature makes outside of the cluster would be left behind.
            raise in_progress(going, f"the whole cluster {data.name}")
        mine = related(basis["features"])
        others = Operation.objects.filter(kind__in=SETTING, cluster=data.name, state__in=LOCKING_STATES).exclude(pk=operation.pk)
        for other in others:
            theirs = mine & set(_basis(other)["features"])
            if theirs and other.pk != operation.parent_id:
                raise in_progress(other, ", ".join(features.find(name).title for name in sorted(theirs)))
        _note_choices(row, basis["wishes"])
        row.features.filter(name__in=basis["features"]).update(operation_id=operation.pk)
        events.publish(row.topic, "features", {"cluster": row.name})

    def finished(self, operation: Operation) -> None:
        """The pages take the operation's end from their rows' last operation."""
        events.publish(f"cluster:{operation.cluster}", "features", {"cluster": operation.cluster})

    def steps(self, operation: Operation) -> Iterable[Step]:
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        basis = _basis(operation)
        for name in basis["order"]:
            feature, wish = features.find(name), basis["wishes"][name]
            if wish["enabled"]:
                yield from feature.apply(subject, wish["settings"])
            else:
                yield from feature.remove(subject, wish["settings"])
            yield feature.verify(subject, enabled=wish["enabled"])

    def verify(self, operation: Operation) -> Verification:
        wanted = FeatureSetInput.model_validate(operation.input)
        name = next(iter(sorted(wanted.features)))
        enabled = _basis(operation)["wishes"].get(name, {"enabled": True})["enabled"]
        return Verification(f"/api/v1/clusters/{wanted.name}/features/{name}/", f'state is "{"active" if enabled else "absent"}"')


def _basis(operation: Operation) -> Mapping[str, Any]:
    """What the plan rests on: the features that move, in which order, and what each is to be."""
    return {"features": (), "groups": (), "order": (), "wishes": {}, **operation.plan["basis"]}


def _groups(wish: Wish, seen: features.FeatureSeen) -> set[str]:
    """Groups that come under a feature, are under it, or leave it."""
    feature = features.find(wish.name)
    return {*feature.groups(wish.settings), *feature.groups(seen.settings)}


def _reachable(row: Cluster, reader: ClusterReader) -> None:
    if reader.target is None:
        raise Problem(
            409,
            "control_plane_missing",
            "No Kubernetes API",
            f"EKS tells no endpoint of {row.name} (yet), so no feature can be set.",
            "Wait until the phase control_plane is ready, or retry it.",
        )


def _changes(reader: ClusterReader, spec: ResolvedSpec, wish: Wish, seen: Mapping[str, features.FeatureSeen]) -> tuple[Change, ...]:
    feature = features.find(wish.name)
    if wish.enabled:
        return feature.plan(reader, spec, wish.settings, seen[wish.name])
    return feature.plan_removal(reader, spec, seen[wish.name])


def _changed(changes: Iterable[Change]) -> bool:
    return any(change.action != "none" for change in changes)


def _summary(cluster: str, wanted: Iterable[Wish]) -> str:
    said = [f"{'set' if wish.enabled else 'remove'} {features.find(wish.name).title}" for wish in wanted]
    text = f"{', '.join(said)} on {cluster}"
    return text[:1].upper() + text[1:]


def _irreversible(moving: Iterable[Wish], seen: Mapping[str, features.FeatureSeen]) -> Iterator[Irreversible]:
    for wish in moving:
        if not wish.enabled:
            yield from features.find(wish.name).irreversible(seen[wish.name])


def _note_choices(row: Cluster, wanted: Mapping[str, Any]) -> None:
    """What was chosen at the cluster's creation and is turned off now is no longer wanted by the phase dependencies."""
    flags = [features.find(name).chosen_by for name, wish in wanted.items() if not wish["enabled"]]
    changed = [flag for flag in flags if flag and row.spec.get(flag)]
    if changed:
        row.spec = {**row.spec, **dict.fromkeys(changed, False)}
        row.save(update_fields=["spec"])
