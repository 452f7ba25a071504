"""s3: buckets themselves."""

from __future__ import annotations

import re
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.s3 import bodies
from sandbox.aws.s3.bucket import KIND, OBJECTS, UPLOADS, find, owner, owner_of, save

_NAME = re.compile(r"(?!\d+\.\d+\.\d+\.\d+$)(?!xn--)(?!sthree-)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?<!-s3alias)(?<!--ol-s3)")
_ON = {"BlockPublicAcls": True, "IgnorePublicAcls": True, "BlockPublicPolicy": True, "RestrictPublicBuckets": True}
# What every new bucket has: S3 user guide, "Default encryption" (2023-01) and "Blocking public access" (2023-04)
_DEFAULTS = {
    "encryption": {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}, "BucketKeyEnabled": False}]},
    "public_access_block": _ON,
    "ownership": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
}


@operation("s3", "CreateBucket")
def create_bucket(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["Bucket"]
    if not _NAME.fullmatch(name):
        raise AWSError("InvalidBucketName", "The specified bucket is not valid.", BucketName=name)
    _check_location(context, params.get("CreateBucketConfiguration", {}).get("LocationConstraint"))
    has_it = owner_of(context.world, name)
    if has_it is not None and has_it != context.account:
        raise AWSError(
            "BucketAlreadyExists",
            "The requested bucket name is not available. The bucket namespace is shared by all users of the system. "
            "Please select a different name and try again.",
            409,
            BucketName=name,
        )
    if has_it is not None and context.region != "us-east-1":
        raise AWSError(
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it.",
            409,
            BucketName=name,
        )
    if has_it is None:
        configuration: dict[str, Any] = dict(_DEFAULTS)
        if params.get("ObjectOwnership"):
            configuration["ownership"] = {"Rules": [{"ObjectOwnership": params["ObjectOwnership"]}]}
        tags = params.get("CreateBucketConfiguration", {}).get("Tags")
        if tags:
            configuration["tagging"] = {"TagSet": tags}
        save(context, {"name": name, "region": context.region, "created_at": context.timestamp, "configuration": configuration})
    return {"Location": f"/{name}" if context.region == "us-east-1" else f"http://{name}.s3.amazonaws.com/"}


@operation("s3", "DeleteBucket")
def delete_bucket(context: Context, params: dict[str, Any]) -> None:
    name = find(context, params["Bucket"])["name"]
    store = context.world.store
    if store.count(OBJECTS, name):
        raise AWSError("BucketNotEmpty", "The bucket you tried to delete is not empty", 409, BucketName=name)
    for upload_id, upload in store.items(UPLOADS, name):
        bodies.remove(context.world, *(part["file"] for part in upload["parts"].values()))
        store.delete(UPLOADS, name, upload_id)
    store.delete(KIND, context.account, name)


@operation("s3", "ListBuckets")
def list_buckets(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    prefix, region, after = params.get("Prefix", ""), params.get("BucketRegion"), params.get("ContinuationToken", "")
    found = sorted(context.world.store.list(KIND, context.account), key=lambda bucket: bucket["name"])
    found = [
        bucket for bucket in found if bucket["name"].startswith(prefix) and region in (None, bucket["region"]) and bucket["name"] > after
    ]
    limit = params.get("MaxBuckets", 10_000)
    reply: dict[str, Any] = {
        "Buckets": [
            {"Name": bucket["name"], "CreationDate": bucket["created_at"], "BucketRegion": bucket["region"]} for bucket in found[:limit]
        ],
        "Owner": owner(context),
    }
    if prefix:
        reply["Prefix"] = prefix
    if len(found) > limit:
        reply["ContinuationToken"] = found[limit - 1]["name"]
    return reply


@operation("s3", "HeadBucket")
def head_bucket(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"], any_region=True)
    return {"BucketRegion": bucket["region"], "AccessPointAlias": False}


@operation("s3", "GetBucketLocation")
def get_bucket_location(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    region = find(context, params["Bucket"], any_region=True)["region"]
    return {"LocationConstraint": "" if region == "us-east-1" else region}


def _check_location(context: Context, wanted: str | None) -> None:
    if (wanted or "us-east-1") == context.region:
        return
    named = f"The {wanted}" if wanted else "The unspecified"
    raise AWSError(
        "IllegalLocationConstraintException",
        f"{named} location constraint is incompatible for the region specific endpoint this request was sent to.",
    )
