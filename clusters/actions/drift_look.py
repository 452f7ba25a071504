"""drift.observe: the hourly comparison, now."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.principal import Principal
from clusters import names
from clusters.actions.recent import looked_just_now
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.steps.drift_look import OBSERVER, CompareStack, CompareWithDesired, ReadCluster
from operations.action import Action, Verification, register
from operations.models import Operation
from operations.observing import ensure_source, poke
from operations.plan import Change, Plan
from operations.step import Step


@register
class LookForDrift(Action[NameInput]):
    """Reads alone: the cluster, CloudFormation's detection, and CloudTrail for who did what is new. Nothing is put back."""

    kind = "drift.observe"
    title = "Look for drift"
    Input = NameInput
    typical_seconds = 60

    def subject(self, data: NameInput) -> tuple[str, str]:
        return "drift", data.name

    def plan(self, data: NameInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        check = looked_just_now(self.kind, row.name)
        return Plan(
            kind=self.kind,
            summary=f"Compare {row.name} with what it is meant to be, by reads alone",
            changes=(Change(resource_type="Comparison", name=row.name, action="update" if check is None else "none"),),
            checks=() if check is None else (check,),
            typical_seconds=self.typical_seconds,
        )

    def record(self, data: NameInput, operation: Operation) -> None:
        row = cluster_row(operation)
        ensure_source(OBSERVER, row.name, cluster=row.name, scope=names.scope(row.account, row.region))
        poke(OBSERVER, row.name)

    def steps(self, operation: Operation) -> Iterable[Step]:
        name = operation.input["name"]
        return [ReadCluster(name), CompareWithDesired(name), CompareStack(name)]

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/drift/?state=open", "the operation has succeeded")
