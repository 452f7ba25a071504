"""The gateway to AWS, above a wire that answers as AWS does."""

from __future__ import annotations

import base64
import datetime as dt
import time
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore import exceptions as botocore
from django.db import transaction

from instantstart.cloud import connect
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity, principal_kind, session_role
from instantstart.cloud.problems import iam_action, problem
from instantstart.cloud.tests.wire import Wire

JSON_ERROR = {"Content_Type": "application/x-amz-json-1.1"}
STS = (
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>{arn}</Arn>'
    "<UserId>AROA:me</UserId><Account>123456789012</Account></GetCallerIdentityResult>"
    "<ResponseMetadata><RequestId>r1</RequestId></ResponseMetadata></GetCallerIdentityResponse>"
)
ROLE = (
    '<GetRoleResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><GetRoleResult><Role><Path>/tools/</Path>'
    "<Arn>arn:aws:iam::123456789012:role/tools/portal</Arn><RoleName>portal</RoleName><RoleId>AROA</RoleId>"
    "<CreateDate>2026-01-01T00:00:00Z</CreateDate></Role></GetRoleResult></GetRoleResponse>"
)
QUERY_ERROR = (
    "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
    "<RequestId>r2</RequestId></ErrorResponse>"
)


def failure(call: object) -> CloudError:
    with pytest.raises(CloudError) as raised:
        call()  # type: ignore[operator]
    return raised.value


# --- errors ---


def test_an_error_of_aws_tells_service_operation_code_message_status_and_request(wire: Wire) -> None:
    wire.say({"message": "No cluster found for name: x."}, 404, x_amzn_ErrorType="ResourceNotFoundException", x_amzn_RequestId="r-1")
    error = failure(lambda: connect("us-west-2").read("eks", "describe_cluster", name="x"))
    assert (error.service, error.operation, error.code, error.status, error.request_id, error.sent) == (
        "eks",
        "describe_cluster",
        "ResourceNotFoundException",
        404,
        "r-1",
        True,
    )
    assert error.missing


@pytest.mark.parametrize(
    ("service", "code", "message", "missing"),
    [
        ("sagemaker", "ResourceNotFound", "Cluster x not found", True),
        ("eks", "ResourceNotFoundException", "", True),
        ("iam", "NoSuchEntity", "", True),
        ("s3", "404", "Not Found", True),
        ("s3", "NoSuchBucket", "", True),
        ("ec2", "InvalidVpcID.NotFound", "", True),
        ("ec2", "InvalidSubnetID.NotFound", "", True),
        ("ec2", "InvalidRouteTableID.NotFound", "", True),
        ("ec2", "NatGatewayNotFound", "", True),
        ("cloudformation", "ValidationError", "Stack with id instantstart-demo-control-plane does not exist", True),
        ("cloudformation", "ValidationError", "Stack [x] does not exist", True),
        ("cloudformation", "ValidationError", "No updates are to be performed.", False),
        ("cloudformation", "ValidationError", "Template format error: Resource Vpc does not exist in it", False),
        ("eks", "AccessDeniedException", "", False),
        ("ec2", "InvalidParameterValue", "", False),
    ],
)
def test_not_found_is_told_from_everything_else(service: str, code: str, message: str, missing: bool) -> None:
    assert CloudError(service, "x", code, message, sent=True).missing is missing


def test_what_was_not_answered_is_never_missing() -> None:
    assert not CloudError("eks", "x", "ResourceNotFoundException", "", sent=None).missing


@pytest.mark.parametrize(
    ("raised", "code", "sent"),
    [
        (botocore.EndpointConnectionError(endpoint_url="http://x", error="refused"), "Unreachable", False),
        (botocore.ConnectTimeoutError(endpoint_url="http://x", error="slow"), "Unreachable", False),
        (botocore.ReadTimeoutError(endpoint_url="http://x", error="slow"), "Timeout", None),
        (botocore.ConnectionClosedError(endpoint_url="http://x", error="reset"), "ConnectionReset", None),
        (botocore.SSLError(endpoint_url="https://x", error="bad"), "TlsFailed", None),
        (botocore.HTTPClientError(error="?"), "ConnectionReset", None),
    ],
)
def test_a_failure_below_the_answer_says_whether_the_write_may_have_had_its_effect(
    wire: Wire, raised: Exception, code: str, sent: bool | None
) -> None:
    wire.fail(raised)
    error = failure(lambda: connect("us-west-2").write("eks", "delete_cluster", name="x"))
    assert (error.code, error.sent) == (code, sent)
    assert len(wire.requests) == 1


def test_an_answer_that_can_not_be_read_is_unknown(wire: Wire) -> None:
    wire.say("<html>proxy</html>", 200)
    error = failure(lambda: connect("us-west-2").write("sts", "get_caller_identity"))
    assert (error.code, error.sent) == ("UnreadableReply", None)


def test_bad_input_never_leaves(wire: Wire) -> None:
    error = failure(lambda: connect("us-west-2").write("eks", "delete_cluster", nme="x"))
    assert (error.code, error.sent, wire.requests) == ("InvalidRequest", False, [])


def test_without_credentials_nothing_leaves(credentials: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    error = failure(lambda: connect("us-west-2").read("sts", "get_caller_identity"))
    assert (error.code, error.sent, error.credentials) == ("NoCredentials", False, True)
    assert problem(error).status == 503


# --- attempts ---


def test_a_read_is_tried_three_times(wire: Wire) -> None:
    for _ in range(3):
        wire.say({"message": "later"}, 503, x_amzn_ErrorType="ServiceUnavailableException")
    error = failure(lambda: connect("us-west-2").read("eks", "describe_cluster", name="x"))
    assert (error.code, len(wire.requests)) == ("ServiceUnavailableException", 3)


def test_a_write_is_sent_once_whatever_is_answered(wire: Wire) -> None:
    wire.say({"message": "later"}, 503, x_amzn_ErrorType="ServiceUnavailableException")
    failure(lambda: connect("us-west-2").write("eks", "delete_cluster", name="x"))
    assert len(wire.requests) == 1


def test_a_write_waits_less_than_half_a_lease(credentials: None, settings: Any) -> None:
    from instantstart.cloud import sessions

    settings.LEASE_SECONDS, settings.AWS_READ_TIMEOUT = 10.0, 20.0
    client = sessions.client(sessions.Surroundings.current(), "us-west-2", "eks", write=True)
    assert (client.meta.config.read_timeout, client.meta.config.retries["total_max_attempts"]) == (5.0, 1)
    reading = sessions.client(sessions.Surroundings.current(), "us-west-2", "eks", write=False)
    assert reading.meta.config.read_timeout == 20.0


def test_a_write_gives_the_request_id_and_the_data_without_the_envelope(wire: Wire) -> None:
    wire.say({"cluster": {"name": "x", "status": "DELETING"}}, x_amzn_RequestId="r-9")
    reply = connect("us-west-2").write("eks", "delete_cluster", name="x")
    assert (reply.request_id, reply.data) == ("r-9", {"cluster": {"name": "x", "status": "DELETING"}})


# --- pages ---


def test_pages_go_through_all_of_them(wire: Wire) -> None:
    wire.say({"clusters": ["a", "b"], "nextToken": "t"})
    wire.say({"clusters": ["c"]})
    assert list(connect("us-west-2").pages("eks", "list_clusters", "clusters")) == ["a", "b", "c"]
    assert "nextToken=t" in str(wire.requests[1].url)


def test_pages_work_without_a_paginator_of_botocores(wire: Wire) -> None:
    aws = connect("us-west-2")
    wire.say({"Events": [{"EventId": "1"}], "NextToken": "t"})
    wire.say({"Events": [{"EventId": "2"}]})
    found = list(aws._pages_by_token(_client(aws), "sagemaker", "list_cluster_events", "Events", {"ClusterName": "x"}))
    assert [event["EventId"] for event in found] == ["1", "2"]


def _client(aws: object) -> object:
    from instantstart.cloud import sessions

    return sessions.client(sessions.Surroundings.current(), "us-west-2", "sagemaker", write=False)


def test_an_error_on_the_second_page_is_a_cloud_error(wire: Wire) -> None:
    wire.say({"clusters": ["a"], "nextToken": "t"})
    wire.say({"message": "no"}, 403, x_amzn_ErrorType="AccessDeniedException")
    pages = connect("us-west-2").pages("eks", "list_clusters", "clusters")
    assert next(pages) == "a"
    assert failure(lambda: next(pages)).denied


def test_a_streamed_body_arrives_as_bytes(wire: Wire) -> None:
    wire.say(b"#!/bin/bash", content_length="11")
    assert connect("us-west-2").read("s3", "get_object", Bucket="b", Key="k")["Body"] == b"#!/bin/bash"


# --- identity ---


def test_a_session_is_traced_to_its_role_with_the_path(wire: Wire) -> None:
    wire.say(STS.format(arn="arn:aws:sts::123456789012:assumed-role/portal/me"))
    wire.say(ROLE)
    identity = connect("us-west-2").identity()
    assert identity == Identity(
        account="123456789012",
        arn="arn:aws:sts::123456789012:assumed-role/portal/me",
        user_id="AROA:me",
        role_arn="arn:aws:iam::123456789012:role/tools/portal",
    )
    assert (identity.kind, identity.partition) == ("role", "aws")


def test_a_role_that_may_not_be_read_is_assumed_without_path_and_that_is_said(wire: Wire) -> None:
    wire.say(STS.format(arn="arn:aws:sts::123456789012:assumed-role/portal/me"))
    wire.say(QUERY_ERROR.format(code="AccessDenied", message="no"), 403)
    identity = connect("us-west-2").identity()
    assert identity.role_arn == "arn:aws:iam::123456789012:role/portal"
    assert "Allow iam:GetRole on the role portal" in identity.note


def test_a_user_is_its_own_principal(wire: Wire) -> None:
    wire.say(STS.format(arn="arn:aws:iam::123456789012:user/ann"))
    identity = connect("us-west-2").identity()
    assert (identity.role_arn, identity.kind, len(wire.requests)) == ("arn:aws:iam::123456789012:user/ann", "user", 1)


def test_the_identity_is_asked_once_a_minute(wire: Wire) -> None:
    wire.say(STS.format(arn="arn:aws:iam::123456789012:user/ann"))
    assert connect("us-west-2").identity() == connect("us-west-2").identity()
    assert len(wire.requests) == 1


def test_other_credentials_are_another_identity_at_once(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    wire.say(STS.format(arn="arn:aws:iam::123456789012:user/ann"))
    wire.say(STS.format(arn="arn:aws:iam::123456789012:user/bob"))
    assert connect("us-west-2").identity().arn.endswith("ann")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAOTHER")
    assert connect("us-west-2").identity().arn.endswith("bob")


@pytest.mark.parametrize(
    ("arn", "kind", "role"),
    [
        ("arn:aws:sts::123456789012:assumed-role/portal/me", "role", "portal"),
        ("arn:aws-cn:sts::123456789012:assumed-role/AWSReservedSSO_Admin_0123/ann@example.com", "role", "AWSReservedSSO_Admin_0123"),
        ("arn:aws:iam::123456789012:user/team/ann", "user", None),
        ("arn:aws:iam::123456789012:root", "root", None),
        ("arn:aws:sts::123456789012:federated-user/ann", "federated-user", None),
        ("nonsense", "other", None),
    ],
)
def test_principals_are_told_apart(arn: str, kind: str, role: str | None) -> None:
    assert (principal_kind(arn), session_role(arn)) == (kind, role)


# --- EKS token ---


def test_a_token_is_a_presigned_call_that_names_the_cluster(wire: Wire) -> None:
    token = connect("us-west-2").eks_token("demo")
    assert token.startswith("k8s-aws-v1.") and "=" not in token
    text = token.removeprefix("k8s-aws-v1.")
    url = urlsplit(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode())
    query = parse_qs(url.query)
    assert (url.scheme, url.netloc, query["Action"], query["X-Amz-Expires"]) == ("http", "127.0.0.1:9", ["GetCallerIdentity"], ["60"])
    assert query["X-Amz-SignedHeaders"] == ["host;x-k8s-aws-id"]
    assert wire.requests == []


def test_tokens_of_two_clusters_differ(wire: Wire) -> None:
    aws = connect("us-west-2")
    assert aws.eks_token("demo") != aws.eks_token("other")


# --- clock ---


@pytest.mark.parametrize("status", [200, 403])
def test_the_clock_is_compared_with_the_answers_date_even_of_a_refusal(wire: Wire, status: int) -> None:
    theirs = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=600)
    body = (
        STS.format(arn="arn:aws:iam::123456789012:user/ann")
        if status == 200
        else QUERY_ERROR.format(code="SignatureDoesNotMatch", message="old")
    )
    wire.say(body, status, date=format_datetime(theirs, usegmt=True))
    assert connect("us-west-2").clock_skew() == pytest.approx(600, abs=3)


# --- transactions ---


@pytest.mark.django_db
def test_no_call_is_made_inside_a_transaction(wire: Wire) -> None:
    aws = connect("us-west-2")
    with transaction.atomic():
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            aws.read("eks", "describe_cluster", name="x")
        with pytest.raises(RuntimeError, match="inside a database transaction"):
            list(aws.pages("eks", "list_clusters", "clusters"))
    assert wire.requests == []


# --- what people read ---


@pytest.mark.parametrize(
    ("service", "operation", "action"),
    [
        ("eks", "describe_cluster", "eks:DescribeCluster"),
        ("service-quotas", "list_aws_default_service_quotas", "servicequotas:ListAWSDefaultServiceQuotas"),
        ("resourcegroupstaggingapi", "get_resources", "tag:GetResources"),
        ("s3", "head_bucket", "s3:ListBucket"),
        ("iam", "simulate_principal_policy", "iam:SimulatePrincipalPolicy"),
        ("iam", "delete_open_id_connect_provider", "iam:DeleteOpenIDConnectProvider"),
    ],
)
def test_operations_have_the_names_of_iam(service: str, operation: str, action: str) -> None:
    assert iam_action(service, operation) == action


@pytest.mark.parametrize(
    ("error", "status", "code", "fix"),
    [
        (CloudError("eks", "list_clusters", "AccessDeniedException", "no", 403, sent=True), 502, "aws_denied", "Allow eks:ListClusters"),
        (CloudError("sts", "x", "ExpiredToken", "old", 403, sent=True), 503, "aws_credentials", "expired"),
        (CloudError("sts", "x", "InvalidClientTokenId", "?", 403, sent=True), 503, "aws_credentials", "access key"),
        (CloudError("sts", "x", "SignatureDoesNotMatch", "?", 403, sent=True), 503, "aws_credentials", "clock"),
        (CloudError("ec2", "x", "Unreachable", "?", sent=False), 503, "aws_unreachable", "network"),
        (CloudError("ec2", "x", "RequestLimitExceeded", "?", 503, sent=True), 502, "aws_error", "fewer calls"),
        (CloudError("ec2", "x", "InternalError", "?", 500, sent=True), 502, "aws_error", "Try again"),
    ],
)
def test_every_failure_is_told_with_a_fix(error: CloudError, status: int, code: str, fix: str) -> None:
    told = problem(error)
    assert (told.status, told.code) == (status, code)
    assert fix in told.hint


@pytest.mark.django_db
def test_the_rate_limit_is_kept_in_the_state_folder(wire: Wire, tmp_path: Path) -> None:
    wire.say({"clusters": []})
    began = time.monotonic()
    list(connect("us-west-2", account="123456789012").pages("eks", "list_clusters", "clusters"))
    assert [path.name for path in (tmp_path / "rate").iterdir()] == ["123456789012.us-west-2.eks"]
    assert time.monotonic() - began < 5
