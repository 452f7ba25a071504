"""orphan.observe: the hourly sweep, now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import StringConstraints

from accounts.principal import Principal
from clusters.actions.recent import looked_just_now
from clusters.orphans.sweep import places
from clusters.region import Region
from clusters.spec import Input
from clusters.steps.orphan_look import SweepPlace
from operations.action import Action, Verification, register
from operations.models import Operation
from operations.plan import Change, Plan
from operations.step import Step


class SweepInput(Input):
    """Empty: every region and account that we know something of. account: digits."""

    region: Region | None = None
    account: Annotated[str, StringConstraints(pattern=r"^(\d{12})?$")] = ""


@register
class SweepForOrphans(Action[SweepInput]):
    """Reads alone: what carries our tags, region by region. Nothing is deleted."""

    kind = "orphan.observe"
    title = "Look for orphans"
    Input = SweepInput
    typical_seconds = 20

    def subject(self, data: SweepInput) -> tuple[str, str]:
        return "orphans", " in ".join(part for part in (data.region, data.account) if part) or "everywhere"

    def cluster(self, data: SweepInput) -> str:
        return ""

    def account(self, data: SweepInput) -> str:
        return data.account

    def lock(self, data: SweepInput) -> str:
        return "orphans"

    def plan(self, data: SweepInput, principal: Principal) -> Plan:
        wanted = [
            [account, region]
            for account, region in places()
            if data.region in (None, region) and (not data.account or account == data.account)
        ]
        if not wanted and data.region is not None:
            wanted = [[data.account, data.region]]
        check = looked_just_now(self.kind, self.subject(data)[1])
        changes = [
            Change(
                resource_type="Sweep", name=f"{region} in {account}" if account else region, action="update" if check is None else "none"
            )
            for account, region in wanted
        ]
        return Plan(
            kind=self.kind,
            summary=f"Look for orphans in {len(wanted)} {'place' if len(wanted) == 1 else 'places'}, by reads alone",
            changes=tuple(changes),
            checks=() if check is None else (check,),
            typical_seconds=self.typical_seconds,
            basis={"places": wanted},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        roles: set[str] = set()
        for account, region in operation.plan["basis"].get("places", ()):
            yield SweepPlace(region, account, roles=account not in roles)
            roles.add(account)

    def verify(self, operation: Operation) -> Verification:
        return Verification("/api/v1/orphans/", "the operation has succeeded")
