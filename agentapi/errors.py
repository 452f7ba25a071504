"""What a tool answers when it can't do what was asked: a code, a sentence, the fix, and what to call next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentapi.outside import quote

STOP = "Stop, and tell the person you work for."
NOT_REPEATED = ("dry_run", "plan_fingerprint", "operation_key", "reason")


@dataclass
class ToolError(Exception):
    """A refusal or a failure. call_next: the tool and its arguments that lead on, None where a person is needed.

    errors: field by field, where the input is at fault.
    """

    code: str
    sentence: str
    fix: str = ""
    call_next: dict[str, Any] | None = None
    errors: list[dict[str, str]] = field(default_factory=list)

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = {"code": self.code, "sentence": self.sentence, "fix": self.fix, "call_next": self.call_next}
        return {**body, "errors": self.errors} if self.errors else body


@dataclass
class Refused(Exception):
    """Our REST API answered with a problem (RFC 9457)."""

    status: int
    problem: Mapping[str, Any]


LOOK_AGAIN = frozenset({"plan_required", "plan_changed", "plan_too_old", "plan_has_errors"})
"""Codes whose way on is a look at the plan."""
AGAIN = frozenset({"throttled", "request_in_progress", "rate_limited"})
"""Codes whose way on is the same call, later."""
NOBODY_BUT_A_PERSON = frozenset(
    {"role_too_low", "read_only_token", "cluster_not_allowed", "account_not_allowed", "agents_stopped", "token_limit", "token_cost"}
    | {"agent_token", "agent_may_not_approve", "agent_may_not_resolve"}
)
REPEATS = frozenset({"plan_has_errors"})
"""Codes whose sentences may repeat what others wrote: names of what runs, AWS's words. So do the statuses 502 and 503."""
FIXES = {
    "plan_required": "Call it with dry_run true, look at the plan, then call it again with that plan_fingerprint.",
    "plan_too_old": "Call it with dry_run true, look at the plan, then call it again with that plan_fingerprint.",
    "plan_changed": "Call it with dry_run true and look at the new plan before you go on.",
}


def from_problem(refused: Refused, tool: str, arguments: Mapping[str, Any], known: frozenset[str]) -> ToolError:
    """The tool's error for what REST refused. known: names of the tools there are, so that no other one is named."""
    problem = refused.problem
    code = str(problem.get("code") or f"http_{refused.status}")
    fix = FIXES.get(code) or str(problem.get("hint") or "")
    if code in NOBODY_BUT_A_PERSON:
        fix = f"{fix} {STOP}".strip()
    errors = [
        {"field": str(error.get("field", "")), "sentence": _said(error.get("detail", ""), code), "fix": _clean(error.get("hint", ""))}
        for error in list(problem.get("errors") or ())[:8]
        if isinstance(error, Mapping)
    ]
    detail = problem.get("detail") or problem.get("title") or f"The API answered {refused.status}."
    repeats = code in REPEATS or refused.status in (502, 503)
    sentence = quote(str(detail)) if repeats else _clean(detail)
    return ToolError(code, sentence, _clean(fix), _next(code, problem, tool, arguments, known), errors)


def _said(text: Any, code: str) -> str:
    return quote(str(text)) if code in REPEATS else _clean(text)


def _next(code: str, problem: Mapping[str, Any], tool: str, arguments: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any] | None:
    kept = {name: value for name, value in arguments.items() if name not in NOT_REPEATED}
    if code in LOOK_AGAIN:
        return {"tool": tool, "arguments": {**kept, "dry_run": True}}
    if code in AGAIN:
        return {"tool": tool, "arguments": dict(arguments)}
    if code == "operation_in_progress" and problem.get("operation"):
        return {"tool": "operation_wait", "arguments": {"operation": str(problem["operation"])}}
    if code == "not_found":
        lister = f"{tool.partition('_')[0]}_list"
        if lister in known and lister != tool:
            return {
                "tool": lister,
                "arguments": {"cluster": arguments["cluster"]} if arguments.get("cluster") and lister != "cluster_list" else {},
            }
        return {"tool": "cluster_list", "arguments": {}}
    return None


def _clean(text: Any) -> str:
    """Our own sentences as they are. They may repeat what others wrote, so no mark of quoted text survives in them."""
    return quote(str(text), most=400).removeprefix("<untrusted>").removesuffix("</untrusted>")
