"""Operations: what became of a change, how far it is, what it waits for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi.call import Call
from agentapi.change import AWAITING, change
from agentapi.inputs import Changing, Chosen, Listing, Segment, ToolInput
from agentapi.listing import page
from agentapi.outputs import Change, Next, One, Page
from agentapi.outside import outside, outside_all
from agentapi.rest import WAIT_SECONDS
from agentapi.tool import Answer, Tool, Verify
from agentapi.words import UNKNOWN, ago, seconds_since, slim, span

OperationId = Segment
DONE = Verify("operation_get", {"operation": "{operation}"}, "state is succeeded")
"""For changes whose outcome no other tool shows better."""


def row(found: dict[str, Any]) -> dict[str, Any]:
    """An operation in one line."""
    error = found.get("error") or {}
    return {
        "operation": found["id"],
        "kind": found["kind"],
        "subject": outside_all(found["subject"]),
        "state": found["state"],
        "begun": ago(found["created_at"]),
        "by": found["token_name"] or found["actor"],
        "error": error.get("code", ""),
    }


async def list_operations(call: Call, asked: Listing) -> Answer:
    top = {} if asked.where and {"top", "parent"} & set(asked.where) else {"top": True}
    return await page(call, "operations/", asked, row, "operation", params=top)


class GetOperation(Chosen):
    """operation: its id, from the answer of a change."""

    operation: OperationId


class OperationOne(One):
    """One operation. remaining: typical time to its end. error: where it failed, code, sentence and fix are under `trouble`."""

    operation: str
    kind: str
    subject: str
    state: str
    ended: bool
    step: str
    steps_done: str
    message: str
    waiting_for: str
    remaining: str
    begun: str
    trouble: dict[str, Any]
    parts: list[dict[str, Any]]
    approval: str
    verify: dict[str, Any]
    next: Next


async def get_operation(call: Call, asked: GetOperation) -> Answer:
    path = f"operations/{asked.operation}/"
    if asked.fields:
        return Answer("The operation.", outside_all(await call.rest.get(path, {"fields": ",".join(asked.fields)})))
    return await _told(call, await call.rest.get(path))


class WaitOperation(ToolInput):
    """seconds: the longest to wait; it answers sooner when the operation ends."""

    operation: OperationId
    seconds: Annotated[float, Field(ge=0, le=WAIT_SECONDS)] = WAIT_SECONDS


async def wait_operation(call: Call, asked: WaitOperation) -> Answer:
    return await _told(call, await call.rest.get(f"operations/{asked.operation}/", {"wait": asked.seconds}))


async def _told(call: Call, found: dict[str, Any]) -> Answer:
    ended = bool(found["ended"])
    children = bool(found["children"]) and not ended
    parts = (await call.rest.get("operations/", {"parent": found["id"], "limit": 10}))["results"] if children else []
    done, steps = progress(found)
    error = found["error"] or {}
    trouble = {"code": error.get("code"), "sentence": outside(error.get("message")), "fix": error.get("hint")} if error else {}
    data = {
        "operation": found["id"],
        "kind": found["kind"],
        "subject": outside_all(found["subject"]),
        "state": found["state"],
        "ended": ended,
        "step": _title(found),
        "steps_done": f"{done}/{len(steps)}" if steps else "",
        "message": outside(found["message"]),
        "waiting_for": outside(found["waiting_for"]),
        "remaining": "" if ended else remaining(steps),
        "begun": ago(found["created_at"]),
        "trouble": slim(trouble),
        "parts": [
            slim(
                {
                    "kind": part["kind"],
                    "state": part["state"],
                    "message": outside(part["message"], 120),
                    "waiting_for": outside(part["waiting_for"], 120),
                }
            )
            for part in reversed(parts)
        ],
        "approval": _approval(found),
        "next": _next(found, ended),
    }
    return Answer(_headline(found, ended), slim(data))


def progress(found: dict[str, Any]) -> tuple[int, list[dict[str, Any]]]:
    """How many steps are ready, and all of them."""
    steps = list(found.get("steps") or ())
    return sum(1 for step in steps if step["state"] == "ready"), steps


def remaining(steps: list[dict[str, Any]]) -> str:
    """Typical time to the end: of the steps to come, less what the current one has taken."""
    left = 0.0
    for step in steps:
        if step["state"] == "ready":
            continue
        if step["typical_seconds"] is None:
            return UNKNOWN
        taken = seconds_since(step["started_at"]) or 0.0
        left += max(0.0, step["typical_seconds"] - taken)
    return f"about {span(left)}"


def _title(found: dict[str, Any]) -> str:
    names = {step["name"]: step["title"] for step in found.get("steps") or ()}
    return str(names.get(found["step"], found["step"]))


def _approval(found: dict[str, Any]) -> str:
    if found["state"] == AWAITING:
        return "A person must approve it. Stop here and say so."
    if found.get("decided_by"):
        return f"Decided by {outside_all(found['decided_by'])}: {outside(found['decision_reason']) or 'no reason given'}."
    return ""


def _headline(found: dict[str, Any], ended: bool) -> str:
    if found["state"] == AWAITING:
        return f"{found['title']}: a person must approve it. Nothing is done yet. Stop and say so."
    if found["state"] == "unknown":
        return f"{found['title']}: its outcome can't be told; a person decides. Stop and say so."
    return f"{found['title']}: {found['state']}{'' if ended else ', goes on'}."


def _next(found: dict[str, Any], ended: bool) -> dict[str, Any]:
    if not ended and found["state"] != AWAITING:
        return {"tool": "operation_wait", "arguments": {"operation": found["id"]}}
    if ended and found["state"] == "succeeded" and found["cluster"]:
        return {"tool": "cluster_get", "arguments": {"cluster": found["cluster"]}}
    return {}


class DecideOperation(Changing):
    """operation: its id."""

    operation: OperationId


async def cancel_operation(call: Call, asked: DecideOperation) -> Answer:
    return await change(call, asked, "POST", f"operations/{asked.operation}/cancel/", values={"operation": asked.operation})


async def retry_operation(call: Call, asked: DecideOperation) -> Answer:
    return await change(call, asked, "POST", f"operations/{asked.operation}/retry/", values={"operation": asked.operation})


TOOLS = (
    Tool(
        "operation_list",
        "List operations",
        "Changes, newest first. where: active, state, kind, cluster, parent, since.",
        "core",
        Listing,
        Page,
        list_operations,
    ),
    Tool(
        "operation_get",
        "Look at an operation",
        "State, step, trouble with its fix, approval.",
        "core",
        GetOperation,
        OperationOne,
        get_operation,
    ),
    Tool(
        "operation_wait",
        "Wait for an operation",
        "Wait up to 25 s; tells phase, step, typical remaining time, what it waits for. Call again until ended is true.",
        "core",
        WaitOperation,
        OperationOne,
        wait_operation,
    ),
    Tool(
        "operation_cancel",
        "Cancel an operation",
        "Begin nothing new of it; what is under way ends.",
        "core",
        DecideOperation,
        Change,
        cancel_operation,
        Verify("operation_get", {"operation": "{operation}"}, "ended is true"),
        idempotent=True,
    ),
    Tool(
        "operation_retry",
        "Retry an operation",
        "Ask for the same again after it failed or was cancelled, as a new operation.",
        "operations",
        DecideOperation,
        Change,
        retry_operation,
        Verify("operation_get", {"operation": "{operation}"}, "ended is true"),
        open_world=True,
    ),
)
