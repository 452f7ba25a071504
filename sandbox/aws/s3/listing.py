"""s3: lists of objects and versions, in the order of their keys' bytes."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.s3.bucket import OBJECTS, find, owner


@dataclass
class Page:
    rows: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # key and record
    prefixes: list[str] = field(default_factory=list)
    truncated: bool = False
    last: str = ""  # the last key or common prefix


@operation("s3", "ListObjectsV2")
def list_objects_v2(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    token = params.get("ContinuationToken")
    after = _from_token(token) if token else params.get("StartAfter", "")
    page, name = _page(context, params, after)
    shown = _encoder(params)
    reply = {
        **_common(params, page, name),
        "KeyCount": len(page.rows) + len(page.prefixes),
        "Contents": [
            _row(key, record, shown) | ({"Owner": owner(context)} if params.get("FetchOwner") else {}) for key, record in page.rows
        ],
    }
    if params.get("StartAfter"):
        reply["StartAfter"] = shown(params["StartAfter"])
    if token:
        reply["ContinuationToken"] = token
    if page.truncated:
        reply["NextContinuationToken"] = base64.urlsafe_b64encode(page.last.encode()).decode()
    return reply


@operation("s3", "ListObjects")
def list_objects(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    page, name = _page(context, params, params.get("Marker", ""))
    shown = _encoder(params)
    reply = {
        **_common(params, page, name),
        "Marker": shown(params.get("Marker", "")),
        "Contents": [_row(key, record, shown) | {"Owner": owner(context)} for key, record in page.rows],
    }
    if page.truncated and params.get("Delimiter"):
        reply["NextMarker"] = shown(page.last)
    return reply


@operation("s3", "ListObjectVersions")
def list_object_versions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])["name"]
    shown, prefix, limit = _encoder(params), params.get("Prefix", ""), min(params.get("MaxKeys", 1000), 1000)
    start, start_version = params.get("KeyMarker", ""), params.get("VersionIdMarker", "")
    rows = []
    for key in sorted(context.world.store.keys(OBJECTS, bucket), key=str.encode):
        if not key.startswith(prefix) or key.encode() < start.encode():
            continue
        record = context.world.store.get(OBJECTS, bucket, key) or {"versions": []}
        newest_first = list(reversed(record["versions"]))
        if key == start:
            identifiers = [version["id"] for version in newest_first]
            newest_first = newest_first[identifiers.index(start_version) + 1 :] if start_version in identifiers else []
        rows += [(key, version, version is record["versions"][-1]) for version in newest_first]
    reply: dict[str, Any] = {
        "Name": bucket,
        "Prefix": shown(prefix),
        "KeyMarker": shown(start),
        "VersionIdMarker": start_version,
        "MaxKeys": limit,
        "IsTruncated": len(rows) > limit,
        "Versions": [],
        "DeleteMarkers": [],
    }
    for key, version, latest in rows[:limit]:
        entry = {"Key": shown(key), "VersionId": version["id"], "IsLatest": latest, "LastModified": version["at"], "Owner": owner(context)}
        if version.get("marker"):
            reply["DeleteMarkers"].append(entry)
        else:
            reply["Versions"].append(entry | {"ETag": f'"{version["etag"]}"', "Size": version["size"], "StorageClass": "STANDARD"})
    if len(rows) > limit and limit:
        reply |= {"NextKeyMarker": shown(rows[limit - 1][0]), "NextVersionIdMarker": rows[limit - 1][1]["id"]}
    if params.get("EncodingType"):
        reply["EncodingType"] = params["EncodingType"]
    return reply


def _page(context: Context, params: dict[str, Any], after: str) -> tuple[Page, str]:
    bucket = find(context, params["Bucket"])["name"]
    prefix, delimiter = params.get("Prefix", ""), params.get("Delimiter", "")
    limit = params.get("MaxKeys", 1000)
    if limit < 0:
        raise AWSError("InvalidArgument", "Argument maxKeys must be an integer between 0 and 2147483647")
    limit = min(limit, 1000)
    page = Page()
    for key in sorted(context.world.store.keys(OBJECTS, bucket), key=str.encode):
        if not key.startswith(prefix) or key.encode() <= after.encode():
            continue
        record = context.world.store.get(OBJECTS, bucket, key)
        if record is None or record["versions"][-1].get("marker"):
            continue
        rest = key[len(prefix) :]
        common = prefix + rest.partition(delimiter)[0] + delimiter if delimiter and delimiter in rest else ""
        if common and (common == page.last or after.startswith(common)):
            continue
        if len(page.rows) + len(page.prefixes) >= limit:
            page.truncated = limit > 0
            break
        if common:
            page.prefixes.append(common)
        else:
            page.rows.append((key, record["versions"][-1]))
        page.last = common or key
    return page, bucket


def _common(params: dict[str, Any], page: Page, bucket: str) -> dict[str, Any]:
    shown = _encoder(params)
    reply: dict[str, Any] = {
        "Name": bucket,
        "Prefix": shown(params.get("Prefix", "")),
        "MaxKeys": min(params.get("MaxKeys", 1000), 1000),
        "IsTruncated": page.truncated,
        "CommonPrefixes": [{"Prefix": shown(prefix)} for prefix in page.prefixes],
    }
    if params.get("Delimiter"):
        reply["Delimiter"] = shown(params["Delimiter"])
    if params.get("EncodingType"):
        reply["EncodingType"] = params["EncodingType"]
    return reply


def _row(key: str, version: dict[str, Any], shown: Any) -> dict[str, Any]:
    row = {
        "Key": shown(key),
        "LastModified": version["at"],
        "ETag": f'"{version["etag"]}"',
        "Size": version["size"],
        "StorageClass": version["headers"].get("StorageClass", "STANDARD"),
    }
    if version["checksums"]:
        row["ChecksumAlgorithm"] = [name.removeprefix("Checksum") for name in version["checksums"]]
    return row


def _encoder(params: dict[str, Any]) -> Any:
    if params.get("EncodingType") == "url":
        return lambda text: quote(text, safe="/")
    return lambda text: text


def _from_token(token: str) -> str:
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise AWSError("InvalidArgument", "The continuation token provided is incorrect") from error
