"""logs: groups, their retention and tags."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.logs import streams
from sandbox.aws.logs.group import KIND, Group, arn_of, find, save
from sandbox.aws.registry import operation

_RETENTIONS = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)


@operation("logs", "CreateLogGroup")
def create_log_group(context: Context, params: dict[str, Any]) -> None:
    name = params["logGroupName"]
    if name.startswith("aws/"):
        raise AWSError("InvalidParameterException", "Log groups starting with AWS/ are reserved for AWS.")
    if context.world.store.get(KIND, context.scope, name) is not None:
        raise AWSError("ResourceAlreadyExistsException", "The specified log group already exists")
    group = {
        "name": name,
        "created_at": context.timestamp,
        "tags": params.get("tags", {}),
        "class": params.get("logGroupClass", "STANDARD"),
        "kms_key": params.get("kmsKeyId", ""),
        "retention": None,
        "bytes": 0,
    }
    save(context, group)


@operation("logs", "DeleteLogGroup")
def delete_log_group(context: Context, params: dict[str, Any]) -> None:
    group = find(context, params["logGroupName"])
    streams.delete_all(context, group["name"])
    context.world.store.delete(KIND, context.scope, group["name"])


@operation("logs", "DescribeLogGroups")
def describe_log_groups(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    prefix, pattern, wanted = params.get("logGroupNamePrefix"), params.get("logGroupNamePattern"), params.get("logGroupClass")
    if prefix and pattern:
        raise AWSError("InvalidParameterException", "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.")
    found = sorted(context.world.store.list(KIND, context.scope), key=lambda group: str(group["name"]))
    return {
        "logGroups": [
            _shown(context, group)
            for group in found
            if group["name"].startswith(prefix or "")
            and (pattern or "").lower() in group["name"].lower()
            and wanted in (None, group["class"])
        ]
    }


@operation("logs", "PutRetentionPolicy")
def put_retention_policy(context: Context, params: dict[str, Any]) -> None:
    group = find(context, params["logGroupName"])
    if params["retentionInDays"] not in _RETENTIONS:
        raise AWSError(
            "InvalidParameterException",
            f"1 validation error detected: Value '{params['retentionInDays']}' at 'retentionInDays' failed to satisfy constraint: "
            f"Member must satisfy enum value set: {list(_RETENTIONS)}",
        )
    group["retention"] = params["retentionInDays"]
    save(context, group)


@operation("logs", "DeleteRetentionPolicy")
def delete_retention_policy(context: Context, params: dict[str, Any]) -> None:
    group = find(context, params["logGroupName"])
    group["retention"] = None
    save(context, group)


@operation("logs", "TagLogGroup")
def tag_log_group(context: Context, params: dict[str, Any]) -> None:
    _add_tags(context, find(context, params["logGroupName"]), params["tags"])


@operation("logs", "UntagLogGroup")
def untag_log_group(context: Context, params: dict[str, Any]) -> None:
    _remove_tags(context, find(context, params["logGroupName"]), params["tags"])


@operation("logs", "ListTagsLogGroup")
def list_tags_log_group(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"tags": find(context, params["logGroupName"])["tags"]}


@operation("logs", "TagResource")
def tag_resource(context: Context, params: dict[str, Any]) -> None:
    _add_tags(context, _by_arn(context, params["resourceArn"]), params["tags"])


@operation("logs", "UntagResource")
def untag_resource(context: Context, params: dict[str, Any]) -> None:
    _remove_tags(context, _by_arn(context, params["resourceArn"]), params["tagKeys"])


@operation("logs", "ListTagsForResource")
def list_tags_for_resource(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"tags": _by_arn(context, params["resourceArn"])["tags"]}


def _by_arn(context: Context, arn: str) -> Group:
    name = arn.removesuffix(":*").rpartition(":log-group:")[2]
    if arn.removesuffix(":*") != arn_of(context, name):
        raise AWSError("ResourceNotFoundException", "The specified resource does not exist.")
    return find(context, name)


def _add_tags(context: Context, group: Group, tags: dict[str, str]) -> None:
    merged = {**group["tags"], **tags}
    if any(key.lower().startswith("aws:") for key in tags):
        raise AWSError("InvalidParameterException", "Tag keys must not start with aws:")
    if len(merged) > 50:
        raise AWSError("TooManyTagsException", "A resource can have no more than 50 tags.")
    save(context, {**group, "tags": merged})


def _remove_tags(context: Context, group: Group, keys: list[str]) -> None:
    save(context, {**group, "tags": {key: value for key, value in group["tags"].items() if key not in keys}})


def _shown(context: Context, group: Group) -> dict[str, Any]:
    shown = {
        "logGroupName": group["name"],
        "creationTime": int(group["created_at"] * 1000),
        "metricFilterCount": 0,
        "arn": arn_of(context, group["name"]) + ":*",
        "logGroupArn": arn_of(context, group["name"]),
        "storedBytes": streams.stored_bytes(context, group["name"]),
        "logGroupClass": group["class"],
    }
    if group["retention"] is not None:
        shown["retentionInDays"] = group["retention"]
    if group["kms_key"]:
        shown["kmsKeyId"] = group["kms_key"]
    return shown
