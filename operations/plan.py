"""What would happen if an action were carried out: made by reads only, shown before every change."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from operations.choices import Severity

if TYPE_CHECKING:
    from operations.step import Fault


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldChange(Frozen):
    """One field: its value now and after. `None` before means it is not there yet."""

    field: str
    before: Any = None
    after: Any = None


class Change(Frozen):
    """What happens to one resource. `resource_type` in AWS's or Kubernetes' own words, `name` as a person knows it."""

    resource_type: str
    name: str
    action: Literal["create", "update", "delete", "none"]
    fields: tuple[FieldChange, ...] = ()


class Check(Frozen):
    """One thing looked at before the change. `detail` is a sentence, `fix` what to do when it is not a pass."""

    code: str
    severity: Severity
    title: str
    detail: str
    fix: str = ""
    field: str = ""
    """Dotted path of the input field at fault, when there is one."""

    @classmethod
    def of(cls, fault: Fault, title: str, field: str = "") -> Self:
        """The error that a plan shows for what a step would fail with."""
        return cls(code=fault.code, severity=Severity.ERROR, title=title, detail=fault.message, fix=fault.hint, field=field)


class Irreversible(Frozen):
    """What cannot be undone, and why."""

    what: str
    why: str


class Plan(Frozen):
    """The exact differences, the checks, the cost, the duration and what cannot be undone.

    cost_per_hour_before, cost_per_hour: US dollars an hour before and after the change, None when unknown (never 0 for unknown).
    typical_seconds: usual duration, None when unknown.
    basis: facts read from the world that the fingerprint covers besides the changes (ids, versions, counts).
    """

    kind: str
    summary: str
    changes: tuple[Change, ...] = ()
    checks: tuple[Check, ...] = ()
    cost_per_hour_before: float | None = None
    cost_per_hour: float | None = None
    typical_seconds: int | None = None
    irreversible: tuple[Irreversible, ...] = ()
    documents: dict[str, str] = Field(default_factory=dict)
    """Texts worth reading before a yes, by name: the CloudFormation template, a manifest."""
    resumes: str | None = None
    """Id or name of the half-made attempt that this plan continues."""
    basis: dict[str, Any] = Field(default_factory=dict)

    @property
    def changed(self) -> bool:
        return any(change.action != "none" for change in self.changes)

    @property
    def errors(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.severity == Severity.ERROR)

    @property
    def warnings(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.severity == Severity.WARNING)

    @property
    def fingerprint(self) -> str:
        """Changes when the world, the input or the result would: prices and durations do not count."""
        covered = self.model_dump(mode="json", include={"kind", "changes", "irreversible", "basis"})
        return hashlib.sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()[:32]
