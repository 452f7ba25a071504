"""What CloudTrail notes of a call: who, what, on which resources, with which parameters; nothing secret, nothing that only reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sandbox.aws import models
from sandbox.aws.cloudtrail.resources import names_of
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Run = Callable[["Context", dict[str, Any]], dict[str, Any]]

_READS = ("Describe", "List", "Get", "Head", "Lookup", "Search", "Simulate", "Validate", "Estimate", "Detect", "Assume", "Filter", "Start")
_DATA_EVENTS = {"PutLogEvents"}
"""Calls on data, which are no management events; S3's on objects are told below."""
_S3_OBJECTS = ("Object", "Multipart", "UploadPart")
_EVERYWHERE = {"iam", "sts"}
_HOME_OF_EVERYWHERE = "us-east-1"
"""Events of services without a region are told there."""
_LONGEST = 2048
_HIDDEN = "HIDDEN_DUE_TO_SECURITY_REASONS"
_CLOUDFORMATION = "cloudformation.amazonaws.com"


def recorded(context: Context, params: dict[str, Any], run: Run) -> dict[str, Any]:
    """Run the call and note it, refused or not. AWS's own doing (source "service") and reads leave no line."""
    if context.source == "service" or not _changes(context):
        return run(context, params)
    try:
        result = run(context, params)
    except AWSError as error:
        if error.code != "NotImplemented":
            _note(context, params, {}, {"errorCode": error.code, "errorMessage": error.message})
        raise
    _note(context, params, result, {})
    return result


def _changes(context: Context) -> bool:
    name = context.operation
    if context.service == "s3" and any(part in name for part in _S3_OBJECTS) and "Configuration" not in name:
        return False
    if name == "StartClusterHealthCheck":
        return True
    return not name.startswith(_READS) and name not in _DATA_EVENTS


def _note(context: Context, params: dict[str, Any], result: dict[str, Any], failure: dict[str, str]) -> None:
    region = _HOME_OF_EVERYWHERE if context.service in _EVERYWHERE else context.region
    through = context.source == "cloudformation"
    model = models.operation(context.service, context.operation)
    event = {
        "name": context.operation,
        "source": f"{models.service(context.service).signing_name}.amazonaws.com",
        "request_id": context.request_id,
        "identity": _identity(context, _CLOUDFORMATION if through else ""),
        "access_key": context.principal.access_key,
        "username": _username(context),
        "address": _CLOUDFORMATION if through else context.headers.get("x-forwarded-for", "127.0.0.1"),
        "agent": _CLOUDFORMATION if through else context.headers.get("user-agent", ""),
        "parameters": _shown(model.input_shape, params) if params else None,
        "resources": names_of(context.service, params, result),
        **failure,
    }
    context.world.trail.add(context.account, region, event)


def _username(context: Context) -> str:
    """A user's name, a session's name, or `root`."""
    return "root" if context.principal.kind == "root" else context.principal.arn.rpartition("/")[2]


def _identity(context: Context, through: str) -> dict[str, Any]:
    principal = context.principal
    found: dict[str, Any] = {
        "type": {"root": "Root", "user": "IAMUser", "assumed-role": "AssumedRole"}.get(principal.kind, "AWSService"),
        "principalId": principal.user_id or principal.account,
        "arn": principal.arn,
        "accountId": principal.account,
    }
    if principal.access_key:
        found["accessKeyId"] = principal.access_key
    if principal.kind == "user":
        found["userName"] = _username(context)
    if principal.kind == "assumed-role":
        issuer = {
            "type": "Role",
            "principalId": principal.user_id.partition(":")[0],
            "arn": principal.role_arn,
            "accountId": principal.account,
            "userName": principal.role_arn.rpartition("/")[2],
        }
        found["sessionContext"] = {"sessionIssuer": issuer}
    if through:
        found["invokedBy"] = through
    return found


def _shown(shape: Any, value: Any, secret: bool = False) -> Any:
    """Parameters as CloudTrail writes them: names begin lower case, what the model calls sensitive is hidden, long texts are cut."""
    secret = secret or bool(getattr(shape, "metadata", {}).get("sensitive"))
    if isinstance(value, dict):
        members = getattr(shape, "members", {}) if shape is not None and shape.type_name == "structure" else {}
        inner = shape.value if shape is not None and shape.type_name == "map" else None
        named = bool(members)
        return {(_lower(key) if named else key): _shown(members.get(key, inner), item, secret) for key, item in value.items()}
    if isinstance(value, list):
        member = shape.member if shape is not None and shape.type_name == "list" else None
        return [_shown(member, item, secret) for item in value]
    if secret:
        return _HIDDEN
    if isinstance(value, bytes):
        return ""
    return value[:_LONGEST] if isinstance(value, str) else value


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]
