"""UpdateStack, CancelUpdateStack, ContinueUpdateRollback and UpdateTerminationProtection."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import engine, events, parameters, requests, runs, stacks, template
from sandbox.aws.cloudformation.course import Course
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.template import Template, error
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_UPDATABLE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "UPDATE_FAILED")
_SECTIONS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs")
_KEPT = ("template", "parameters", "tags", "outputs", "capabilities", "description", "resources")


@operation("cloudformation", "UpdateStack")
def update_stack(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: the stack is busy or cannot be updated; "No updates are to be performed." when nothing differs."""
    earlier = requests.replay(context, params)
    if earlier is not None:
        return {"StackId": earlier}
    stack = stacks.find(context, params["StackName"])
    if stack is None or stack["deleted"]:
        raise error(f"Stack [{params['StackName']}] does not exist")
    if stack["status"] not in _UPDATABLE:
        raise error(f"Stack:{stack['id']} is in {stack['status']} state and can not be updated.")
    if params.get("StackPolicyBody") or params.get("StackPolicyURL"):
        raise AWSError("NotImplemented", "Stack policies are not simulated by the sandbox.", 501)
    text = requests.body(context, params)
    if text is None:
        if not params.get("UsePreviousTemplate"):
            raise error("Either Template URL or Template Body must be specified.")
        text = stack["template"]
    parsed = template.parse(text)
    template.check(parsed, base.known())
    values = parameters.resolve(parsed, params.get("Parameters") or [], stack["parameters"])
    tags = stack["tags"] if params.get("Tags") is None else params["Tags"]
    requests.check_tags(tags)
    requests.check_capabilities(parsed, params.get("Capabilities") or [])
    reverts = bool(params.get("DeploymentMode"))  # only change sets have it
    if not reverts and _same(stacks.parsed(stack), parsed) and values == stack["parameters"] and _map(tags) == _map(stack["tags"]):
        raise error("No updates are to be performed.")
    _refuse_removed_exports(context, stack, parsed)
    before = {member: copy.deepcopy(stack[member]) for member in _KEPT}
    stack |= {
        "template": text,
        "parameters": values,
        "tags": tags,
        "capabilities": params.get("Capabilities") or [],
        "description": parsed.get("Description", ""),
        "updated": context.timestamp,
        "before": before,
        "disable_rollback": bool(params.get("DisableRollback")),
        "revert_drift": reverts,
        "client_token": params.get("ClientRequestToken") or "",
    }
    run = runs.update(context, stack)
    events.of_stack(context, stack, "UPDATE_IN_PROGRESS", "User Initiated")
    engine.start(context, stack, run)
    requests.remember(context, params, stack["id"])
    return {"StackId": stack["id"]}


def _map(tags: list[dict[str, str]]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in tags}


def _same(one: Template, other: Template) -> bool:
    return all(one.get(section, {}) == other.get(section, {}) for section in _SECTIONS)


def _refuse_removed_exports(context: Context, stack: stacks.Stack, parsed: Template) -> None:
    names = {str(output["Export"]["Name"]) for output in parsed.get("Outputs", {}).values() if output.get("Export")}
    for output in stack["outputs"]:
        name = output.get("ExportName")
        users = importers(context, name) if name and name not in names else []
        if users and all("Fn::" not in one and "Ref" not in one for one in names):
            raise error(f"Export {name} cannot be deleted as it is in use by {', '.join(users)}")


def importers(context: Context, export: str) -> list[str]:
    """Names of the stacks that import an export."""
    found = []
    for stack in stacks.all_stacks(context):
        resolver = stacks.resolver(context, stack)
        used: list[str] = []
        resolver.exports = lambda name, used=used: used.append(name) or ""  # type: ignore[misc]
        for part in _imports(resolver.template):
            try:
                resolver.value(part)
            except AWSError:
                continue  # refers to what is not made yet: it has imported nothing so far
        if export in used:
            found.append(stack["name"])
    return found


def _imports(value: Any) -> list[dict[str, Any]]:
    """Every Fn::ImportValue in a template."""
    if isinstance(value, list):
        return [part for item in value for part in _imports(item)]
    if isinstance(value, dict):
        own = [value] if set(value) == {"Fn::ImportValue"} else []
        return own + [part for inner in value.values() for part in _imports(inner)]
    return []


@operation("cloudformation", "CancelUpdateStack")
def cancel_update_stack(context: Context, params: dict[str, Any]) -> None:
    stack = stacks.get(context, params["StackName"])
    if stack["status"] != "UPDATE_IN_PROGRESS":
        raise error("CancelUpdateStack cannot be called from current stack status")
    acting = context.as_source("cloudformation")
    Course(acting, stack).cancel("Resource update cancelled")
    engine.roll_back_update(acting, stack, "User Initiated")


@operation("cloudformation", "ContinueUpdateRollback")
def continue_update_rollback(context: Context, params: dict[str, Any]) -> None:
    stack = stacks.get(context, params["StackName"])
    if stack["status"] != "UPDATE_ROLLBACK_FAILED":
        raise error(f"Stack:{stack['id']} is in {stack['status']} state and can not continue rollback.")
    skipped = set(params.get("ResourcesToSkip") or [])
    unknown = skipped - stack["before"]["resources"].keys()
    if unknown:
        raise error(f"Resources to skip do not exist: [{', '.join(sorted(unknown))}]")
    for name in skipped:
        stack["resources"][name] |= {member: stack["before"]["resources"][name].get(member) for member in ("properties", "tags")}
    engine.roll_back_update(context.as_source("cloudformation"), stack, "User Initiated")


@operation("cloudformation", "UpdateTerminationProtection")
def update_termination_protection(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    stack = stacks.get(context, params["StackName"])
    if stack["deleted"]:
        raise error(f"Stack with id {params['StackName']} does not exist")
    stack["termination_protection"] = bool(params["EnableTerminationProtection"])
    stacks.put(context, stack)
    return {"StackId": stack["id"]}
