"""The runs of a stack: which tasks creation, update, cleanup, rollback and deletion consist of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import graph, stacks
from sandbox.aws.cloudformation.course import task

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.context import Context

Run = dict[str, Any]


def _run(kind: str, tasks: dict[str, Any], *, stops: bool) -> Run:
    """`stops`: the first failure ends it. `superseded`: what an update replaced; `unwanted`: what a rollback takes back."""
    return {"kind": kind, "tasks": tasks, "stops": stops, "superseded": {}, "unwanted": {}}


def creation(context: Context, stack: Stack) -> Run:
    edges = graph.dependencies(stacks.resolver(context, stack))
    return _run("create", {name: task("create", name, before) for name, before in edges.items()}, stops=True)


def update(context: Context, stack: Stack) -> Run:
    edges = graph.dependencies(stacks.resolver(context, stack))
    tasks = {
        name: task("update" if stack["resources"].get(name, {}).get("physical_id") else "create", name, before)
        for name, before in edges.items()
    }
    return _run("update", tasks, stops=True)


def cleanup(kind: str, doomed: dict[str, dict[str, Any]]) -> Run:
    """Deletion of what an update or its rollback leaves over. `kind`: `cleanup` or `rollback-cleanup`."""
    after = graph.reversed_edges({name: [other for other in resource["after"] if other in doomed] for name, resource in doomed.items()})
    run = _run(kind, {}, stops=False)
    run["doomed"] = doomed
    for name, resource in doomed.items():
        policy = resource["update_replace_policy"] if resource.get("replaced") else resource["deletion_policy"]
        run["tasks"][name] = task("delete", name, after[name], of="doomed", retain=policy == "Retain" and kind == "cleanup")
    return run


def restoration(stack: Stack) -> Run:
    """Bring what an update changed back to how it was."""
    before = stack["before"]["resources"]
    changed = [name for name, was in before.items() if name in stack["resources"] and _differs(was, stack["resources"][name])]
    # Backwards: what was changed last is restored first.
    after = graph.reversed_edges({name: [other for other in before[name]["after"] if other in changed] for name in changed})
    return _run("restore", {name: task("restore", name, after[name]) for name in changed}, stops=False)


def _differs(was: dict[str, Any], now: dict[str, Any]) -> bool:
    return any(was.get(member) != now.get(member) for member in ("physical_id", "properties", "tags"))


def deletion(kind: str, stack: Stack, retained: list[str] | None = None, *, force: bool = False) -> Run:
    """All resources, those that others need last. `kind`: `delete` or `rollback`."""
    resources = stack["resources"]
    after = graph.reversed_edges({name: [other for other in one["after"] if other in resources] for name, one in resources.items()})
    tasks = {}
    for name, resource in resources.items():
        if resource["status"] in ("DELETE_COMPLETE", "DELETE_SKIPPED"):
            continue
        kept = name in (retained or []) or resource["deletion_policy"] == "Retain"
        if resource["deletion_policy"] == "RetainExceptOnCreate" and kind == "delete":
            kept = True
        if force and resource["status"] == "DELETE_FAILED":
            kept = True
        tasks[name] = task("delete", name, after[name], retain=kept)
    return _run(kind, tasks, stops=False)
