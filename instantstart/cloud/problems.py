"""What a failed call to AWS looks like to a person: a Problem with the fix. One place, for pages, API, plans and doctor."""

from __future__ import annotations

from instantstart.cloud import errors
from instantstart.cloud.errors import CloudError
from instantstart.cloud.roles import not_assumed
from instantstart.command_line import manage
from instantstart.problem import Problem

_SERVICE_PREFIX = {"service-quotas": "servicequotas", "resourcegroupstaggingapi": "tag"}
_S3_ACTIONS = {
    "head_bucket": "ListBucket",
    "list_objects_v2": "ListBucket",
    "list_object_versions": "ListBucketVersions",
    "head_object": "GetObject",
    "delete_objects": "DeleteObject",
    "put_public_access_block": "PutBucketPublicAccessBlock",
    "put_bucket_encryption": "PutEncryptionConfiguration",
}


_CAPITALS = {"aws": "AWS", "open_id": "OpenID", "id": "ID"}


def iam_action(service: str, operation: str) -> str:
    """The IAM action of a boto3 operation: ("eks", "describe_cluster") → "eks:DescribeCluster"."""
    prefix = _SERVICE_PREFIX.get(service, service)
    if service == "s3" and operation in _S3_ACTIONS:
        return f"s3:{_S3_ACTIONS[operation]}"
    words = operation.replace("open_id_connect", "openIDConnect").split("_")
    return f"{prefix}:" + "".join(_CAPITALS.get(word, word[:1].upper() + word[1:]) for word in words)


def advice(error: CloudError) -> str:
    """What to do about it, one sentence."""
    if error.code == errors.NO_CREDENTIALS:
        return "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile with AWS_PROFILE, or give the machine a role."
    if error.code in (errors.EXPIRED_CREDENTIALS, "ExpiredToken", "ExpiredTokenException", "RequestExpired"):
        return "The credentials have expired: sign in again (`aws sso login`) or set new ones; they count at once, without a restart."
    if error.code in ("SignatureDoesNotMatch", "InvalidSignatureException", "AuthFailure"):
        return "The secret key does not fit the access key, or this machine's clock is wrong: check both."
    if error.credentials:
        return "AWS does not know these credentials: check the access key, and that AWS_ENDPOINT_URL is the endpoint they are for."
    if error.denied and not_assumed(error):
        return (
            "Let the role's trust policy name this installation and the external id of its account, as the account's page shows them, "
            "and allow sts:AssumeRole on it here; it heals by itself then."
        )
    if error.denied:
        return f"Allow {iam_action(error.service, error.operation)}: `{manage('iam-policy')}` prints the whole policy."
    if error.code in errors.TRANSPORT_CODES:
        return f"Check the network and AWS_ENDPOINT_URL; `{manage('doctor')}` tests every service."
    if error.code in (errors.INVALID_CONFIGURATION, errors.INVALID_REQUEST):
        return "Check the region and the input."
    if "Throttl" in error.code or error.code in ("RequestLimitExceeded", "TooManyRequestsException", "SlowDown"):
        return "AWS asks for fewer calls: try again in a few seconds."
    return f"Try again; if it stays, AWS' health page and `{manage('doctor')}` tell more."


def sentence(error: CloudError) -> str:
    """What happened, one sentence."""
    what = f"{error.service}:{error.operation}"
    if error.credentials:
        return f"AWS did not accept the credentials ({error.code})."
    if error.denied:
        return f"AWS denied {iam_action(error.service, error.operation)}: {error.message}"
    if error.code in errors.TRANSPORT_CODES:
        return f"AWS could not be read ({what}, {error.code})."
    return f"AWS answered {error.code} to {what}: {error.message}"


def problem(error: CloudError) -> Problem:
    """503 when AWS can't be reached or the credentials fail, 502 when it answered with an error."""
    extra = {"aws": {"service": error.service, "operation": error.operation, "code": error.code, "request_id": error.request_id}}
    if error.credentials:
        return Problem(503, "aws_credentials", "AWS credentials do not work", sentence(error), advice(error), extra=extra)
    if error.denied:
        return Problem(502, "aws_denied", "AWS denied the call", sentence(error), advice(error), extra=extra)
    if error.code in errors.TRANSPORT_CODES:
        return Problem(503, "aws_unreachable", "AWS cannot be reached", sentence(error), advice(error), extra=extra)
    return Problem(502, "aws_error", "AWS answered with an error", sentence(error), advice(error), extra=extra)
