"""How each service spells the errors that all of them have; from botocore's error shapes and the services' API references."""

from __future__ import annotations

_THROTTLED = {
    "ec2": ("RequestLimitExceeded", 503),
    "s3": ("SlowDown", 503),
    "iam": ("Throttling", 400),
    "sts": ("Throttling", 400),
    "cloudformation": ("Throttling", 400),
    "service-quotas": ("TooManyRequestsException", 400),
    "eks": ("ThrottlingException", 429),
    "resourcegroupstaggingapi": ("ThrottledException", 400),
}
_ACCESS_DENIED = {
    "ec2": ("UnauthorizedOperation", 403),
    "s3": ("AccessDenied", 403),
    "iam": ("AccessDenied", 403),
    "sts": ("AccessDenied", 403),
    "cloudformation": ("AccessDenied", 403),
    "eks": ("AccessDeniedException", 403),
}
_INVALID = {
    "ec2": "InvalidParameterValue",
    "s3": "InvalidArgument",
    "iam": "ValidationError",
    "sts": "ValidationError",
    "cloudformation": "ValidationError",
    "eks": "InvalidParameterException",
    "logs": "InvalidParameterException",
    "service-quotas": "IllegalArgumentException",
    "resourcegroupstaggingapi": "InvalidParameterException",
}
_INVALID_TOKEN = {
    "ec2": "InvalidParameterValue",
    "iam": "ValidationError",
    "cloudformation": "ValidationError",
    "cloudtrail": "InvalidNextTokenException",
    "eks": "InvalidParameterException",
    "logs": "InvalidParameterException",
    "service-quotas": "InvalidPaginationTokenException",
    "resourcegroupstaggingapi": "PaginationTokenExpiredException",
    "s3": "InvalidArgument",
}

_UNREADABLE = {"ec2": "InvalidParameterValue", "iam": "MalformedInput", "sts": "MalformedInput", "cloudformation": "MalformedInput"}


def throttled(service: str) -> str:
    return _THROTTLED.get(service, ("ThrottlingException", 400))[0]


def throttled_status(service: str) -> int:
    return _THROTTLED.get(service, ("ThrottlingException", 400))[1]


def access_denied(service: str) -> tuple[str, int]:
    """Code and HTTP status."""
    return _ACCESS_DENIED.get(service, ("AccessDeniedException", 400))


def invalid(service: str) -> str:
    """A parameter that the model does not allow."""
    return _INVALID.get(service, "ValidationException")


def missing(service: str) -> str:
    """A required parameter that was not given."""
    return "MissingParameter" if service == "ec2" else invalid(service)


def invalid_token(service: str) -> str:
    """A paging token that is not ours."""
    return _INVALID_TOKEN.get(service, "ValidationException")


def spelled(service: str, code: str) -> str:
    """The service's own word for what the protocol layer calls SerializationException."""
    if code != "SerializationException":
        return code
    return "MalformedXML" if service == "s3" else _UNREADABLE.get(service, code)
