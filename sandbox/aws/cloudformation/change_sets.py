"""Change sets: what an update of a stack would do, kept under a name, and done when asked."""

from __future__ import annotations

import copy
import hashlib
import uuid
from typing import TYPE_CHECKING, Any

from sandbox import timeline
from sandbox.aws.cloudformation import parameters, requests, stacks, template, update_stack
from sandbox.aws.cloudformation.changes import changes_of
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.template import error
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

ChangeSet = dict[str, Any]
_KIND = "_cloudformation.change-set"
_NOTHING = "The submitted information didn't contain changes. Submit different information to create a change set."
_NOT_SIMULATED = ("RollbackConfiguration", "ResourcesToImport", "DeploymentConfig", "ImportExistingResources")
_UPDATE_MEMBERS = ("TemplateBody", "UsePreviousTemplate", "Parameters", "Capabilities", "Tags")


@operation("cloudformation", "CreateChangeSet")
def create_change_set(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: no such stack, the name is taken, a template or parameters that UpdateStack would refuse."""
    if params.get("ChangeSetType", "UPDATE") != "UPDATE" or any(params.get(member) for member in _NOT_SIMULATED):
        raise AWSError("NotImplemented", "Only change sets that update a stack are simulated by the sandbox.", 501)
    stack = stacks.find(context, params["StackName"])
    if stack is None or stack["deleted"]:
        raise error(f"Stack [{params['StackName']}] does not exist")
    name, token = params["ChangeSetName"], params.get("ClientToken") or ""
    earlier = next((one for one in _of(context, stack) if one["name"] == name), None)
    if earlier is not None:
        if token and earlier["token"] == token:
            return {"Id": earlier["id"], "StackId": stack["id"]}
        raise AWSError("AlreadyExistsException", f"ChangeSet {name} already exists")
    text = requests.body(context, params)
    if text is None and not params.get("UsePreviousTemplate"):
        raise error("Either Template URL or Template Body must be specified.")
    parsed = template.parse(text if text is not None else stack["template"])
    template.check(parsed, base.known())
    values = parameters.resolve(parsed, params.get("Parameters") or [], stack["parameters"])
    tags = stack["tags"] if params.get("Tags") is None else params["Tags"]
    requests.check_tags(tags)
    requests.check_capabilities(parsed, params.get("Capabilities") or [])
    mode = params.get("DeploymentMode") or ""
    found = changes_of(context, stack, parsed, values, tags, revert_drift=bool(mode))
    begun = timeline.begin(
        context.now, ("CREATE_IN_PROGRESS", duration("cloudformation.change-set")), "CREATE_COMPLETE" if found else "FAILED"
    )
    update = {member: params[member] for member in _UPDATE_MEMBERS if params.get(member) is not None}
    if params.get("TemplateURL"):
        update |= {"TemplateBody": text}
    if mode:
        update |= {"DeploymentMode": mode}
    change_set: ChangeSet = {
        "id": context.arn("cloudformation", f"changeSet/{name}/{uuid.uuid4()}"),
        "name": name,
        "token": token,
        "stack": stack["id"],
        "of": _version(stack),
        "created": context.timestamp,
        "description": params.get("Description") or "",
        "timeline": begun,
        "changes": found,
        "values": parameters.shown(parsed, values),
        "tags": tags,
        "capabilities": params.get("Capabilities") or [],
        "update": update,
        "mode": mode,
        "executed": False,
    }
    context.world.store.put(_KIND, context.scope, change_set["id"], change_set)
    return {"Id": change_set["id"], "StackId": stack["id"]}


@operation("cloudformation", "DescribeChangeSet")
def describe_change_set(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    change_set = _find(context, params)
    summary = _summary(context, change_set)
    return {
        **summary,
        "Parameters": change_set["values"],
        "Tags": change_set["tags"],
        "Capabilities": change_set["capabilities"],
        "NotificationARNs": [],
        "RollbackConfiguration": {},
        "Changes": _shown(change_set, params) if summary["Status"] == "CREATE_COMPLETE" else [],
    }


def _shown(change_set: ChangeSet, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Values are told only to who asks for them, and where what is there was compared."""
    changes: list[dict[str, Any]] = copy.deepcopy(change_set["changes"])
    if not params.get("IncludePropertyValues") and not change_set["mode"]:
        for one in changes:
            for detail in one["ResourceChange"].get("Details") or ():
                for member in ("BeforeValue", "AfterValue"):
                    detail["Target"].pop(member, None)
    return changes


@operation("cloudformation", "ListChangeSets")
def list_change_sets(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    stack = stacks.get(context, params["StackName"])
    return {"Summaries": [_summary(context, one) for one in _of(context, stack)]}


@operation("cloudformation", "DeleteChangeSet")
def delete_change_set(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Deleting one that is not there any more succeeds, as on AWS."""
    try:
        change_set = _find(context, params)
    except AWSError as failure:
        if failure.code != "ChangeSetNotFound":
            raise
        return {}
    if _summary(context, change_set)["ExecutionStatus"] == "EXECUTE_IN_PROGRESS":
        raise AWSError("InvalidChangeSetStatus", f"ChangeSet [{change_set['id']}] cannot be deleted while it is executed")
    context.world.store.delete(_KIND, context.scope, change_set["id"])
    return {}


@operation("cloudformation", "ExecuteChangeSet")
def execute_change_set(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Update the stack as the change set says; the stack's other change sets go."""
    change_set = _find(context, params)
    status = _summary(context, change_set)
    if status["ExecutionStatus"] != "AVAILABLE":
        raise AWSError(
            "InvalidChangeSetStatus",
            f"ChangeSet [{change_set['id']}] cannot be executed in its current status of [{status['Status']}]",
        )
    update = {**change_set["update"], "StackName": change_set["stack"]}
    for member in ("ClientRequestToken", "DisableRollback"):
        if params.get(member) is not None:
            update[member] = params[member]
    update_stack.update_stack(context, update)
    stack = stacks.get(context, change_set["stack"])
    for other in _of(context, stack):
        if other["id"] != change_set["id"]:
            context.world.store.delete(_KIND, context.scope, other["id"])
    context.world.store.put(_KIND, context.scope, change_set["id"], {**change_set, "executed": True})
    return {}


def _of(context: Context, stack: stacks.Stack) -> list[ChangeSet]:
    return [one for one in context.world.store.list(_KIND, context.scope) if one["stack"] == stack["id"]]


def _find(context: Context, params: dict[str, Any]) -> ChangeSet:
    name = params["ChangeSetName"]
    if name.startswith("arn:"):
        found = context.world.store.get(_KIND, context.scope, name)
    else:
        if not params.get("StackName"):
            raise error("StackName must be specified if ChangeSetName is not specified as an ARN.")
        stack = stacks.get(context, params["StackName"])
        found = next((one for one in _of(context, stack) if one["name"] == name), None)
    if found is None:
        raise AWSError("ChangeSetNotFound", f"ChangeSet [{name}] does not exist", 404)
    return found


def _version(stack: stacks.Stack) -> str:
    """What a change set was made for: another update in between makes it obsolete."""
    return hashlib.sha256(f"{stack['template']} {stack['updated']} {sorted(stack['parameters'].items())}".encode()).hexdigest()[:16]


def _summary(context: Context, change_set: ChangeSet) -> dict[str, Any]:
    stack = stacks.get(context, change_set["stack"])
    status = timeline.status(change_set["timeline"], context.now)
    told = {
        "StackId": stack["id"],
        "StackName": stack["name"],
        "ChangeSetId": change_set["id"],
        "ChangeSetName": change_set["name"],
        "Status": status,
        "ExecutionStatus": _execution(status, change_set, stack),
        "CreationTime": change_set["created"],
        "IncludeNestedStacks": False,
    }
    if change_set["mode"]:
        drifted = any(one["ResourceChange"].get("ResourceDriftStatus") in ("MODIFIED", "DELETED") for one in change_set["changes"])
        told |= {"DeploymentMode": change_set["mode"], "StackDriftStatus": "DRIFTED" if drifted else "IN_SYNC"}
    if change_set["description"]:
        told["Description"] = change_set["description"]
    if status == "FAILED":
        told["StatusReason"] = _NOTHING
    return told


def _execution(status: str, change_set: ChangeSet, stack: stacks.Stack) -> str:
    if change_set["executed"]:
        if stack["status"].endswith("_IN_PROGRESS"):
            return "EXECUTE_IN_PROGRESS"
        return "EXECUTE_COMPLETE" if stack["status"] == "UPDATE_COMPLETE" else "EXECUTE_FAILED"
    if status != "CREATE_COMPLETE":
        return "UNAVAILABLE"
    return "AVAILABLE" if change_set["of"] == _version(stack) else "OBSOLETE"
