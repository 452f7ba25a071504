"""An object's versions: one without versioning, several with it, newest last; a delete marker is a version without a body."""

from __future__ import annotations

import secrets
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.s3 import bodies
from sandbox.aws.s3.bucket import OBJECTS, Bucket

Version = dict[str, Any]


def add(context: Context, bucket: Bucket, key: str, version: Version) -> Version:
    """Make `version` the newest. Without versioning it takes the place of the one that there is."""
    store = context.world.store
    record = store.get(OBJECTS, bucket["name"], key) or {"key": key, "versions": []}
    version = {**version, "id": secrets.token_urlsafe(24) if bucket.get("versioning") == "Enabled" else "null", "at": context.timestamp}
    replaced = [old for old in record["versions"] if old["id"] == version["id"]]
    record["versions"] = [old for old in record["versions"] if old["id"] != version["id"]] + [version]
    store.put(OBJECTS, bucket["name"], key, record)
    bodies.remove(context.world, *(old["file"] for old in replaced if old.get("file")))
    return version


def newest(context: Context, bucket: str, key: str) -> Version | None:
    """What a plain GET sees: None when there is no object, or a delete marker on top."""
    record = context.world.store.get(OBJECTS, bucket, key)
    if record is None:
        return None
    version: Version = record["versions"][-1]
    return None if version.get("marker") else version


def find(context: Context, bucket: str, key: str, version_id: str | None) -> Version:
    """Raises NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker)."""
    if version_id is None:
        version = newest(context, bucket, key)
        if version is None:
            raise AWSError("NoSuchKey", "The specified key does not exist.", 404, Key=key)
        return version
    record = context.world.store.get(OBJECTS, bucket, key) or {"versions": []}
    for candidate in record["versions"]:
        if candidate["id"] == version_id:
            if candidate.get("marker"):
                raise AWSError("MethodNotAllowed", "The specified method is not allowed against this resource.", 405)
            found: Version = candidate
            return found
    raise AWSError("NoSuchVersion", "The specified version does not exist.", 404, Key=key, VersionId=version_id)


def delete(context: Context, bucket: Bucket, key: str, version_id: str | None) -> dict[str, Any]:
    """Delete as DeleteObject does: a version for good, or by a marker where there is versioning. Returns the reply's members."""
    store = context.world.store
    record = store.get(OBJECTS, bucket["name"], key)
    if version_id is None and bucket.get("versioning") == "Enabled":
        marker = add(context, bucket, key, {"marker": True})
        return {"DeleteMarker": True, "VersionId": marker["id"]}
    if record is None:
        return {}
    if version_id is None and bucket.get("versioning") == "Suspended":
        marker = add(context, bucket, key, {"marker": True})
        return {"DeleteMarker": True, "VersionId": marker["id"]}
    wanted = version_id or "null"
    gone = [version for version in record["versions"] if version["id"] == wanted]
    record["versions"] = [version for version in record["versions"] if version["id"] != wanted]
    if record["versions"]:
        store.put(OBJECTS, bucket["name"], key, record)
    else:
        store.delete(OBJECTS, bucket["name"], key)
    bodies.remove(context.world, *(version["file"] for version in gone if version.get("file")))
    reply: dict[str, Any] = {}
    if version_id is not None:
        reply["VersionId"] = version_id
        if gone and gone[0].get("marker"):
            reply["DeleteMarker"] = True
    return reply
