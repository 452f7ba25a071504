"""Asks the principal's policies before a handler runs, and words the refusal as the service does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import codes

Resource = Callable[[Context, dict[str, Any]], str]

# IAM's prefix where it is not botocore's service name
_PREFIXES = {"service-quotas": "servicequotas", "resourcegroupstaggingapi": "tag"}
_S3_ACTIONS = {
    "ListBuckets": "s3:ListAllMyBuckets",
    "HeadBucket": "s3:ListBucket",
    "ListObjects": "s3:ListBucket",
    "ListObjectsV2": "s3:ListBucket",
    "ListObjectVersions": "s3:ListBucketVersions",
    "HeadObject": "s3:GetObject",
    "CopyObject": "s3:PutObject",
    "CreateMultipartUpload": "s3:PutObject",
    "UploadPart": "s3:PutObject",
    "UploadPartCopy": "s3:PutObject",
    "CompleteMultipartUpload": "s3:PutObject",
    "ListParts": "s3:ListMultipartUploadParts",
    "ListMultipartUploads": "s3:ListBucketMultipartUploads",
    "DeleteObjects": "s3:DeleteObject",
    "GetBucketEncryption": "s3:GetEncryptionConfiguration",
    "PutBucketEncryption": "s3:PutEncryptionConfiguration",
    "DeleteBucketEncryption": "s3:PutEncryptionConfiguration",
    "GetPublicAccessBlock": "s3:GetBucketPublicAccessBlock",
    "PutPublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "DeletePublicAccessBlock": "s3:PutBucketPublicAccessBlock",
    "GetBucketLifecycleConfiguration": "s3:GetLifecycleConfiguration",
    "PutBucketLifecycleConfiguration": "s3:PutLifecycleConfiguration",
    "DeleteBucketLifecycle": "s3:PutLifecycleConfiguration",
    "DeleteBucketTagging": "s3:PutBucketTagging",
    "DeleteBucketOwnershipControls": "s3:PutBucketOwnershipControls",
}
_FREE = {("sts", "GetCallerIdentity"), ("sts", "GetSessionToken"), ("sts", "AssumeRoleWithWebIdentity")}  # no policy is asked

_resources: dict[str, Resource] = {}


def resource_arn(service: str) -> Callable[[Resource], Resource]:
    """Register how a service's calls name the resource they are about: `f(context, params) -> ARN`, "*" when there is none."""

    def decorate(function: Resource) -> Resource:
        _resources[service] = function
        return function

    return decorate


def action(service: str, operation: str) -> str:
    """The IAM action of an operation."""
    if service == "s3" and operation in _S3_ACTIONS:
        return _S3_ACTIONS[operation]
    return f"{_PREFIXES.get(service, service)}:{operation}"


def check(context: Context, params: dict[str, Any]) -> None:
    """Raise the service's access-denied error unless the principal may. AWS itself (source "service") always may."""
    if context.source == "service" or (context.service, context.operation) in _FREE:
        return
    find = _resources.get(context.service)
    resource = find(context, params) if find else "*"
    wanted = action(context.service, context.operation)
    decision = context.world.identity.authorize(context.principal, wanted, resource)
    if not decision.allowed:
        raise denied(context, wanted, resource, decision.reason)


def denied(context: Context, wanted: str, resource: str, reason: str) -> AWSError:
    code, status = codes.access_denied(context.service)
    if context.service == "ec2":
        return AWSError(
            code,
            f"You are not authorized to perform this operation. User: {context.principal.arn} is not authorized to "
            f"perform: {wanted} on resource: {resource} {reason}".rstrip(),
            status,
        )
    return AWSError(
        code, f"User: {context.principal.arn} is not authorized to perform: {wanted} on resource: {resource} {reason}".rstrip(), status
    )
