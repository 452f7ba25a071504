"""DeleteStack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import engine, events, runs, stacks
from sandbox.aws.cloudformation.course import Course
from sandbox.aws.cloudformation.template import error
from sandbox.aws.cloudformation.update_stack import importers
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_BUSY = ("UPDATE_IN_PROGRESS", "UPDATE_ROLLBACK_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS")


@operation("cloudformation", "DeleteStack")
def delete_stack(context: Context, params: dict[str, Any]) -> None:
    """Succeeds for a stack that is not there, and for one that is being deleted, as CloudFormation does."""
    stack = stacks.find(context, params["StackName"])
    if stack is None or stack["deleted"] or stack["status"] == "DELETE_IN_PROGRESS":
        return
    if stack["termination_protection"]:
        raise error(f"Stack [{stack['name']}] cannot be deleted while TerminationProtection is enabled")
    if stack["status"] in _BUSY or stack["status"].endswith("ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS"):
        raise error(f"Stack [{stack['name']}] cannot be deleted while in status {stack['status']}")
    retained = params.get("RetainResources") or []
    if retained and stack["status"] != "DELETE_FAILED":
        raise error("Invalid operation on stack. RetainResources can only be specified for stacks in the DELETE_FAILED state.")
    unknown = sorted(set(retained) - stack["resources"].keys())
    if unknown:
        raise error(f"The specified resources to retain must be in a valid state. Following resources do not exist: {', '.join(unknown)}")
    acting = context.as_source("cloudformation")
    if stack["run"] is not None:
        Course(acting, stack).cancel("Resource creation cancelled")
    stack["client_token"] = params.get("ClientRequestToken") or ""
    events.of_stack(acting, stack, "DELETE_IN_PROGRESS", "User Initiated")
    for output in stack["outputs"]:
        users = importers(context, output["ExportName"]) if output.get("ExportName") else []
        if users:
            reason = f"Delete canceled. Cannot delete export {output['ExportName']} as it is in use by {', '.join(users)}."
            events.of_stack(acting, stack, "DELETE_FAILED", reason)
            stack["run"] = None
            stacks.put(context, stack)
            return
    force = params.get("DeletionMode") == "FORCE_DELETE_STACK"
    engine.start(context, stack, runs.deletion("delete", stack, retained, force=force))
