"""The same calls against moto and the sandbox: replies must have the same shape, errors the same codes.

moto is the oracle for plain services only; where the two differ on purpose it is said in ON_PURPOSE, with the reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest import mock

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.contract.conftest import Sandbox

# member of a reply that only one of the two has, and why
ON_PURPOSE = {
    "s3": {
        "list_buckets.Buckets.BucketRegion": "told since 2024-10 (API reference, ListBuckets)",
        "put_object.ServerSideEncryption": "every object is encrypted since 2023-01 and S3 says so",
        "get_object.ServerSideEncryption": "as above",
        "head_object.ServerSideEncryption": "as above",
    },
    "logs": {
        "describe_log_groups.logGroups.logGroupClass": "told since 2023-11 (API reference, LogGroup)",
        "describe_log_streams.logStreams.uploadSequenceToken": "no longer needed, still told",
        "filter_log_events.searchedLogStreams.logStreamName": "always empty since 2020-05 (API reference, FilterLogEvents)",
        "filter_log_events.searchedLogStreams.searchedCompletely": "as above",
    },
    "sts": {},
}

Calls = list[tuple[str, dict[str, Any]]]

S3: Calls = [
    ("create_bucket", {"Bucket": "oracle-bucket", "CreateBucketConfiguration": {"LocationConstraint": "us-west-2"}}),
    ("create_bucket", {"Bucket": "oracle-bucket", "CreateBucketConfiguration": {"LocationConstraint": "us-west-2"}}),
    ("list_buckets", {}),
    ("get_bucket_location", {"Bucket": "oracle-bucket"}),
    ("get_bucket_tagging", {"Bucket": "oracle-bucket"}),
    ("put_bucket_tagging", {"Bucket": "oracle-bucket", "Tagging": {"TagSet": [{"Key": "a", "Value": "b"}]}}),
    ("get_bucket_tagging", {"Bucket": "oracle-bucket"}),
    ("get_bucket_versioning", {"Bucket": "oracle-bucket"}),
    ("get_bucket_policy", {"Bucket": "oracle-bucket"}),
    ("get_bucket_lifecycle_configuration", {"Bucket": "oracle-bucket"}),
    ("get_bucket_cors", {"Bucket": "oracle-bucket"}),
    ("put_object", {"Bucket": "oracle-bucket", "Key": "k", "Body": b"body", "Metadata": {"m": "1"}}),
    ("get_object", {"Bucket": "oracle-bucket", "Key": "k"}),
    ("get_object", {"Bucket": "oracle-bucket", "Key": "none"}),
    ("get_object", {"Bucket": "oracle-bucket", "Key": "k", "Range": "bytes=9-10"}),
    ("head_object", {"Bucket": "oracle-bucket", "Key": "k"}),
    ("list_objects_v2", {"Bucket": "oracle-bucket"}),
    ("list_objects_v2", {"Bucket": "oracle-bucket", "Prefix": "none"}),
    ("list_objects_v2", {"Bucket": "not-there-at-all"}),
    ("delete_bucket", {"Bucket": "oracle-bucket"}),
    ("delete_objects", {"Bucket": "oracle-bucket", "Delete": {"Objects": [{"Key": "k"}]}}),
    ("delete_bucket", {"Bucket": "oracle-bucket"}),
    ("head_bucket", {"Bucket": "oracle-bucket"}),
]
LOGS: Calls = [
    ("create_log_group", {"logGroupName": "/oracle", "tags": {"a": "b"}}),
    ("create_log_group", {"logGroupName": "/oracle"}),
    ("put_retention_policy", {"logGroupName": "/oracle", "retentionInDays": 7}),
    ("describe_log_groups", {"logGroupNamePrefix": "/oracle"}),
    ("list_tags_log_group", {"logGroupName": "/oracle"}),
    ("create_log_stream", {"logGroupName": "/oracle", "logStreamName": "s"}),
    ("create_log_stream", {"logGroupName": "/oracle", "logStreamName": "s"}),
    ("describe_log_streams", {"logGroupName": "/oracle"}),
    ("get_log_events", {"logGroupName": "/oracle", "logStreamName": "s"}),
    ("get_log_events", {"logGroupName": "/oracle", "logStreamName": "none"}),
    ("filter_log_events", {"logGroupName": "/oracle"}),
    ("delete_log_group", {"logGroupName": "/oracle"}),
    ("delete_log_group", {"logGroupName": "/oracle"}),
    ("describe_log_streams", {"logGroupName": "/oracle"}),
]
STS: Calls = [("get_caller_identity", {}), ("get_session_token", {})]


def paths(value: Any, prefix: str) -> set[str]:
    """The names of all members, lists looked into by their first item."""
    if isinstance(value, dict):
        return {path for key, item in value.items() for path in ({f"{prefix}.{key}"} | paths(item, f"{prefix}.{key}"))}
    if isinstance(value, list) and value:
        return paths(value[0], prefix)
    return set()


def answers(client: Any, calls: Calls) -> list[tuple[str, set[str], str]]:
    """For each call: its name, the members of its reply, or the code of its error."""
    told: list[tuple[str, set[str], str]] = []
    for name, params in calls:
        try:
            reply = getattr(client, name)(**params)
        except ClientError as error:
            told.append((name, set(), error.response["Error"]["Code"]))
            continue
        del reply["ResponseMetadata"]
        if name == "get_object":
            reply["Body"] = reply["Body"].read().decode()
        told.append((name, paths(reply, name), ""))
    return told


@pytest.mark.parametrize(("service", "calls"), [("s3", S3), ("logs", LOGS), ("sts", STS)])
def test_the_sandbox_answers_in_the_shape_that_moto_does(sandbox: Sandbox, service: str, calls: Calls) -> None:
    ours = answers(sandbox.client(service), calls)
    with mock.patch.dict(os.environ, {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}), mock_aws():
        make: Callable[..., Any] = boto3.session.Session().client
        oracle = answers(make(service, region_name="us-west-2"), calls)
    differences: list[str] = []
    unlike: set[str] = set()
    for (name, mine, my_code), (_, theirs, their_code) in zip(ours, oracle, strict=True):
        if my_code != their_code:
            differences.append(f"{name}: error {my_code or 'none'} against moto's {their_code or 'none'}")
        unlike |= mine ^ theirs
        differences += [f"{path}: only {'ours' if path in mine else 'moto'}" for path in sorted((mine ^ theirs) - set(ON_PURPOSE[service]))]
    assert not differences, "\n".join(differences)
    assert set(ON_PURPOSE[service]) <= unlike, "a difference that is no more: take it out of ON_PURPOSE"
