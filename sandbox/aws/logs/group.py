"""A log group as it is stored, and how one is found."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.permissions import resource_arn

KIND = "logs.group"  # scope: account/region, key: name

Group = dict[str, Any]


@resource_arn("logs")
def arn_for_policy(context: Context, params: dict[str, Any]) -> str:
    name = params.get("logGroupName") or params.get("logGroupIdentifier")
    if params.get("resourceArn"):
        return str(params["resourceArn"])
    if not name:
        return "*"
    group = str(name).rpartition("log-group:")[2].removesuffix(":*")
    stream = f":log-stream:{params['logStreamName']}" if params.get("logStreamName") else ""
    return f"{arn_of(context, group)}{stream}"


def arn_of(context: Context, name: str) -> str:
    """Without the ":*" that DescribeLogGroups adds in `arn`."""
    return context.arn("logs", f"log-group:{name}")


def find(context: Context, name: str) -> Group:
    group = context.world.store.get(KIND, context.scope, name)
    if group is None:
        raise AWSError("ResourceNotFoundException", "The specified log group does not exist.")
    return group


def find_by_identifier(context: Context, params: dict[str, Any]) -> Group:
    """By `logGroupName`, or by `logGroupIdentifier`: a name or an ARN."""
    identifier = params.get("logGroupIdentifier")
    if identifier and params.get("logGroupName"):
        raise AWSError("InvalidParameterException", "LogGroup name and LogGroup ARN are mutually exclusive parameters.")
    if not identifier and not params.get("logGroupName"):
        raise AWSError("InvalidParameterException", "Either LogGroup name or LogGroup ARN must be specified.")
    return find(context, str(identifier).rpartition("log-group:")[2] if identifier else params["logGroupName"])


def save(context: Context, group: Group) -> None:
    context.world.store.put(KIND, context.scope, group["name"], group)
