"""s3: objects."""

from __future__ import annotations

import hashlib
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol.values import epoch_of
from sandbox.aws.protocol.wire import FileSlice
from sandbox.aws.registry import operation
from sandbox.aws.s3 import bodies, checksums, versions
from sandbox.aws.s3.bucket import Bucket, find

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_KEPT = ("ContentType", "ContentEncoding", "ContentDisposition", "ContentLanguage", "CacheControl", "Expires", "StorageClass")
_OVERRIDES = {
    "ResponseContentType": "ContentType",
    "ResponseContentEncoding": "ContentEncoding",
    "ResponseContentDisposition": "ContentDisposition",
    "ResponseContentLanguage": "ContentLanguage",
    "ResponseCacheControl": "CacheControl",
}
_MAX_KEY = 1024
_MAX_METADATA = 2048


@operation("s3", "PutObject")
def put_object(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    key = checked_key(params["Key"])
    body: bytes = params.get("Body", b"")
    _check_write_conditions(context, bucket, key, params)
    sums = checksums.given(params, context.headers)
    checksums.check(body, params, sums)
    etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
    version = versions.add(
        context,
        bucket,
        key,
        {**described(params), "file": bodies.write(context.world, body), "size": len(body), "etag": etag, "checksums": sums},
    )
    return {"ETag": f'"{etag}"', **sums, **_version_members(bucket, version), **encryption(bucket, params)}


@operation("s3", "GetObject")
def get_object(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    version = versions.find(context, bucket["name"], params["Key"], params.get("VersionId"))
    reply = _head(context, bucket, version, params)
    start, length = 0, version["size"]
    if params.get("Range"):
        part = _range(params["Range"], version["size"])
        if part is not None:
            start, length = part
            reply["ContentRange"] = f"bytes {start}-{start + length - 1}/{version['size']}"
            reply["ContentLength"] = length
    reply["Body"] = FileSlice(bodies.path_of(context.world, version["file"]), start, length)
    reply |= {member: params[name] for name, member in _OVERRIDES.items() if params.get(name)}
    return reply


@operation("s3", "HeadObject")
def head_object(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    version = versions.find(context, bucket["name"], params["Key"], params.get("VersionId"))
    return _head(context, bucket, version, params)


@operation("s3", "DeleteObject")
def delete_object(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    return versions.delete(context, bucket, params["Key"], params.get("VersionId"))


@operation("s3", "DeleteObjects")
def delete_objects(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    wanted = params["Delete"]["Objects"]
    if not 0 < len(wanted) <= 1000:
        raise AWSError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
    deleted = []
    for item in wanted:
        gone = versions.delete(context, bucket, item["Key"], item.get("VersionId"))
        entry: dict[str, Any] = {"Key": item["Key"]}
        if item.get("VersionId"):
            entry["VersionId"] = item["VersionId"]
        if gone.get("DeleteMarker"):
            entry |= {"DeleteMarker": True, "DeleteMarkerVersionId": gone["VersionId"]}
        deleted.append(entry)
    return {} if params["Delete"].get("Quiet") else {"Deleted": deleted}


@operation("s3", "CopyObject")
def copy_object(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    key = checked_key(params["Key"])
    source_bucket, source_key, source = copy_source(context, params["CopySource"])
    same = (source_bucket, source_key) == (bucket["name"], key)
    if same and params.get("MetadataDirective") != "REPLACE" and not params.get("StorageClass"):
        raise AWSError(
            "InvalidRequest",
            "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, "
            "storage class, website redirect location or encryption attributes.",
        )
    new = (
        described(params)
        if params.get("MetadataDirective") == "REPLACE"
        else {name: source[name] for name in ("headers", "metadata", "tags")}
    )
    if params.get("TaggingDirective") == "REPLACE":
        new["tags"] = _tags(params)
    file = bodies.copy(context.world, source["file"])
    version = versions.add(
        context, bucket, key, {**new, "file": file, "size": source["size"], "etag": source["etag"], "checksums": source["checksums"]}
    )
    return {
        "CopyObjectResult": {"ETag": f'"{version["etag"]}"', "LastModified": version["at"], **version["checksums"]},
        **_version_members(bucket, version),
        **encryption(bucket, params),
    }


@operation("s3", "GetObjectTagging")
def get_object_tagging(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    version = versions.find(context, bucket["name"], params["Key"], params.get("VersionId"))
    return {"TagSet": version.get("tags", []), **_version_members(bucket, version)}


def copy_source(context: Context, text: str) -> tuple[str, str, versions.Version]:
    """Bucket, key and version of an x-amz-copy-source: `bucket/key?versionId=…`, percent-encoded."""
    path, _, query = text.partition("?")
    name, _, key = unquote(path).lstrip("/").partition("/")
    if not name or not key:
        raise AWSError("InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    bucket = find(context, name)
    return bucket["name"], key, versions.find(context, bucket["name"], key, dict(parse_qsl(query)).get("versionId"))


def checked_key(key: str) -> str:
    if len(key.encode("utf-8", "surrogatepass")) > _MAX_KEY:
        raise AWSError("KeyTooLongError", "Your key is too long", 400, MaxSizeAllowed=_MAX_KEY)
    return key


def described(params: dict[str, Any]) -> dict[str, Any]:
    """What an upload says about an object: headers that come back, metadata, tags."""
    metadata = params.get("Metadata", {})
    if sum(len(key) + len(value) for key, value in metadata.items()) > _MAX_METADATA:
        raise AWSError("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
    headers = {name: params[name] for name in _KEPT if params.get(name) is not None}
    coding = headers.get("ContentEncoding", "")
    if "aws-chunked" in coding:
        headers["ContentEncoding"] = ",".join(part.strip() for part in coding.split(",") if part.strip() != "aws-chunked")
        if not headers["ContentEncoding"]:
            del headers["ContentEncoding"]
    return {"headers": headers, "metadata": metadata, "tags": _tags(params)}


def encryption(bucket: Bucket, params: dict[str, Any]) -> dict[str, Any]:
    """How the object is said to be encrypted: as asked, else the bucket's default."""
    if params.get("ServerSideEncryption"):
        return {"ServerSideEncryption": params["ServerSideEncryption"]}
    rule = bucket["configuration"]["encryption"]["Rules"][0]["ApplyServerSideEncryptionByDefault"]
    return {"ServerSideEncryption": rule["SSEAlgorithm"]}


def _tags(params: dict[str, Any]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in parse_qsl(params.get("Tagging", ""), keep_blank_values=True)]


def _head(context: Context, bucket: Bucket, version: versions.Version, params: dict[str, Any]) -> dict[str, Any]:
    etag = f'"{version["etag"]}"'
    _check_read_conditions(etag, version["at"], params)
    reply = {
        "AcceptRanges": "bytes",
        "LastModified": version["at"],
        "ContentLength": version["size"],
        "ETag": etag,
        "ContentType": "binary/octet-stream",
        "Metadata": version["metadata"],
        **version["headers"],
        **_version_members(bucket, version),
        **encryption(bucket, {}),
    }
    if params.get("ChecksumMode") == "ENABLED" and not params.get("Range"):
        reply |= version["checksums"]
    if version["tags"]:
        reply["TagCount"] = len(version["tags"])
    return reply


def _version_members(bucket: Bucket, version: versions.Version) -> dict[str, Any]:
    return {"VersionId": version["id"]} if "versioning" in bucket else {}


def _check_write_conditions(context: Context, bucket: Bucket, key: str, params: dict[str, Any]) -> None:
    current = versions.newest(context, bucket["name"], key)
    if params.get("IfNoneMatch") == "*" and current is not None:
        raise _precondition("If-None-Match")
    if params.get("IfMatch"):
        if current is None:
            raise AWSError("NoSuchKey", "The specified key does not exist.", 404, Key=key)
        if params["IfMatch"].strip('"') != current["etag"]:
            raise _precondition("If-Match")


def _check_read_conditions(etag: str, modified: float, params: dict[str, Any]) -> None:
    whole_seconds = int(modified)
    if params.get("IfMatch") and params["IfMatch"].strip('"') not in ("*", etag.strip('"')):
        raise _precondition("If-Match")
    if params.get("IfUnmodifiedSince") is not None and not params.get("IfMatch") and whole_seconds > epoch_of(params["IfUnmodifiedSince"]):
        raise _precondition("If-Unmodified-Since")
    if params.get("IfNoneMatch"):
        if params["IfNoneMatch"].strip('"') in ("*", etag.strip('"')):
            raise AWSError("NotModified", "Not Modified", 304)
    elif params.get("IfModifiedSince") is not None and whole_seconds <= epoch_of(params["IfModifiedSince"]):
        raise AWSError("NotModified", "Not Modified", 304)


def _precondition(condition: str) -> AWSError:
    return AWSError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412, Condition=condition)


def _range(text: str, size: int) -> tuple[int, int] | None:
    """Start and length of a range; None for one that is not understood, which S3 ignores."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        start = size - length
    else:
        start = int(found[1])
        end = min(int(found[2]), size - 1) if found[2] else size - 1
        length = end - start + 1
    if start >= size or length <= 0:
        raise AWSError("InvalidRange", "The requested range is not satisfiable", 416, ActualObjectSize=size, RangeRequested=text)
    return start, length
