"""Reading stacks: DescribeStacks, DescribeStackEvents, DescribeStackResource(s), ListStacks, ListStackResources, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import drift, events, stacks, update_stack
from sandbox.aws.cloudformation.template import error
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("cloudformation", "DescribeStacks")
def describe_stacks(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    if params.get("StackName"):
        return {"Stacks": [_shown(context, stacks.get(context, params["StackName"]))]}
    return {"Stacks": [_shown(context, stack) for stack in reversed(stacks.all_stacks(context))]}


def _shown(context: Context, stack: stacks.Stack) -> dict[str, Any]:
    return {**stacks.shown(stack), "DriftInformation": drift.of_stack(context, stack)}


@operation("cloudformation", "ListStacks")
def list_stacks(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("StackStatusFilter")
    rows = []
    for stack in [*reversed(stacks.all_stacks(context)), *reversed(stacks.deleted(context))]:
        if wanted and stack["status"] not in wanted:
            continue
        view = _shown(context, stack)
        members = (
            "StackId",
            "StackName",
            "CreationTime",
            "LastUpdatedTime",
            "DeletionTime",
            "StackStatus",
            "StackStatusReason",
            "DriftInformation",
        )
        row = {member: view[member] for member in members if member in view}
        if stack["description"]:
            row["TemplateDescription"] = stack["description"]
        rows.append(row)
    return {"StackSummaries": rows}


@operation("cloudformation", "DescribeStackEvents")
def describe_stack_events(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    if not params.get("StackName"):
        raise error("StackName must be specified.")
    stack = stacks.find(context, params["StackName"])
    if stack is None:
        raise error(f"Stack [{params['StackName']}] does not exist")
    return {"StackEvents": events.of(context, stack)}


def _detail(context: Context, stack: stacks.Stack, logical_id: str, moment: str) -> dict[str, Any]:
    resource = stack["resources"][logical_id]
    row = {
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": resource["physical_id"],
        "ResourceType": resource["type"],
        moment: resource["timestamp"],
        "ResourceStatus": resource["status"],
        "DriftInformation": drift.of_resource(context, stack, logical_id),
    }
    if resource.get("reason"):
        row["ResourceStatusReason"] = resource["reason"]
    return row


@operation("cloudformation", "DescribeStackResources")
def describe_stack_resources(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """By stack, or by the physical id of one of its resources."""
    if params.get("PhysicalResourceId"):
        wanted = params["PhysicalResourceId"]
        holder = next(
            (one for one in stacks.all_stacks(context) if any(r["physical_id"] == wanted for r in one["resources"].values())), None
        )
        if holder is None:
            raise error(f"Stack for {wanted} does not exist")
        stack = holder
    elif params.get("StackName"):
        stack = stacks.get(context, params["StackName"])
    else:
        raise error("Either StackName or PhysicalResourceId must be specified.")
    names = [params["LogicalResourceId"]] if params.get("LogicalResourceId") else list(stack["resources"])
    identity = {"StackName": stack["name"], "StackId": stack["id"]}
    return {"StackResources": [{**identity, **_detail(context, stack, name, "Timestamp")} for name in names if name in stack["resources"]]}


@operation("cloudformation", "DescribeStackResource")
def describe_stack_resource(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    stack = stacks.get(context, params["StackName"])
    name = params["LogicalResourceId"]
    if name not in stack["resources"]:
        raise error(f"Resource {name} does not exist for stack {stack['name']}")
    identity = {"StackName": stack["name"], "StackId": stack["id"]}
    return {"StackResourceDetail": {**identity, **_detail(context, stack, name, "LastUpdatedTimestamp")}}


@operation("cloudformation", "ListStackResources")
def list_stack_resources(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    stack = stacks.get(context, params["StackName"])
    return {"StackResourceSummaries": [_detail(context, stack, name, "LastUpdatedTimestamp") for name in stack["resources"]]}


@operation("cloudformation", "ListExports")
def list_exports(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = sorted(stacks.exports(context).items())
    return {"Exports": [{"Name": name, "Value": value, "ExportingStackId": stack_id} for name, (value, stack_id) in found]}


@operation("cloudformation", "ListImports")
def list_imports(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["ExportName"]
    users = update_stack.importers(context, name)
    if not users:
        raise error(f"Export '{name}' is not imported by any stack.")
    return {"Imports": users}
