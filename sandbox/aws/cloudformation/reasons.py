"""How CloudFormation words what went wrong with a resource, and which errors it waits out."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from sandbox.aws.cloudformation.resources.base import ResourceFailed
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.resources.base import ResourceType
    from sandbox.aws.context import Context

_HANDLER_CODES = (
    (("AlreadyExists", "BucketAlready", "ResourceInUse", "Duplicate"), "AlreadyExists"),
    (("LimitExceeded", "QuotaExceeded", "TooMany"), "ServiceLimitExceeded"),
    (("AccessDenied", "Unauthorized"), "AccessDenied"),
    (("NotFound", "NoSuch"), "NotFound"),
    (("Throttl", "RequestLimitExceeded"), "Throttling"),
    (("Invalid", "Malformed", "Validation", "Missing", "DependencyViolation", "Conflict", "BucketNotEmpty"), "InvalidRequest"),
)
_WAITED_OUT = (
    "Throttling",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TooManyRequestsException",
    "InternalError",
    "InternalFailure",
    "ServiceUnavailable",
    "ServerException",
)
_BUSY = (
    "DependencyViolation",
    "ResourceInUseException",
    "DeleteConflict",
    "ConflictException",
    "OperationAborted",
    "OperationAbortedException",
    "InvalidIPAddress.InUse",
    "InvalidNetworkInterface.InUse",
)


def passing(error: AWSError) -> bool:
    """Errors that pass by themselves."""
    return error.code in _WAITED_OUT


def busy(error: AWSError) -> bool:
    """Errors of a deletion that may pass: something still uses the resource."""
    return error.code in _BUSY


def missing(error: AWSError) -> bool:
    """The resource is not there (any more)."""
    return "NotFound" in error.code or error.code.startswith(("NoSuch", "Gateway.NotAttached"))


def handler_code(code: str) -> str:
    return next((name for parts, name in _HANDLER_CODES if any(part in code for part in parts)), "GeneralServiceException")


def sentence(context: Context, kind: ResourceType, error: AWSError | ResourceFailed) -> str:
    """As the ResourceStatusReason of an event."""
    token = uuid.uuid4()
    if isinstance(error, ResourceFailed):
        return f'Resource handler returned message: "{error.message}" (RequestToken: {token}, HandlerErrorCode: {error.code})'
    code = handler_code(error.code)
    if code == "AlreadyExists" and kind.custom_name:
        told = error.message
    else:
        told = f"{error.message} (Service: {kind.service}, Status Code: {error.status}, Request ID: {context.request_id})"
    return f'Resource handler returned message: "{told}" (RequestToken: {token}, HandlerErrorCode: {code})'
