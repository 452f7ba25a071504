"""orphan.delete: one resource that belongs to nothing we know."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from pydantic import Field

from accounts.principal import Principal
from clusters.actions.readable import readable
from clusters.choices import OrphanKind
from clusters.models import Orphan
from clusters.orphans import kinds
from clusters.orphans.reading import read_one
from clusters.spec import Input
from clusters.steps.orphan import DeleteOrphan, claim
from instantstart import cloud
from instantstart.problem import Problem
from operations.action import Action, Verification, register
from operations.choices import OperationState, Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, Irreversible, Plan
from operations.step import Step


class OrphanInput(Input):
    """orphan: its id in the list. confirm: its name once more."""

    orphan: int = Field(ge=1)
    confirm: str = ""


@register
class DeleteOrphanAction(Action[OrphanInput]):
    """Looks at it again, in the plan and before each call: what belongs to somebody by then is left alone."""

    kind = "orphan.delete"
    title = "Delete an orphan"
    risk = Risk.DESTRUCTIVE
    Input = OrphanInput
    typical_seconds = 60

    def subject(self, data: OrphanInput) -> tuple[str, str]:
        return "orphan", str(data.orphan)

    def cluster(self, data: OrphanInput) -> str:
        return ""

    def account(self, data: OrphanInput) -> str:
        return Orphan.objects.filter(pk=data.orphan).values_list("account", flat=True).first() or ""

    def plan(self, data: OrphanInput, principal: Principal) -> Plan:
        row = known_orphan(data.orphan)
        region = row.region or settings.DEFAULT_REGION
        with readable():
            found = read_one(cloud.connect(region, row.account), row.arn)
            fault = claim(found) if found is not None else None
        rows = [Check.of(fault, "Belongs to nothing")] if fault is not None else []
        if data.confirm != row.name:
            rows.append(
                Check(
                    code="confirmation_missing",
                    severity=Severity.ERROR,
                    title="Confirmation",
                    detail="A deletion needs the resource's name typed once more.",
                    fix=f'Send confirm: "{row.name}".',
                    field="confirm",
                )
            )
        what = f"{row.resource_type} {row.name}"
        return Plan(
            kind=self.kind,
            summary=f"Delete {what}, made for {row.cluster}",
            changes=(Change(resource_type=row.resource_type, name=row.arn, action="delete" if found is not None else "none"),),
            checks=tuple(rows),
            typical_seconds=self.typical_seconds,
            irreversible=(Irreversible(what=what, why="What it holds is deleted with it; AWS brings nothing back."),),
            basis={"arn": row.arn, "region": region, "account": row.account},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        basis = operation.plan["basis"]
        if "arn" in basis:
            yield DeleteOrphan(basis["arn"], basis["region"], basis["account"])

    def finished(self, operation: Operation) -> None:
        if operation.state == OperationState.SUCCEEDED:
            Orphan.objects.filter(pk=operation.input["orphan"], arn=operation.plan["basis"].get("arn", "")).delete()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/orphans/{operation.input['orphan']}/", "status is 404")


def known_orphan(identifier: int) -> Orphan:
    """Problem 404 when there is none, 409 when it is nothing that can be deleted."""
    row = Orphan.objects.filter(pk=identifier).first()
    if row is None:
        raise Problem(
            404, "orphan_not_found", "Orphan not found", f"There is no orphan {identifier}.", "List the orphans to see their ids."
        )
    if row.kind == OrphanKind.MISSING:
        raise Problem(
            409,
            "orphan_missing",
            "Nothing to delete",
            f"AWS does not list {row.resource_type} {row.name} any more: only our row speaks of it.",
            f"Delete the cluster {row.cluster}, or retry its phases to make it again.",
        )
    if row.resource_type not in kinds.WAYS:
        raise Problem(
            409,
            "orphan_not_deletable",
            "Not deleted here",
            f"InstantStart does not delete a {row.resource_type} by itself: {row.name}.",
            "It goes with what it belongs to; else delete it with the AWS command line.",
        )
    return row
