"""cluster.protect: a protected cluster can't be deleted through any door."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.principal import Principal
from clusters import state
from clusters.actions.subject import NameInput, known_cluster
from operations.action import Action, Verification, register
from operations.choices import DUE_STATES
from operations.conflict import in_progress
from operations.models import Operation
from operations.plan import Change, FieldChange, Plan
from operations.step import Step


class ProtectInput(NameInput):
    enabled: bool


@register
class ProtectCluster(Action[ProtectInput]):
    """Changes our own row only, so it is done when it is recorded."""

    kind = "cluster.protect"
    title = "Set deletion protection"
    Input = ProtectInput
    typical_seconds = 1
    cancellable = False

    def subject(self, data: ProtectInput) -> tuple[str, str]:
        return "cluster", data.name

    def lock(self, data: ProtectInput) -> str:
        # It must be settable while something long runs, and is done when it is recorded: the row's lock keeps the order.
        return ""

    def plan(self, data: ProtectInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        same = row.deletion_protection == data.enabled
        change = Change(
            resource_type="Cluster",
            name=row.name,
            action="none" if same else "update",
            fields=() if same else (FieldChange(field="deletion_protection", before=row.deletion_protection, after=data.enabled),),
        )
        return Plan(
            kind=self.kind, summary=f"{'Protect' if data.enabled else 'Stop protecting'} {row.name}", changes=(change,), typical_seconds=1
        )

    def guard(self, data: ProtectInput) -> None:
        """A deletion that runs is not stopped by it, and must not look as if it were."""
        row = state.locked(data.name)
        deletion = Operation.objects.filter(cluster=data.name, kind="cluster.delete", state__in=DUE_STATES).first()
        if row is not None and data.enabled and deletion is not None:
            raise in_progress(deletion)

    def record(self, data: ProtectInput, operation: Operation) -> None:
        row = state.locked(data.name)
        if row is not None:
            before = state.shown(row)
            row.deletion_protection = data.enabled
            state.settle(row, before)

    def steps(self, operation: Operation) -> Iterable[Step]:
        return ()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/clusters/{operation.input['name']}/", f"deletion_protection is {operation.input['enabled']}")
