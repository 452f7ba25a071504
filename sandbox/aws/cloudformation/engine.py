"""What moves stacks on: one agenda event at a time, and what follows when a run is over.

Each event is `cloudformation.advance {stack, generation}`; a new run raises the generation, so that events of an older one do nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.cloudformation import events, runs, stacks
from sandbox.aws.cloudformation.course import Course
from sandbox.aws.errors import AWSError
from sandbox.durations import duration
from sandbox.identity import Principal

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.runs import Run
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.context import Context

_EVENT = "cloudformation.advance"


def start(context: Context, stack: Stack, run: Run) -> None:
    """Give the stack a new run and keep it; the first resources begin in a moment."""
    stack["run"] = run
    stack["generation"] += 1
    stacks.put(context, stack)
    _schedule(context, stack, context.now + duration("cloudformation.stack"))


def _schedule(context: Context, stack: Stack, at: float) -> None:
    context.schedule(at, _EVENT, {"stack": stack["id"], "generation": stack["generation"]})


def _acting(context: Context, stack: Stack) -> Context:
    """CloudFormation's calls are made as who asked for the stack, or as the stack's role when it has one."""
    acting = context.as_source("cloudformation")
    if not stack["role_arn"]:
        return acting
    name = stack["role_arn"].rpartition("/")[2]
    session = f"arn:aws:sts::{context.account}:assumed-role/{name}/AWSCloudFormation"
    return replace(acting, principal=Principal(session, context.account, "assumed-role", role_arn=stack["role_arn"]))


@agenda_handler(_EVENT)
def advance(context: Context, payload: dict[str, Any]) -> None:
    stack = stacks.by_id(context, payload["stack"])
    if stack is None or stack["run"] is None or stack["generation"] != payload["generation"]:
        return
    acting = _acting(context, stack)
    course = Course(acting, stack)
    if stack["run"].get("finishing"):
        _finish(acting, stack, course)
        return
    deadline = stack["run"].get("deadline")
    if deadline is not None and acting.now >= deadline:
        course.cancel("Resource creation cancelled")
        stack["run"]["timed_out"] = True
    else:
        course.move()
    if course.over():
        stack["run"]["finishing"] = True
        at = acting.now + duration("cloudformation.stack")
    else:
        at = course.next_check()
        if deadline is not None:
            at = min(at, deadline)
    stacks.put(acting, stack)
    _schedule(acting, stack, at)


def _finish(context: Context, stack: Stack, course: Course) -> None:
    kind = stack["run"]["kind"]
    {
        "create": _created,
        "update": _updated,
        "cleanup": _cleaned,
        "restore": _restored,
        "rollback-cleanup": _cleaned,
        "rollback": _rolled_back,
        "delete": _deleted,
    }[kind](context, stack, course.failed())


def _rest(context: Context, stack: Stack, status: str, reason: str = "") -> None:
    """The operation is over."""
    stack["run"] = None
    stack["before"] = None
    events.of_stack(context, stack, status, reason)
    stacks.put(context, stack)


def _listed(names: list[str]) -> str:
    return f"[{', '.join(names)}]"


def outputs(context: Context, stack: Stack) -> list[dict[str, str]]:
    """Errors: a value that cannot be worked out, or an export whose name another stack has."""
    resolver = stacks.resolver(context, stack)
    taken = stacks.exports(context, stack["id"])
    found = []
    for name, output in resolver.template.get("Outputs", {}).items():
        if "Condition" in output and not resolver.condition(output["Condition"]):
            continue
        row = {"OutputKey": name, "OutputValue": str(resolver.value(output["Value"]))}
        if output.get("Description"):
            row["Description"] = str(output["Description"])
        if output.get("Export"):
            row["ExportName"] = str(resolver.value(output["Export"]["Name"]))
            if row["ExportName"] in taken:
                raise AWSError(
                    "ValidationError",
                    f"Export with name {row['ExportName']} is already exported by stack {taken[row['ExportName']][1].split('/')[1]}",
                )
        found.append(row)
    return found


def _created(context: Context, stack: Stack, failed: list[str]) -> None:
    reason = ""
    if stack["run"].get("timed_out"):
        reason = f"Stack creation time exceeded the specified timeout of {stack['timeout_minutes']} minute(s)."
    elif failed:
        reason = f"The following resource(s) failed to create: {_listed(failed)}."
    else:
        try:
            stack["outputs"] = outputs(context, stack)
        except AWSError as error:
            reason = error.message
    if not reason:
        _rest(context, stack, "CREATE_COMPLETE")
    elif stack["on_failure"] == "DO_NOTHING":
        _rest(context, stack, "CREATE_FAILED", reason)
    elif stack["on_failure"] == "DELETE":
        events.of_stack(context, stack, "DELETE_IN_PROGRESS", f"{reason} Delete requested by user.")
        start(context, stack, runs.deletion("delete", stack))
    else:
        events.of_stack(context, stack, "ROLLBACK_IN_PROGRESS", f"{reason} Rollback requested by user.")
        start(context, stack, runs.deletion("rollback", stack))


def _rolled_back(context: Context, stack: Stack, failed: list[str]) -> None:
    if failed:
        _rest(context, stack, "ROLLBACK_FAILED", f"The following resource(s) failed to delete: {_listed(failed)}.")
    else:
        _rest(context, stack, "ROLLBACK_COMPLETE")


def _deleted(context: Context, stack: Stack, failed: list[str]) -> None:
    if failed:
        _rest(context, stack, "DELETE_FAILED", f"The following resource(s) failed to delete: {_listed(failed)}.")
        return
    stack["run"] = None
    stack["deleted"] = context.timestamp
    stack["outputs"] = []
    events.of_stack(context, stack, "DELETE_COMPLETE")
    stacks.bury(context, stack)


def _updated(context: Context, stack: Stack, failed: list[str]) -> None:
    reason = f"The following resource(s) failed to update: {_listed(failed)}." if failed else ""
    if not reason:
        try:
            stack["outputs"] = outputs(context, stack)
        except AWSError as error:
            reason = error.message
    if reason:
        if stack["disable_rollback"]:
            _rest(context, stack, "UPDATE_FAILED", reason)
        else:
            roll_back_update(context, stack, reason)
        return
    declared = {name for name, one in stack["run"]["tasks"].items()}
    doomed = {name: one for name, one in stack["resources"].items() if name not in declared}
    for name in doomed:
        del stack["resources"][name]
    doomed |= {name: {**one, "replaced": True} for name, one in stack["run"]["superseded"].items()}
    if doomed:
        events.of_stack(context, stack, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        start(context, stack, runs.cleanup("cleanup", doomed))
    else:
        events.of_stack(context, stack, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")
        _rest(context, stack, "UPDATE_COMPLETE")


def roll_back_update(context: Context, stack: Stack, reason: str) -> None:
    """Back to the template, parameters and tags before the update, and the resources with them."""
    events.of_stack(context, stack, "UPDATE_ROLLBACK_IN_PROGRESS", reason)
    start(context, stack, runs.restoration(stack))


def _restored(context: Context, stack: Stack, failed: list[str]) -> None:
    if failed:
        stack["run"] = None
        events.of_stack(context, stack, "UPDATE_ROLLBACK_FAILED", f"The following resource(s) failed to update: {_listed(failed)}.")
        stacks.put(context, stack)
        return
    before = stack["before"]
    doomed = {name: one for name, one in stack["resources"].items() if name not in before["resources"]}
    for name in doomed:
        del stack["resources"][name]
    doomed |= {name: {**one, "replaced": True} for name, one in stack["run"]["unwanted"].items()}
    for member in ("template", "parameters", "tags", "outputs", "capabilities", "description"):
        stack[member] = before[member]
    events.of_stack(context, stack, "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS")
    if doomed:
        start(context, stack, runs.cleanup("rollback-cleanup", doomed))
    else:
        _rest(context, stack, "UPDATE_ROLLBACK_COMPLETE")


def _cleaned(context: Context, stack: Stack, failed: list[str]) -> None:
    """What could not be cleaned up stays behind, and the update is complete all the same, as on AWS."""
    status = "UPDATE_COMPLETE" if stack["run"]["kind"] == "cleanup" else "UPDATE_ROLLBACK_COMPLETE"
    reason = "Update successful. One or more resources could not be deleted." if failed and status == "UPDATE_COMPLETE" else ""
    _rest(context, stack, status, reason)
