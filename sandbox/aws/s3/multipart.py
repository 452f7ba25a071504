"""s3: multipart uploads."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.s3 import bodies, checksums, versions
from sandbox.aws.s3.bucket import UPLOADS, find, owner
from sandbox.aws.s3.objects import checked_key, copy_source, described, encryption

_MIN_PART = 5 * 1024 * 1024  # of all but the last
_COPY_RANGE = re.compile(r"bytes=(\d+)-(\d+)")

Upload = dict[str, Any]


@operation("s3", "CreateMultipartUpload")
def create_multipart_upload(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    key = checked_key(params["Key"])
    upload_id = secrets.token_urlsafe(48)
    upload = {
        "key": key,
        "described": described(params),
        "parts": {},
        "at": context.timestamp,
        "algorithm": params.get("ChecksumAlgorithm", ""),
    }
    context.world.store.put(UPLOADS, bucket["name"], upload_id, upload)
    reply = {"Bucket": bucket["name"], "Key": key, "UploadId": upload_id, **encryption(bucket, params)}
    if params.get("ChecksumAlgorithm"):
        reply |= {"ChecksumAlgorithm": params["ChecksumAlgorithm"], "ChecksumType": params.get("ChecksumType", "COMPOSITE")}
    return reply


@operation("s3", "UploadPart")
def upload_part(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    upload = _find(context, bucket["name"], params)
    body: bytes = params.get("Body", b"")
    sums = checksums.given(params, context.headers)
    checksums.check(body, params, sums)
    etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
    _keep(
        context,
        bucket["name"],
        params,
        upload,
        {"file": bodies.write(context.world, body), "size": len(body), "etag": etag, "checksums": sums},
    )
    return {"ETag": f'"{etag}"', **sums, **encryption(bucket, {})}


@operation("s3", "UploadPartCopy")
def upload_part_copy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    upload = _find(context, bucket["name"], params)
    _, _, source = copy_source(context, params["CopySource"])
    start, length = 0, source["size"]
    if params.get("CopySourceRange"):
        found = _COPY_RANGE.fullmatch(params["CopySourceRange"])
        if found is None or not int(found[1]) <= int(found[2]) < source["size"]:
            raise AWSError("InvalidArgument", "The x-amz-copy-source-range value must be of the form bytes=first-last")
        start, length = int(found[1]), int(found[2]) - int(found[1]) + 1
    file = bodies.copy(context.world, source["file"], start, length)
    etag = bodies.md5_of(context.world, file)
    _keep(context, bucket["name"], params, upload, {"file": file, "size": length, "etag": etag, "checksums": {}})
    return {"CopyPartResult": {"ETag": f'"{etag}"', "LastModified": context.timestamp}, **encryption(bucket, {})}


@operation("s3", "CompleteMultipartUpload")
def complete_multipart_upload(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    upload = _find(context, bucket["name"], params)
    wanted = params.get("MultipartUpload", {}).get("Parts", [])
    if not wanted:
        raise AWSError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
    parts = [_chosen(upload, part) for part in wanted]
    numbers = [part["PartNumber"] for part in wanted]
    if numbers != sorted(set(numbers)):
        raise AWSError("InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number.")
    for part in parts[:-1]:
        if part["size"] < _MIN_PART:
            raise AWSError(
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size",
                400,
                ProposedSize=part["size"],
                MinSizeAllowed=_MIN_PART,
            )
    if params.get("IfNoneMatch") == "*" and versions.newest(context, bucket["name"], upload["key"]) is not None:
        raise AWSError(
            "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", 412, Condition="If-None-Match"
        )
    digest = hashlib.md5(b"".join(bytes.fromhex(part["etag"]) for part in parts), usedforsecurity=False).hexdigest()
    etag = f"{digest}-{len(parts)}"
    version = versions.add(
        context,
        bucket,
        upload["key"],
        {
            **upload["described"],
            "file": bodies.join(context.world, [part["file"] for part in parts]),
            "size": sum(part["size"] for part in parts),
            "etag": etag,
            "checksums": {},
        },
    )
    _drop(context, bucket["name"], params["UploadId"], upload)
    reply = {"Location": f"http://{bucket['name']}.s3.amazonaws.com/{upload['key']}", "Bucket": bucket["name"], "Key": upload["key"]}
    if "versioning" in bucket:
        reply["VersionId"] = version["id"]
    return {**reply, "ETag": f'"{etag}"', **encryption(bucket, {})}


@operation("s3", "AbortMultipartUpload")
def abort_multipart_upload(context: Context, params: dict[str, Any]) -> None:
    bucket = find(context, params["Bucket"])
    _drop(context, bucket["name"], params["UploadId"], _find(context, bucket["name"], params))


@operation("s3", "ListParts")
def list_parts(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    upload = _find(context, bucket["name"], params)
    marker, limit = int(params.get("PartNumberMarker") or 0), min(params.get("MaxParts", 1000), 1000)
    found = sorted((int(number), part) for number, part in upload["parts"].items() if int(number) > marker)
    reply: dict[str, Any] = {
        "Bucket": bucket["name"],
        "Key": upload["key"],
        "UploadId": params["UploadId"],
        "PartNumberMarker": marker,
        "MaxParts": limit,
        "IsTruncated": len(found) > limit,
        "Parts": [
            {"PartNumber": number, "LastModified": part["at"], "ETag": f'"{part["etag"]}"', "Size": part["size"], **part["checksums"]}
            for number, part in found[:limit]
        ],
        "Initiator": {"ID": context.principal.arn, "DisplayName": context.principal.arn.rpartition("/")[2]},
        "Owner": owner(context),
        "StorageClass": "STANDARD",
    }
    if len(found) > limit and limit:
        reply["NextPartNumberMarker"] = found[limit - 1][0]
    return reply


@operation("s3", "ListMultipartUploads")
def list_multipart_uploads(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    bucket = find(context, params["Bucket"])
    prefix, limit = params.get("Prefix", ""), min(params.get("MaxUploads", 1000), 1000)
    after = (params.get("KeyMarker", ""), params.get("UploadIdMarker", ""))
    found = sorted((upload["key"], upload_id, upload) for upload_id, upload in context.world.store.items(UPLOADS, bucket["name"]))
    found = [row for row in found if row[0].startswith(prefix) and (row[0], row[1]) > after]
    reply: dict[str, Any] = {
        "Bucket": bucket["name"],
        "KeyMarker": after[0],
        "UploadIdMarker": after[1],
        "MaxUploads": limit,
        "IsTruncated": len(found) > limit,
        "Prefix": prefix,
        "Uploads": [
            {"Key": key, "UploadId": upload_id, "Initiated": upload["at"], "StorageClass": "STANDARD", "Owner": owner(context)}
            for key, upload_id, upload in found[:limit]
        ],
    }
    if len(found) > limit and limit:
        reply |= {"NextKeyMarker": found[limit - 1][0], "NextUploadIdMarker": found[limit - 1][1]}
    return reply


def _find(context: Context, bucket: str, params: dict[str, Any]) -> Upload:
    upload = context.world.store.get(UPLOADS, bucket, params["UploadId"])
    if upload is None or upload["key"] != params["Key"]:
        raise AWSError(
            "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.",
            404,
            UploadId=params["UploadId"],
        )
    return upload


def _keep(context: Context, bucket: str, params: dict[str, Any], upload: Upload, part: dict[str, Any]) -> None:
    number = params["PartNumber"]
    if not 1 <= number <= 10_000:
        raise AWSError("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive", 400, ArgumentName="partNumber")
    before = upload["parts"].get(str(number))
    upload["parts"][str(number)] = {**part, "at": context.timestamp}
    context.world.store.put(UPLOADS, bucket, params["UploadId"], upload)
    if before is not None:
        bodies.remove(context.world, before["file"])


def _chosen(upload: Upload, wanted: dict[str, Any]) -> dict[str, Any]:
    part = upload["parts"].get(str(wanted.get("PartNumber")))
    if part is None or wanted.get("ETag", "").strip('"') != part["etag"]:
        raise AWSError(
            "InvalidPart",
            "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag "
            "may not match the part's entity tag.",
            400,
            PartNumber=wanted.get("PartNumber"),
        )
    found: dict[str, Any] = part
    return found


def _drop(context: Context, bucket: str, upload_id: str, upload: Upload) -> None:
    context.world.store.delete(UPLOADS, bucket, upload_id)
    bodies.remove(context.world, *(part["file"] for part in upload["parts"].values()))
