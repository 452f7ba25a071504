"""Tags of EKS resources, by ARN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import access_entries, addon_health, cluster, node_group, pod_identities
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ARN_MEMBERS = {
    cluster.KIND: "arn",
    addon_health.KIND: "addonArn",
    node_group.KIND: "nodegroupArn",
    access_entries.KIND: "accessEntryArn",
    pod_identities.KIND: "associationArn",
}
_LIMIT = 50


def _locate(context: Context, arn: str) -> tuple[str, str, dict[str, Any]]:
    for kind, member in _ARN_MEMBERS.items():
        for key, row in context.world.store.items(kind, context.scope):
            if row[member] == arn:
                return kind, key, row
    raise AWSError("NotFoundException", f"The resource with ARN {arn} was not found", 404)


@operation("eks", "TagResource")
def tag_resource(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    kind, key, row = _locate(context, params["resourceArn"])
    tags = {**row["tags"], **params["tags"]}
    if any(name.startswith("aws:") for name in params["tags"]):
        raise AWSError("BadRequestException", "Tag keys must not begin with aws:")
    if len(tags) > _LIMIT:
        raise AWSError("BadRequestException", f"A resource can have at most {_LIMIT} tags")
    context.world.store.put(kind, context.scope, key, {**row, "tags": tags})
    return {}


@operation("eks", "UntagResource")
def untag_resource(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    kind, key, row = _locate(context, params["resourceArn"])
    kept = {name: value for name, value in row["tags"].items() if name not in params["tagKeys"]}
    context.world.store.put(kind, context.scope, key, {**row, "tags": kept})
    return {}


@operation("eks", "ListTagsForResource")
def list_tags_for_resource(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"tags": _locate(context, params["resourceArn"])[2]["tags"]}
