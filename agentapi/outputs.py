"""What tools answer, as schemas: the members that an answer may have. Every answer may have `error` in their place."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """Members may be left out: what is empty is not sent."""

    model_config = ConfigDict(extra="allow")


class Output(Body):
    """cluster_taken: why this cluster, when none was named. truncated: something was cut to keep the answer small."""

    cluster: str
    cluster_taken: str
    note: str
    truncated: bool


class Page(Output):
    """A page of rows. next_cursor: give it as `cursor` for the next one."""

    items: list[dict[str, Any]]
    next_cursor: str


class One(Output):
    """One thing."""


class Next(Body):
    tool: str
    arguments: dict[str, Any]


class Verify(Next):
    """Call the tool until the condition holds in its answer."""

    until: str


class PlanBody(Body):
    """What would happen."""

    summary: str
    changed: bool
    fingerprint: str
    changes: list[dict[str, Any]]
    counts: dict[str, int]
    checks: list[dict[str, Any]]
    cost_now: str
    cost_after: str
    typical: str
    irreversible: list[str]
    resumes: str


class Change(Output):
    """dry_run: `plan`. Otherwise `operation` (none where nothing had to change) and how its outcome is verified."""

    plan: PlanBody
    changed: bool
    operation: str
    state: str
    repeated: bool
    verify: Verify
    next: Next


class ErrorBody(Body):
    code: str
    sentence: str
    fix: str
    call_next: Next | None
    errors: list[dict[str, str]]
