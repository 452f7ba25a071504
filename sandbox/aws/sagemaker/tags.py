"""Tags of clusters and training plans, by ARN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import cluster, training_plan
from sandbox.aws.sagemaker.errors import invalid, not_found

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_LIMIT = 50


def _locate(context: Context, arn: str) -> tuple[str, dict[str, Any]]:
    for kind in (cluster.KIND, training_plan.KIND):
        for row in context.world.store.list(kind, context.scope):
            if row["arn"] == arn:
                return kind, row
    raise not_found(f"The resource {arn} could not be found.")


@operation("sagemaker", "AddTags")
def add_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    kind, row = _locate(context, params["ResourceArn"])
    tags = {tag["Key"]: tag["Value"] for tag in [*row["tags"], *params["Tags"]]}
    if any(tag["Key"].startswith("aws:") for tag in params["Tags"]):
        raise invalid("Tag keys must not begin with aws:")
    if len(tags) > _LIMIT:
        raise invalid(f"A resource can have at most {_LIMIT} tags.")
    row["tags"] = [{"Key": key, "Value": value} for key, value in tags.items()]
    context.world.store.put(kind, context.scope, row["name"], row)
    return {"Tags": row["tags"]}


@operation("sagemaker", "DeleteTags")
def delete_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    kind, row = _locate(context, params["ResourceArn"])
    row["tags"] = [tag for tag in row["tags"] if tag["Key"] not in params["TagKeys"]]
    context.world.store.put(kind, context.scope, row["name"], row)
    return {}


@operation("sagemaker", "ListTags")
def list_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Tags": _locate(context, params["ResourceArn"])[1]["tags"]}
