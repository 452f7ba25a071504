"""What a new template, parameters and tags would change of a stack: one entry a resource, as DescribeChangeSet tells it.

A drift-aware change set compares the new template with what is there, too: what another hand changed is set back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import drift, stacks
from sandbox.aws.cloudformation.compare import differences, shown
from sandbox.aws.cloudformation.intrinsics import NO_VALUE, Resolver
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.resources.base import Work
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.cloudformation.template import Template
    from sandbox.aws.context import Context

Change = dict[str, Any]


def changes_of(
    context: Context, stack: Stack, parsed: Template, values: dict[str, str], tags: list[dict[str, str]], *, revert_drift: bool = False
) -> list[Change]:
    """[] when nothing would change. revert_drift: whether what is there counts, or only what was deployed last."""
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
        change = _modified(context, stack, resolver, name, declared, tags, revert_drift)
        if change is not None:
            found.append(change)
    for name, resource in stack["resources"].items():
        if name not in wanted:
            told = _told("Remove", name, resource["type"], resource["physical_id"])
            told["ResourceChange"]["PolicyAction"] = "Retain" if resource["deletion_policy"] == "Retain" else "Delete"
            found.append(told)
    return found


def _modified(
    context: Context, stack: Stack, resolver: Resolver, name: str, declared: dict[str, Any], tags: list[dict[str, str]], revert_drift: bool
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
    drifted: list[dict[str, str]] = []
    status = "UNSUPPORTED"
    if revert_drift and declared["Type"] == resource["type"] and drift.checkable(kind.name):
        found = drift.as_it_is(context.as_source("cloudformation"), stack, name, now)
        if found is None:
            told = _told("Add", name, declared["Type"], resource["physical_id"])
            told["ResourceChange"]["ResourceDriftStatus"] = "DELETED"
            return told
        drifted = differences(now, found)
        status = "MODIFIED" if drifted else "IN_SYNC"
    if not changed and not retagged and not drifted and declared["Type"] == resource["type"]:
        return None
    replaced = bool(set(changed) & kind.immutable) or declared["Type"] != resource["type"]
    of_drift = {one["PropertyPath"].split("/")[1] for one in drifted}
    details = [
        _detail(
            {
                "Attribute": "Properties",
                "Name": one,
                "RequiresRecreation": "Always" if one in kind.immutable else "Never",
                **({"BeforeValue": shown(before[one])} if one in before else {}),
                **({"AfterValue": shown(now[one])} if one in now else {}),
            }
        )
        for one in changed
        if one not in of_drift
    ]
    for one in drifted:
        target: dict[str, Any] = {
            "Attribute": "Properties",
            "Name": one["PropertyPath"].split("/")[1],
            "Path": one["PropertyPath"],
            "RequiresRecreation": "Never",
            "BeforeValue": one["ActualValue"],
            "AfterValue": one["ExpectedValue"],
            "BeforeValueFrom": "ACTUAL_STATE",
            "AfterValueFrom": "TEMPLATE",
            "AttributeChangeType": {"ADD": "Remove", "REMOVE": "Add"}.get(one["DifferenceType"], "Modify"),
            "Drift": {
                "PreviousValue": one["ExpectedValue"],
                "ActualValue": one["ActualValue"],
                "DriftDetectionTimestamp": context.timestamp,
            },
        }
        details.append(_detail(target))
    if retagged:
        details.append(_detail({"Attribute": "Tags", "RequiresRecreation": "Never"}))
    told = _told("Modify", name, declared["Type"], resource["physical_id"])
    told["ResourceChange"] |= {
        "Replacement": "True" if replaced else "False",
        "Scope": [*(["Properties"] if changed or drifted else []), *(["Tags"] if retagged else [])],
        "Details": details,
    }
    if revert_drift:
        told["ResourceChange"]["ResourceDriftStatus"] = status
    return told


def _detail(target: dict[str, Any]) -> dict[str, Any]:
    return {"Target": target, "Evaluation": "Static", "ChangeSource": "DirectModification"}


def _told(action: str, name: str, kind: str, physical_id: str = "") -> Change:
    change: dict[str, Any] = {"Action": action, "LogicalResourceId": name, "ResourceType": kind}
    if physical_id:
        change["PhysicalResourceId"] = physical_id
    if action != "Modify":
        change |= {"Scope": [], "Details": []}
    return {"Type": "Resource", "ResourceChange": change}
