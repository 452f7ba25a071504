"""cluster.prefer: which cluster a user, or a token, works on when a call names none."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.choices import Role
from accounts.preferences import prefer_cluster, preferred_cluster
from accounts.principal import Principal
from clusters.actions.subject import NameInput, known_cluster
from clusters.steps.select import caller
from operations.action import Action, Verification, register
from operations.models import Operation
from operations.plan import Change, FieldChange, Plan
from operations.step import Step


@register
class PreferCluster(Action[NameInput]):
    """One's own preference: nothing outside changes, and nobody else's."""

    kind = "cluster.prefer"
    title = "Prefer a cluster"
    permission = Role.VIEWER
    Input = NameInput
    typical_seconds = 1
    cancellable = False

    def subject(self, data: NameInput) -> tuple[str, str]:
        return "cluster", data.name

    def lock(self, data: NameInput) -> str:
        return ""

    def plan(self, data: NameInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal, observed_too=True)
        before = preferred_cluster(principal)
        fields = (FieldChange(field="cluster", before=before or None, after=row.name),)
        change = Change(
            resource_type="Preference",
            name=str(principal.token or principal.user),
            action="none" if before == row.name else "update",
            fields=() if before == row.name else fields,
        )
        return Plan(kind=self.kind, summary=f"Prefer {row.name}", changes=(change,), typical_seconds=1)

    def record(self, data: NameInput, operation: Operation) -> None:
        principal = caller(operation)
        if principal is not None:
            prefer_cluster(principal, data.name)

    def steps(self, operation: Operation) -> Iterable[Step]:
        return ()

    def verify(self, operation: Operation) -> Verification:
        return Verification("/api/v1/me/", f'preferred_cluster is "{operation.input["name"]}"')
