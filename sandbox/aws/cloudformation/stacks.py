"""Stacks in the store: how they are found, named and shown. Deleted ones stay visible by id for 90 days, as on AWS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import parameters, template
from sandbox.aws.cloudformation.intrinsics import Made, Resolver
from sandbox.aws.cloudformation.template import Template, error
from sandbox.aws.ec2.zones import zones

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Stack = dict[str, Any]

KIND = "cloudformation.stack"
_DELETED = "_cloudformation.deleted-stack"
_KEPT_SECONDS = 90 * 86_400.0


def all_stacks(context: Context) -> list[Stack]:
    """Those that are not deleted."""
    return context.world.store.list(KIND, context.scope)


def deleted(context: Context) -> list[Stack]:
    return context.world.store.list(_DELETED, context.scope)


def by_name(context: Context, name: str) -> Stack | None:
    return next((stack for stack in all_stacks(context) if stack["name"] == name), None)


def by_id(context: Context, identifier: str) -> Stack | None:
    store = context.world.store
    return store.get(KIND, context.scope, identifier) or store.get(_DELETED, context.scope, identifier)


def find(context: Context, name_or_id: str) -> Stack | None:
    """By name one that is there; by id also a deleted one."""
    return by_id(context, name_or_id) if name_or_id.startswith("arn:") else by_name(context, name_or_id)


def get(context: Context, name_or_id: str) -> Stack:
    stack = find(context, name_or_id)
    if stack is None:
        raise error(f"Stack with id {name_or_id} does not exist")
    return stack


def put(context: Context, stack: Stack) -> None:
    context.world.store.put(KIND, context.scope, stack["id"], stack)


def bury(context: Context, stack: Stack) -> None:
    """It is gone for the ledger and by name, and readable by id."""
    store = context.world.store
    store.delete(KIND, context.scope, stack["id"])
    store.put(_DELETED, context.scope, stack["id"], stack)
    store.delete("_cloudformation.drift", context.scope, stack["id"])
    for key, change_set in store.items("_cloudformation.change-set", context.scope):
        if change_set["stack"] == stack["id"]:
            store.delete("_cloudformation.change-set", context.scope, key)
    for old in deleted(context):
        if old["deleted"] < context.timestamp - _KEPT_SECONDS:
            store.delete(_DELETED, context.scope, old["id"])
            for key in store.keys("_cloudformation.event", old["id"]):
                store.delete("_cloudformation.event", old["id"], key)


def parsed(stack: Stack) -> Template:
    return template.parse(stack["template"])


def exports(context: Context, without: str = "") -> dict[str, tuple[str, str]]:
    """Value and stack id of every export of the region, except those of the stack `without`."""
    return {
        output["ExportName"]: (output["OutputValue"], stack["id"])
        for stack in all_stacks(context)
        if stack["id"] != without
        for output in stack["outputs"]
        if output.get("ExportName")
    }


def resolver(context: Context, stack: Stack, parsed_template: Template | None = None, values: dict[str, str] | None = None) -> Resolver:
    """What works out a stack's values from its resources as they are."""
    found = parsed_template if parsed_template is not None else parsed(stack)
    known = exports(context, stack["id"])
    return Resolver(
        template=found,
        parameters=parameters.typed(found, stack["parameters"] if values is None else values),
        pseudo={
            "AWS::AccountId": context.account,
            "AWS::NotificationARNs": stack["notification_arns"],
            "AWS::Partition": context.partition,
            "AWS::Region": context.region,
            "AWS::StackId": stack["id"],
            "AWS::StackName": stack["name"],
            "AWS::URLSuffix": "amazonaws.com",
        },
        resources={
            name: Made(resource["physical_id"], resource.get("attributes") or {})
            for name, resource in stack["resources"].items()
            if resource.get("physical_id")
        },
        exports=lambda name: known[name][0] if name in known else None,
        zones=lambda region: [zone.name for zone in zones(region)],
    )


def shown(stack: Stack) -> dict[str, Any]:
    """As DescribeStacks answers."""
    view: dict[str, Any] = {
        "StackId": stack["id"],
        "StackName": stack["name"],
        "StackStatus": stack["status"],
        "CreationTime": stack["created"],
        "Parameters": parameters.shown(parsed(stack), stack["parameters"]),
        "Outputs": stack["outputs"],
        "Tags": stack["tags"],
        "Capabilities": stack["capabilities"],
        "NotificationARNs": stack["notification_arns"],
        "DisableRollback": stack["on_failure"] == "DO_NOTHING",
        "EnableTerminationProtection": stack["termination_protection"],
        "RollbackConfiguration": {},
    }
    for member, key in (
        ("StackStatusReason", "reason"),
        ("Description", "description"),
        ("LastUpdatedTime", "updated"),
        ("DeletionTime", "deleted"),
        ("RoleARN", "role_arn"),
        ("TimeoutInMinutes", "timeout_minutes"),
    ):
        if stack.get(key):
            view[member] = stack[key]
    return view
