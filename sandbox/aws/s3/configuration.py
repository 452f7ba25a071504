"""s3: the settings of a bucket that are put, got and deleted whole."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import Handler, operation
from sandbox.aws.s3.bucket import canonical_id, find, owner, save


@dataclass(frozen=True)
class Setting:
    """One sub-resource. `whole`: the member of the input that is stored; `member`: that of the output, "" if it is the output."""

    name: str
    put: str
    get: str
    delete: str
    whole: str
    member: str
    absent_code: str
    absent_message: str


_SETTINGS = (
    Setting(
        "tagging", "PutBucketTagging", "GetBucketTagging", "DeleteBucketTagging", "Tagging", "", "NoSuchTagSet", "The TagSet does not exist"
    ),
    Setting(
        "encryption",
        "PutBucketEncryption",
        "GetBucketEncryption",
        "DeleteBucketEncryption",
        "ServerSideEncryptionConfiguration",
        "ServerSideEncryptionConfiguration",
        "ServerSideEncryptionConfigurationNotFoundError",
        "The server side encryption configuration was not found",
    ),
    Setting(
        "public_access_block",
        "PutPublicAccessBlock",
        "GetPublicAccessBlock",
        "DeletePublicAccessBlock",
        "PublicAccessBlockConfiguration",
        "PublicAccessBlockConfiguration",
        "NoSuchPublicAccessBlockConfiguration",
        "The public access block configuration was not found",
    ),
    Setting(
        "lifecycle",
        "PutBucketLifecycleConfiguration",
        "GetBucketLifecycleConfiguration",
        "DeleteBucketLifecycle",
        "LifecycleConfiguration",
        "",
        "NoSuchLifecycleConfiguration",
        "The lifecycle configuration does not exist",
    ),
    Setting(
        "ownership",
        "PutBucketOwnershipControls",
        "GetBucketOwnershipControls",
        "DeleteBucketOwnershipControls",
        "OwnershipControls",
        "OwnershipControls",
        "OwnershipControlsNotFoundError",
        "The bucket ownership controls were not found",
    ),
    Setting(
        "cors",
        "PutBucketCors",
        "GetBucketCors",
        "DeleteBucketCors",
        "CORSConfiguration",
        "",
        "NoSuchCORSConfiguration",
        "The CORS configuration does not exist",
    ),
)


def _register(setting: Setting) -> None:
    operation("s3", setting.put)(_putter(setting))
    operation("s3", setting.get)(_getter(setting))
    operation("s3", setting.delete)(_deleter(setting))


def _putter(setting: Setting) -> Handler:
    def put(context: Context, params: dict[str, Any]) -> None:
        bucket = find(context, params["Bucket"])
        value = params.get(setting.whole)
        if value is None:
            raise AWSError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
        if setting.name == "tagging":
            _check_tags(value["TagSet"], system=context.source != "api")  # CloudFormation puts its own on what it makes
        bucket["configuration"][setting.name] = value
        save(context, bucket)

    return put


def _getter(setting: Setting) -> Handler:
    def get(context: Context, params: dict[str, Any]) -> dict[str, Any]:
        bucket = find(context, params["Bucket"])
        value = bucket["configuration"].get(setting.name)
        if value is None:
            raise AWSError(setting.absent_code, setting.absent_message, 404, BucketName=bucket["name"])
        return {setting.member: value} if setting.member else value

    return get


def _deleter(setting: Setting) -> Handler:
    def delete(context: Context, params: dict[str, Any]) -> None:
        bucket = find(context, params["Bucket"])
        if setting.name == "encryption":  # there is always one: deleting brings the default back
            bucket["configuration"]["encryption"] = {
                "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}, "BucketKeyEnabled": False}]
            }
        else:
            bucket["configuration"].pop(setting.name, None)
        save(context, bucket)

    return delete


def _check_tags(tags: list[dict[str, str]], *, system: bool) -> None:
    keys = [tag["Key"] for tag in tags]
    if len(set(keys)) != len(keys):
        raise AWSError("InvalidTag", "Cannot provide multiple Tags with the same key")
    if len(keys) > 50:
        raise AWSError("BadRequest", "Bucket tag count cannot be greater than 50")
    for key in keys:
        if key.lower().startswith("aws:") and not system:
            raise AWSError("InvalidTag", "System tags cannot be added/updated by requester")


for _setting in _SETTINGS:
    _register(_setting)


@operation("s3", "PutBucketPolicy")
def put_bucket_policy(context: Context, params: dict[str, Any]) -> None:
    bucket = find(context, params["Bucket"])
    try:
        policy = json.loads(params["Policy"])
        statements = policy["Statement"]
    except (ValueError, KeyError, TypeError) as error:
        raise AWSError("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'") from error
    for statement in statements if isinstance(statements, list) else [statements]:
        _check_statement(bucket["name"], statement)
    block = bucket["configuration"].get("public_access_block", {})
    if block.get("BlockPublicPolicy") and _is_public(statements):
        raise AWSError(
            "AccessDenied",
            f"User: {context.principal.arn} is not authorized to perform: s3:PutBucketPolicy on resource: "
            f'"arn:aws:s3:::{bucket["name"]}" because public policies are prevented '
            "by the BlockPublicPolicy setting in S3 Block Public Access.",
            403,
        )
    bucket["policy"] = params["Policy"]
    save(context, bucket)


@operation("s3", "GetBucketPolicy")
def get_bucket_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    if "policy" not in bucket:
        raise AWSError("NoSuchBucketPolicy", "The bucket policy does not exist", 404, BucketName=bucket["name"])
    return {"Policy": bucket["policy"]}


@operation("s3", "DeleteBucketPolicy")
def delete_bucket_policy(context: Context, params: dict[str, Any]) -> None:
    bucket = find(context, params["Bucket"])
    bucket.pop("policy", None)
    save(context, bucket)


@operation("s3", "GetBucketPolicyStatus")
def get_bucket_policy_status(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    if "policy" not in bucket:
        raise AWSError("NoSuchBucketPolicy", "The bucket policy does not exist", 404, BucketName=bucket["name"])
    return {"PolicyStatus": {"IsPublic": _is_public(json.loads(bucket["policy"])["Statement"])}}


@operation("s3", "PutBucketVersioning")
def put_bucket_versioning(context: Context, params: dict[str, Any]) -> None:
    bucket = find(context, params["Bucket"])
    wanted = params.get("VersioningConfiguration", {}).get("Status")
    if wanted not in ("Enabled", "Suspended"):
        raise AWSError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
    bucket["versioning"] = wanted
    save(context, bucket)


@operation("s3", "GetBucketVersioning")
def get_bucket_versioning(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    return {"Status": bucket["versioning"]} if "versioning" in bucket else {}


@operation("s3", "GetBucketAcl")
def get_bucket_acl(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["Bucket"])
    grantee = {"Type": "CanonicalUser", "ID": canonical_id(context.account), "DisplayName": "sandbox"}
    return {"Owner": owner(context), "Grants": [{"Grantee": grantee, "Permission": "FULL_CONTROL"}]}


def _check_statement(bucket: str, statement: Any) -> None:
    if not isinstance(statement, dict) or statement.get("Effect") not in ("Allow", "Deny"):
        raise AWSError("MalformedPolicy", "Missing required field Effect")
    if "Principal" not in statement and "NotPrincipal" not in statement:
        raise AWSError("MalformedPolicy", "Missing required field Principal")
    if "Action" not in statement and "NotAction" not in statement:
        raise AWSError("MalformedPolicy", "Missing required field Action")
    resources = statement.get("Resource", statement.get("NotResource"))
    for resource in resources if isinstance(resources, list) else [resources]:
        name = str(resource).removeprefix("arn:aws:s3:::").partition("/")[0]
        if not str(resource).startswith("arn:aws:s3:::") or name not in (bucket, "*"):
            raise AWSError("MalformedPolicy", "Policy has invalid resource")


def _is_public(statements: Any) -> bool:
    """Allows everyone, without a condition: what the S3 user guide's "meaning of public" comes to for plain policies."""
    everyone = ("*", {"AWS": "*"}, {"AWS": ["*"]})
    return any(
        statement["Effect"] == "Allow" and statement.get("Principal") in everyone and not statement.get("Condition")
        for statement in (statements if isinstance(statements, list) else [statements])
    )
