"""Which resources of a template exist, and which come before which."""

from __future__ import annotations

from sandbox.aws.cloudformation.intrinsics import Resolver, prune
from sandbox.aws.cloudformation.template import depends_on, error, references


def dependencies(resolver: Resolver) -> dict[str, list[str]]:
    """For each resource whose condition holds, in the template's order, those it waits for. Errors: a circle, a missing resource."""
    resources = {
        name: resource
        for name, resource in resolver.template["Resources"].items()
        if "Condition" not in resource or resolver.condition(resource["Condition"])
    }
    edges: dict[str, list[str]] = {}
    for name, resource in resources.items():
        found = [other for other in depends_on(resource) if other in resources]
        for kind, other in references(prune(resource.get("Properties", {}), resolver)):
            if kind in ("Ref", "GetAtt") and other in resolver.template["Resources"]:
                if other not in resources:
                    raise error(f"Template format error: Unresolved resource dependencies [{other}] in the Resources block of the template")
                found.append(other)
        edges[name] = [*dict.fromkeys(found)]
    _refuse_circle(edges)
    return edges


def _refuse_circle(edges: dict[str, list[str]]) -> None:
    left = {name: set(before) for name, before in edges.items()}
    while True:
        free = [name for name, before in left.items() if not before & left.keys()]
        if not free:
            break
        for name in free:
            del left[name]
    if left:
        raise error(f"Circular dependency between resources: [{', '.join(sorted(left))}]")


def reversed_edges(edges: dict[str, list[str]]) -> dict[str, list[str]]:
    """Who must be gone before a resource can go."""
    after: dict[str, list[str]] = {name: [] for name in edges}
    for name, before in edges.items():
        for other in before:
            if other in after:
                after[other].append(name)
    return after
