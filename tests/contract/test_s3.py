"""S3 as `aws s3`, `aws s3api` and boto3 use it."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox

BUCKET = "contract-bucket"


@pytest.fixture
def s3(sandbox: Sandbox) -> Any:
    client = sandbox.client("s3")
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    return client


def code_of(call: Any, **params: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**params)
    return str(caught.value.response["Error"]["Code"])


def test_the_aws_command_makes_fills_lists_syncs_and_removes_a_bucket(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    (folder / "deep").mkdir(parents=True)
    (folder / "a b+ü.txt").write_text("one")
    (folder / "deep" / "two.bin").write_bytes(os.urandom(100))
    (folder / "big.bin").write_bytes(os.urandom(17 * 1024 * 1024))  # three parts
    assert sandbox.run("s3", "mb", "s3://cli-bucket").stdout == "make_bucket: cli-bucket\n"
    assert sandbox.run("s3", "sync", str(folder), "s3://cli-bucket/x", "--quiet").returncode == 0
    listed = sandbox.run("s3", "ls", "s3://cli-bucket", "--recursive").stdout.splitlines()
    assert [line.split(maxsplit=3)[2:] for line in listed] == [
        ["3", "x/a b+ü.txt"],
        [str(17 * 1024 * 1024), "x/big.bin"],
        ["100", "x/deep/two.bin"],
    ]
    back = tmp_path / "back"
    assert sandbox.run("s3", "cp", "s3://cli-bucket/x", str(back), "--recursive", "--quiet").returncode == 0
    for name in ("a b+ü.txt", "big.bin", "deep/two.bin"):
        assert (back / name).read_bytes() == (folder / name).read_bytes()
    assert sandbox.run("s3", "rb", "s3://cli-bucket").returncode == 1
    assert "BucketNotEmpty" in sandbox.run("s3", "rb", "s3://cli-bucket").stderr
    assert sandbox.run("s3", "rb", "s3://cli-bucket", "--force").returncode == 0
    assert sandbox.aws("s3api", "list-buckets")["Buckets"] == []
    ledger = [entry for entry in sandbox.control("GET", "ledger?alive=true")["ledger"] if entry["kind"].startswith("s3.")]
    assert ledger == []
    assert [path for path in (sandbox.state_dir / "files").rglob("*") if path.is_file()] == []


def test_bucket_names_are_checked_and_unique_over_accounts_and_regions(sandbox: Sandbox, s3: Any) -> None:
    assert (
        code_of(s3.create_bucket, Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"}) == "BucketAlreadyOwnedByYou"
    )
    east = sandbox.client("s3", region="us-east-1")
    assert code_of(
        sandbox.client("s3", region="eu-west-1").create_bucket, Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    ) == ("BucketAlreadyOwnedByYou")
    sandbox.control("POST", "accounts", {"account": "210987654321", "access_key": "AKIAOTHER", "secret_key": "other"})
    other = sandbox.client("s3", aws_access_key_id="AKIAOTHER", aws_secret_access_key="other")
    assert (
        code_of(other.create_bucket, Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"}) == "BucketAlreadyExists"
    )
    assert code_of(other.list_objects_v2, Bucket=BUCKET) == "AccessDenied"
    assert code_of(s3.create_bucket, Bucket="no-location") == "IllegalLocationConstraintException"
    assert (
        code_of(s3.create_bucket, Bucket="Upper_Case", CreateBucketConfiguration={"LocationConstraint": "us-west-2"}) == "InvalidBucketName"
    )
    east.create_bucket(Bucket="east-bucket")
    assert east.get_bucket_location(Bucket="east-bucket")["LocationConstraint"] is None
    assert s3.head_bucket(Bucket="east-bucket")["BucketRegion"] == "us-east-1"
    assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == [BUCKET, "east-bucket"]


def test_settings_come_back_as_they_were_put_and_have_their_own_errors(s3: Any) -> None:
    assert s3.get_public_access_block(Bucket=BUCKET)["PublicAccessBlockConfiguration"]["BlockPublicPolicy"] is True
    rule = s3.get_bucket_encryption(Bucket=BUCKET)["ServerSideEncryptionConfiguration"]["Rules"][0]
    assert rule["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert code_of(s3.get_bucket_tagging, Bucket=BUCKET) == "NoSuchTagSet"
    assert code_of(s3.get_bucket_policy, Bucket=BUCKET) == "NoSuchBucketPolicy"
    assert code_of(s3.get_bucket_lifecycle_configuration, Bucket=BUCKET) == "NoSuchLifecycleConfiguration"
    tags = [{"Key": "team", "Value": "ml & ai"}, {"Key": "empty", "Value": ""}]
    s3.put_bucket_tagging(Bucket=BUCKET, Tagging={"TagSet": tags})
    assert s3.get_bucket_tagging(Bucket=BUCKET)["TagSet"] == tags
    rules = [{"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "tmp/"}, "Expiration": {"Days": 3}}]
    s3.put_bucket_lifecycle_configuration(Bucket=BUCKET, LifecycleConfiguration={"Rules": rules})
    assert s3.get_bucket_lifecycle_configuration(Bucket=BUCKET)["Rules"] == rules
    s3.delete_bucket_lifecycle(Bucket=BUCKET)
    assert code_of(s3.get_bucket_lifecycle_configuration, Bucket=BUCKET) == "NoSuchLifecycleConfiguration"
    s3.delete_public_access_block(Bucket=BUCKET)
    assert code_of(s3.get_public_access_block, Bucket=BUCKET) == "NoSuchPublicAccessBlockConfiguration"


def test_a_policy_is_kept_word_for_word_and_a_public_one_is_blocked(s3: Any) -> None:
    arn = f"arn:aws:s3:::{BUCKET}"
    deny = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": [arn, f"{arn}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    text = json.dumps({"Version": "2012-10-17", "Statement": [deny]}, indent=1)
    s3.put_bucket_policy(Bucket=BUCKET, Policy=text)
    assert s3.get_bucket_policy(Bucket=BUCKET)["Policy"] == text
    assert s3.get_bucket_policy_status(Bucket=BUCKET)["PolicyStatus"]["IsPublic"] is False
    public = json.dumps({"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": f"{arn}/*"}]})
    assert code_of(s3.put_bucket_policy, Bucket=BUCKET, Policy=public) == "AccessDenied"
    foreign = json.dumps({"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "arn:aws:s3:::another/*"}]})
    assert code_of(s3.put_bucket_policy, Bucket=BUCKET, Policy=foreign) == "MalformedPolicy"
    assert code_of(s3.put_bucket_policy, Bucket=BUCKET, Policy="{") == "MalformedPolicy"


def test_an_object_comes_back_with_what_was_said_about_it(s3: Any) -> None:
    key = "ä /+%&?=#.txt"
    put = s3.put_object(
        Bucket=BUCKET, Key=key, Body=b"0123456789", ContentType="text/x", Metadata={"k": "v"}, CacheControl="no-store", Tagging="a=b%20c"
    )
    assert put["ETag"] == f'"{hashlib.md5(b"0123456789").hexdigest()}"'  # noqa: S324 - it is what an ETag is
    got = s3.get_object(Bucket=BUCKET, Key=key)
    assert got["Body"].read() == b"0123456789"
    assert (got["ContentType"], got["Metadata"], got["CacheControl"], got["TagCount"]) == ("text/x", {"k": "v"}, "no-store", 1)
    assert s3.get_object_tagging(Bucket=BUCKET, Key=key)["TagSet"] == [{"Key": "a", "Value": "b c"}]
    head = s3.head_object(Bucket=BUCKET, Key=key)
    assert (head["ContentLength"], head["ETag"], head["ServerSideEncryption"]) == (10, put["ETag"], "AES256")
    assert code_of(s3.head_object, Bucket=BUCKET, Key="nothing") == "404"
    assert code_of(s3.get_object, Bucket=BUCKET, Key="nothing") == "NoSuchKey"
    assert code_of(s3.get_object, Bucket="nothing-at-all", Key="k") == "NoSuchBucket"


@pytest.mark.parametrize(
    ("asked", "body", "told"),
    [
        ("bytes=2-4", b"234", "bytes 2-4/10"),
        ("bytes=7-", b"789", "bytes 7-9/10"),
        ("bytes=-2", b"89", "bytes 8-9/10"),
        ("bytes=5-500", b"56789", "bytes 5-9/10"),
        ("lines=1-2", b"0123456789", None),
    ],
)
def test_ranges(s3: Any, asked: str, body: bytes, told: str | None) -> None:
    s3.put_object(Bucket=BUCKET, Key="k", Body=b"0123456789")
    got = s3.get_object(Bucket=BUCKET, Key="k", Range=asked)
    assert (got["Body"].read(), got.get("ContentRange"), got["ContentLength"]) == (body, told, len(body))


def test_conditions_and_bad_ranges(s3: Any) -> None:
    etag = s3.put_object(Bucket=BUCKET, Key="k", Body=b"0123456789")["ETag"]
    assert code_of(s3.get_object, Bucket=BUCKET, Key="k", Range="bytes=10-12") == "InvalidRange"
    assert code_of(s3.get_object, Bucket=BUCKET, Key="k", IfMatch='"other"') == "PreconditionFailed"
    assert code_of(s3.get_object, Bucket=BUCKET, Key="k", IfNoneMatch=etag) == "304"
    assert code_of(s3.put_object, Bucket=BUCKET, Key="k", Body=b"x", IfNoneMatch="*") == "PreconditionFailed"
    s3.put_object(Bucket=BUCKET, Key="k", Body=b"x", IfMatch=etag)
    assert code_of(s3.put_object, Bucket=BUCKET, Key="k", Body=b"y", IfMatch=etag) == "PreconditionFailed"


def test_a_damaged_body_is_refused(s3: Any) -> None:
    wrong = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    assert code_of(s3.put_object, Bucket=BUCKET, Key="k", Body=b"body", ChecksumSHA256=wrong) == "BadDigest"
    assert code_of(s3.head_object, Bucket=BUCKET, Key="k") == "404"
    right = base64.b64encode(hashlib.sha256(b"body").digest()).decode()
    s3.put_object(Bucket=BUCKET, Key="k", Body=b"body", ChecksumSHA256=right)
    assert s3.head_object(Bucket=BUCKET, Key="k", ChecksumMode="ENABLED")["ChecksumSHA256"] == right


def test_multipart_uploads(s3: Any) -> None:
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="big", Metadata={"m": "1"})["UploadId"]
    part = os.urandom(5 * 1024 * 1024)
    first = s3.upload_part(Bucket=BUCKET, Key="big", UploadId=upload, PartNumber=1, Body=part)["ETag"]
    last = s3.upload_part(Bucket=BUCKET, Key="big", UploadId=upload, PartNumber=2, Body=b"end")["ETag"]
    assert [item["Size"] for item in s3.list_parts(Bucket=BUCKET, Key="big", UploadId=upload)["Parts"]] == [len(part), 3]
    assert [item["Key"] for item in s3.list_multipart_uploads(Bucket=BUCKET)["Uploads"]] == ["big"]
    assert code_of(s3.head_object, Bucket=BUCKET, Key="big") == "404"
    parts = [{"PartNumber": 1, "ETag": first}, {"PartNumber": 2, "ETag": last}]
    complete = {"Bucket": BUCKET, "Key": "big", "UploadId": upload}
    assert code_of(s3.complete_multipart_upload, **complete, MultipartUpload={"Parts": parts[::-1]}) == "InvalidPartOrder"
    assert code_of(s3.complete_multipart_upload, **complete, MultipartUpload={"Parts": [{"PartNumber": 9, "ETag": first}]}) == "InvalidPart"
    etag = s3.complete_multipart_upload(**complete, MultipartUpload={"Parts": parts})["ETag"]
    assert etag.endswith('-2"')
    got = s3.get_object(Bucket=BUCKET, Key="big")
    assert (got["Body"].read(), got["Metadata"]) == (part + b"end", {"m": "1"})
    assert code_of(s3.complete_multipart_upload, **complete, MultipartUpload={"Parts": parts}) == "NoSuchUpload"


def test_a_part_that_is_too_small_and_an_upload_that_is_given_up(sandbox: Sandbox, s3: Any) -> None:
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="k")["UploadId"]
    tags = [s3.upload_part(Bucket=BUCKET, Key="k", UploadId=upload, PartNumber=number, Body=b"x")["ETag"] for number in (1, 2)]
    parts = [{"PartNumber": number, "ETag": tag} for number, tag in zip((1, 2), tags, strict=True)]
    assert (
        code_of(s3.complete_multipart_upload, Bucket=BUCKET, Key="k", UploadId=upload, MultipartUpload={"Parts": parts}) == "EntityTooSmall"
    )
    s3.abort_multipart_upload(Bucket=BUCKET, Key="k", UploadId=upload)
    assert code_of(s3.list_parts, Bucket=BUCKET, Key="k", UploadId=upload) == "NoSuchUpload"
    assert [path for path in (sandbox.state_dir / "files").rglob("*") if path.is_file()] == []


def test_copies(s3: Any) -> None:
    s3.put_object(Bucket=BUCKET, Key="from here", Body=b"body", Metadata={"k": "v"}, ContentType="text/x")
    s3.copy_object(Bucket=BUCKET, Key="to", CopySource={"Bucket": BUCKET, "Key": "from here"})
    s3.delete_object(Bucket=BUCKET, Key="from here")
    got = s3.get_object(Bucket=BUCKET, Key="to")
    assert (got["Body"].read(), got["Metadata"], got["ContentType"]) == (b"body", {"k": "v"}, "text/x")
    s3.copy_object(Bucket=BUCKET, Key="to", CopySource=f"{BUCKET}/to", MetadataDirective="REPLACE", Metadata={"new": "1"})
    assert s3.head_object(Bucket=BUCKET, Key="to")["Metadata"] == {"new": "1"}
    assert code_of(s3.copy_object, Bucket=BUCKET, Key="to", CopySource=f"{BUCKET}/to") == "InvalidRequest"
    assert code_of(s3.copy_object, Bucket=BUCKET, Key="x", CopySource=f"{BUCKET}/nothing") == "NoSuchKey"


def test_lists_are_paged_in_order_with_prefixes(s3: Any) -> None:
    keys = ["a.txt", "dir/1", "dir/2", "dir/sub/3", "other/4", "z&<>.txt"]
    for key in reversed(keys):
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"")
    for size in (1, 2, 5):
        for name in ("list_objects_v2", "list_objects"):
            pages = s3.get_paginator(name).paginate(Bucket=BUCKET, PaginationConfig={"PageSize": size})
            assert [item["Key"] for page in pages for item in page.get("Contents", [])] == keys
            pages = s3.get_paginator(name).paginate(Bucket=BUCKET, Delimiter="/", PaginationConfig={"PageSize": size})
            told = [
                item.get("Key") or item["Prefix"] for page in pages for item in (*page.get("Contents", []), *page.get("CommonPrefixes", []))
            ]
            assert sorted(told) == ["a.txt", "dir/", "other/", "z&<>.txt"]
    inside = s3.list_objects_v2(Bucket=BUCKET, Prefix="dir/", Delimiter="/")
    assert [item["Key"] for item in inside["Contents"]] == ["dir/1", "dir/2"]
    assert [item["Prefix"] for item in inside["CommonPrefixes"]] == ["dir/sub/"]
    assert inside["KeyCount"] == 3
    assert [item["Key"] for item in s3.list_objects_v2(Bucket=BUCKET, StartAfter="dir/2")["Contents"]] == [
        "dir/sub/3",
        "other/4",
        "z&<>.txt",
    ]


def test_versions_markers_and_the_emptying_of_a_bucket(s3: Any) -> None:
    assert "Status" not in s3.get_bucket_versioning(Bucket=BUCKET)
    s3.put_object(Bucket=BUCKET, Key="k", Body=b"0")
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    first = s3.put_object(Bucket=BUCKET, Key="k", Body=b"1")["VersionId"]
    s3.put_object(Bucket=BUCKET, Key="k", Body=b"2")
    assert s3.get_object(Bucket=BUCKET, Key="k")["Body"].read() == b"2"
    assert s3.get_object(Bucket=BUCKET, Key="k", VersionId=first)["Body"].read() == b"1"
    assert s3.get_object(Bucket=BUCKET, Key="k", VersionId="null")["Body"].read() == b"0"
    marker = s3.delete_object(Bucket=BUCKET, Key="k")
    assert marker["DeleteMarker"] is True
    assert code_of(s3.get_object, Bucket=BUCKET, Key="k") == "NoSuchKey"
    assert s3.list_objects_v2(Bucket=BUCKET)["KeyCount"] == 0
    assert code_of(s3.delete_bucket, Bucket=BUCKET) == "BucketNotEmpty"
    listed = s3.get_paginator("list_object_versions").paginate(Bucket=BUCKET, PaginationConfig={"PageSize": 2}).build_full_result()
    assert [version["VersionId"] == first for version in listed["Versions"]] == [False, True, False]
    assert [(item["VersionId"], item["IsLatest"]) for item in listed["DeleteMarkers"]] == [(marker["VersionId"], True)]
    everything = [{"Key": item["Key"], "VersionId": item["VersionId"]} for item in (*listed["Versions"], *listed["DeleteMarkers"])]
    assert len(s3.delete_objects(Bucket=BUCKET, Delete={"Objects": everything})["Deleted"]) == 4
    s3.delete_bucket(Bucket=BUCKET)


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_presigned_addresses_need_no_credentials_and_end(sandbox: Sandbox, s3: Any, version: str) -> None:
    import boto3

    client = boto3.client(
        "s3",
        region_name="us-west-2",
        endpoint_url=sandbox.endpoint,
        config=Config(signature_version=version),
        aws_access_key_id="AKIASANDBOX0000000",
        aws_secret_access_key="sandbox-secret-key",
    )
    s3.put_object(Bucket=BUCKET, Key="a b/ü.txt", Body=b"signed")
    url = client.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "a b/ü.txt"}, ExpiresIn=60)
    with urllib.request.urlopen(url, timeout=10) as reply:  # noqa: S310
        assert reply.read() == b"signed"
    for damaged in (url.replace("a%20b", "c"), url.replace("Expires=", "Expires=1")):
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(damaged, timeout=10)  # noqa: S310
        assert caught.value.code in (400, 403)
    put = client.generate_presigned_url("put_object", Params={"Bucket": BUCKET, "Key": "put"}, ExpiresIn=60)
    urllib.request.urlopen(urllib.request.Request(put, data=b"new", method="PUT", headers={"Content-Type": ""}), timeout=10)  # noqa: S310
    assert s3.get_object(Bucket=BUCKET, Key="put")["Body"].read() == b"new"


def test_streams_of_unknown_length_and_large_files(s3: Any) -> None:
    body = os.urandom(9 * 1024 * 1024)
    s3.upload_fileobj(io.BytesIO(body), BUCKET, "stream")
    target = io.BytesIO()
    s3.download_fileobj(BUCKET, "stream", target)
    assert target.getvalue() == body
