"""What a new template, parameters and tags would change of a stack: one entry a resource, as DescribeChangeSet tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import stacks
from sandbox.aws.cloudformation.intrinsics import NO_VALUE, Resolver
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.resources.base import Work
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.cloudformation.template import Template
    from sandbox.aws.context import Context

Change = dict[str, Any]


def changes_of(context: Context, stack: Stack, parsed: Template, values: dict[str, str], tags: list[dict[str, str]]) -> list[Change]:
    """[] when nothing would change."""
    resolver = stacks.resolver(context, stack, parsed, values)
    wanted = {
        name: declared
        for name, declared in parsed["Resources"].items()
        if "Condition" not in declared or resolver.condition(declared["Condition"])
    }
    found = []
    for name, declared in wanted.items():
        resource = stack["resources"].get(name)
        if resource is None or not resource.get("physical_id"):
            found.append(_told("Add", name, declared["Type"]))
            continue
        change = _modified(context, stack, resolver, name, declared, tags)
        if change is not None:
            found.append(change)
    for name, resource in stack["resources"].items():
        if name not in wanted:
            told = _told("Remove", name, resource["type"], resource["physical_id"])
            told["ResourceChange"]["PolicyAction"] = "Retain" if resource["deletion_policy"] == "Retain" else "Delete"
            found.append(told)
    return found


def _modified(
    context: Context, stack: Stack, resolver: Resolver, name: str, declared: dict[str, Any], tags: list[dict[str, str]]
) -> Change | None:
    resource = stack["resources"][name]
    kind = base.find(declared["Type"])
    before = resource["properties"] or {}
    try:
        value = resolver.value(declared.get("Properties", {}))
    except AWSError:
        # It refers to what the update makes first: whether it changes shows only then.
        told = _told("Modify", name, declared["Type"], resource["physical_id"])
        told["ResourceChange"] |= {"Replacement": "Conditional", "Scope": ["Properties"], "Details": []}
        return told
    now = {} if value is NO_VALUE else dict(value)
    work = Work(context, stack["name"], stack["id"], name, kind.name, now, resource["physical_id"], tags)
    changed = sorted(one for one in {*before, *now} - {"Tags"} if before.get(one) != now.get(one))
    retagged = work.tags() != resource["tags"]
    if not changed and not retagged and declared["Type"] == resource["type"]:
        return None
    replaced = bool(set(changed) & kind.immutable) or declared["Type"] != resource["type"]
    details = [
        _detail({"Attribute": "Properties", "Name": one, "RequiresRecreation": "Always" if one in kind.immutable else "Never"})
        for one in changed
    ]
    if retagged:
        details.append(_detail({"Attribute": "Tags", "RequiresRecreation": "Never"}))
    told = _told("Modify", name, declared["Type"], resource["physical_id"])
    told["ResourceChange"] |= {
        "Replacement": "True" if replaced else "False",
        "Scope": [*(["Properties"] if changed else []), *(["Tags"] if retagged else [])],
        "Details": details,
    }
    return told


def _detail(target: dict[str, str]) -> dict[str, Any]:
    return {"Target": target, "Evaluation": "Static", "ChangeSource": "DirectModification"}


def _told(action: str, name: str, kind: str, physical_id: str = "") -> Change:
    change: dict[str, Any] = {"Action": action, "LogicalResourceId": name, "ResourceType": kind}
    if physical_id:
        change["PhysicalResourceId"] = physical_id
    if action != "Modify":
        change |= {"Scope": [], "Details": []}
    return {"Type": "Resource", "ResourceChange": change}
