"""A bucket as it is stored, and the checks that every call on one makes."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.permissions import resource_arn
from sandbox.world import World

KIND = "s3.bucket"  # scope: account, key: name
OBJECTS = "s3.object"  # scope: bucket, key: the object's key
UPLOADS = "_s3.upload"  # scope: bucket, key: upload id

Bucket = dict[str, Any]


@resource_arn("s3")
def arn_of(context: Context, params: dict[str, Any]) -> str:
    bucket, key = params.get("Bucket"), params.get("Key")
    objects = (params.get("Delete") or {}).get("Objects") or []
    if objects:  # S3 asks the policies for every key of a DeleteObjects; here the first stands for all
        key = objects[0].get("Key")
    if not bucket:
        return "*"
    return context.arn("s3", f"{bucket}/{key}" if key else str(bucket))


def owner_of(world: World, name: str) -> str | None:
    """The account that has the bucket of this name, which is unique over all accounts and regions."""
    return next((account for account in world.store.scopes(KIND) if world.store.get(KIND, account, name) is not None), None)


def find(context: Context, name: str, *, any_region: bool = False) -> Bucket:
    """The bucket for this caller. Raises NoSuchBucket, AccessDenied (another account's), PermanentRedirect (another region's)."""
    bucket = context.world.store.get(KIND, context.account, name)
    if bucket is None:
        if owner_of(context.world, name) is None:
            raise AWSError("NoSuchBucket", "The specified bucket does not exist", 404, BucketName=name)
        raise AWSError("AccessDenied", "Access Denied", 403)
    if not any_region and context.source == "api" and bucket["region"] != context.region:
        raise AWSError(
            "AuthorizationHeaderMalformed",
            f"The authorization header is malformed; the region '{context.region}' is wrong; expecting '{bucket['region']}'",
            400,
            Region=bucket["region"],
        )
    return bucket


def save(context: Context, bucket: Bucket) -> None:
    context.world.store.put(KIND, context.account, bucket["name"], bucket)


def canonical_id(account: str) -> str:
    """The canonical user id that S3 shows as the owner."""
    return (account * 6)[:64]


def owner(context: Context) -> dict[str, str]:
    return {"ID": canonical_id(context.account), "DisplayName": "sandbox"}
