"""How a tool changes something: its plan, or the operation that carries it out and what verifies it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from agentapi.call import Call
from agentapi.inputs import Changing
from agentapi.outside import outside, outside_all, quote
from agentapi.rest import Reply
from agentapi.tool import Answer
from agentapi.words import money, slim, span

AWAITING = "awaiting_approval"
SHOWN_CHANGES = 12
FIRST = ("delete", "update", "create")
"""In which order changes are shown: what takes away comes first."""


async def change(
    call: Call,
    asked: Changing,
    method: str,
    path: str,
    *,
    body: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    said: Mapping[str, Any] | None = None,
) -> Answer:
    """values: what the tool's `verify` is filled with, besides "operation". said: further members of the answer."""
    query = {**(params or {}), "dry_run": True} if asked.dry_run else {**(params or {}), "plan_fingerprint": asked.plan_fingerprint}
    key = None if asked.dry_run else asked.operation_key
    reply = await call.rest.send(method, path, params=query, body=body, key=key, reason=asked.reason)
    if asked.dry_run:
        return planned(reply.body, call.tool.name, said or {})
    return accepted(call, reply, values or {}, said or {})


def planned(plan: Mapping[str, Any], tool: str, said: Mapping[str, Any]) -> Answer:
    """The plan of a dry run, as short as it can be told."""
    data = {**said, "plan": plan_body(plan)}
    faults = [check for check in plan.get("checks", ()) if check.get("severity") == "error"]
    if faults:
        return Answer("This can't be done as asked: correct what the checks with severity error name.", data)
    if not plan.get("changed", True):
        return Answer("Nothing would change.", data)
    doing = "Going on with what is half made: " if plan.get("resumes") else ""
    return Answer(f"{doing}Nothing is done yet. To do it, call {tool} again with this plan_fingerprint.", data)


def plan_body(plan: Mapping[str, Any]) -> dict[str, Any]:
    """What of a plan is worth an agent's while: counts and the gravest changes, checks that did not pass, cost, what can't be undone."""
    changes = [one for one in plan.get("changes", ()) if one.get("action") != "none"]
    changes.sort(key=lambda one: (FIRST.index(one["action"]) if one["action"] in FIRST else len(FIRST), not one.get("fields")))
    counts = Counter(str(one.get("action")) for one in plan.get("changes", ()))
    told = [one for one in plan.get("checks", ()) if one.get("severity") in ("error", "warning")]
    return slim(
        {
            "summary": _plain(plan.get("summary", "")),
            "changed": bool(plan.get("changed", changes)),
            "fingerprint": plan.get("fingerprint", ""),
            "counts": dict(counts),
            "changes": [_change(one) for one in changes[:SHOWN_CHANGES]],
            "more_changes": max(0, len(changes) - SHOWN_CHANGES) or None,
            "checks": [
                slim({"severity": one["severity"], "code": one["code"], "detail": outside(one["detail"]), "fix": _plain(one["fix"])})
                for one in told
            ],
            "cost_now": money(plan.get("cost_per_hour_before")),
            "cost_after": money(plan.get("cost_per_hour")),
            "typical": span(plan.get("typical_seconds")),
            "irreversible": [f"{_plain(one['what'])}: {_plain(one['why'])}" for one in plan.get("irreversible", ())],
            "resumes": plan.get("resumes"),
        }
    )


def _plain(text: Any) -> str:
    """A sentence of our own: it may name things of others', so nothing in it can look like a mark of quotation."""
    return str(text).replace("<", "‹").replace(">", "›")


def _change(one: Mapping[str, Any]) -> dict[str, Any]:
    fields = [f"{field['field']}: {_value(field.get('before'))} → {_value(field.get('after'))}" for field in one.get("fields", ())[:6]]
    return slim({"action": one["action"], "what": one["resource_type"], "name": outside(one["name"], 80), "fields": fields})


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool | int | float):
        return str(value).lower()
    safe = outside_all(value)
    return safe if isinstance(safe, str) else quote(str(value), 80)


def accepted(call: Call, reply: Reply, values: Mapping[str, Any], said: Mapping[str, Any]) -> Answer:
    """The operation that a change became, or that there was nothing to change."""
    body = reply.body if isinstance(reply.body, dict) else {}
    known = {**values, "operation": body["id"]} if body.get("id") else values
    verify = call.tool.verify.of(known) if call.tool.verify else {}
    if not body.get("id"):
        return Answer("Nothing had to change.", {**said, "changed": False, "verify": verify})
    operation, state = str(body["id"]), str(body.get("state", ""))
    data = {**said, "changed": True, "operation": operation, "state": state, "repeated": reply.replayed, "verify": verify}
    if state == AWAITING:
        headline = "A person must approve this first: stop here, say so, and look with operation_get later. Nothing is done yet."
        return Answer(headline, {**data, "next": {"tool": "operation_get", "arguments": {"operation": operation}}})
    follow = {"tool": "operation_wait", "arguments": {"operation": operation}}
    return Answer(f"{'The same call came before; this is its operation' if reply.replayed else 'Under way'}.", {**data, "next": follow})
