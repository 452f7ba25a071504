"""Signing, errors and faults as the real clients meet them."""

from __future__ import annotations

import datetime
import http.client
import json
import time
import urllib.parse
from typing import Any

import botocore.exceptions
import pytest
import time_machine
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox

USER = "arn:aws:iam::123456789012:user/sandbox"


def code_of(call: Any, *arguments: Any, **params: Any) -> tuple[str, int]:
    with pytest.raises(ClientError) as caught:
        call(*arguments, **params)
    return caught.value.response["Error"]["Code"], caught.value.response["ResponseMetadata"]["HTTPStatusCode"]


# Each protocol once: query, ec2, rest-json, json, rest-xml.
CALLS = {
    "iam": ("list_roles", "InvalidClientTokenId", 403, "SignatureDoesNotMatch", 403, "Throttling", 400),
    "ec2": ("describe_vpcs", "AuthFailure", 401, "AuthFailure", 401, "RequestLimitExceeded", 503),
    "eks": ("list_clusters", "UnrecognizedClientException", 403, "InvalidSignatureException", 403, "ThrottlingException", 429),
    "sagemaker": ("list_clusters", "UnrecognizedClientException", 400, "InvalidSignatureException", 400, "ThrottlingException", 400),
    "s3": ("list_buckets", "InvalidAccessKeyId", 403, "SignatureDoesNotMatch", 403, "SlowDown", 503),
}


@pytest.mark.parametrize("service", CALLS)
def test_an_unknown_key_is_refused_in_the_service_s_words(sandbox: Sandbox, service: str) -> None:
    client = sandbox.client(service, aws_access_key_id="AKIANOBODY", aws_secret_access_key="x")
    assert code_of(getattr(client, CALLS[service][0])) == (CALLS[service][1], CALLS[service][2])


@pytest.mark.parametrize("service", CALLS)
def test_a_wrong_secret_is_refused_in_the_service_s_words(sandbox: Sandbox, service: str) -> None:
    client = sandbox.client(service, aws_access_key_id="AKIASANDBOX0000000", aws_secret_access_key="wrong")
    assert code_of(getattr(client, CALLS[service][0])) == (CALLS[service][3], CALLS[service][4])


@pytest.mark.parametrize("service", CALLS)
def test_the_right_key_is_let_in(sandbox: Sandbox, service: str) -> None:
    assert getattr(sandbox.client(service), CALLS[service][0])()["ResponseMetadata"]["HTTPStatusCode"] == 200


@pytest.mark.parametrize(("minutes", "service", "code"), [(-20, "sts", "SignatureDoesNotMatch"), (20, "sts", "SignatureDoesNotMatch")])
def test_a_clock_that_is_off_is_told(sandbox: Sandbox, minutes: int, service: str, code: str) -> None:
    client = sandbox.client(service)
    with (
        time_machine.travel(datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=minutes)),
        pytest.raises(ClientError) as caught,
    ):
        client.get_caller_identity()
    assert caught.value.response["Error"]["Code"] == code
    assert ("is now earlier than" if minutes < 0 else "is still later than") in caught.value.response["Error"]["Message"]


def test_a_small_difference_of_clocks_is_nothing(sandbox: Sandbox) -> None:
    with time_machine.travel(datetime.datetime.now(datetime.UTC) - datetime.timedelta(minutes=4)):
        assert sandbox.client("sts").get_caller_identity()["Arn"] == USER


def test_no_signature_is_refused(sandbox: Sandbox) -> None:
    connection = http.client.HTTPConnection(sandbox.endpoint.removeprefix("http://"), timeout=10)
    connection.request("POST", "/", "Action=GetCallerIdentity&Version=2011-06-15", {"Content-Type": "application/x-www-form-urlencoded"})
    reply = connection.getresponse()
    assert reply.status == 403
    assert b"<Code>MissingAuthenticationToken</Code>" in reply.read()


def test_a_changed_body_does_not_match_its_signature(sandbox: Sandbox) -> None:
    client = sandbox.client("sts")
    client.meta.events.register(
        "before-send.sts.*", lambda request, **_: setattr(request, "body", request.body.replace("2011-06-15", "2011-06-16"))
    )
    assert code_of(client.get_caller_identity)[0] == "SignatureDoesNotMatch"


def test_a_presigned_request_is_good_for_its_time(sandbox: Sandbox) -> None:
    url = sandbox.client("sts").generate_presigned_url("get_caller_identity", ExpiresIn=60, HttpMethod="GET")
    parts = urllib.parse.urlsplit(url)
    answers = []
    for query in (parts.query, parts.query.replace("GetCallerIdentity", "GetSessionToken")):
        connection = http.client.HTTPConnection(parts.netloc, timeout=10)
        connection.request("GET", f"/?{query}")
        answers.append(connection.getresponse().status)
    assert answers == [200, 403]


@pytest.mark.parametrize("service", CALLS)
def test_a_throttle_is_the_service_s_own_and_the_sdk_retries_it(sandbox: Sandbox, service: str) -> None:
    call, _, _, _, _, code, status = CALLS[service]
    sandbox.fault(kind="throttle", service=service, count=1)
    assert code_of(getattr(sandbox.client(service), call)) == (code, status)
    sandbox.fault(kind="throttle", service=service, count=2)
    patient = sandbox.client(service, attempts=4)
    assert getattr(patient, call)()["ResponseMetadata"]["RetryAttempts"] == 2


def test_access_denied_by_a_fault(sandbox: Sandbox) -> None:
    sandbox.fault(kind="access_denied", service="eks", operation="ListClusters")
    assert code_of(sandbox.client("eks").list_clusters) == ("AccessDeniedException", 403)
    assert sandbox.client("eks").list_clusters()["clusters"] == []


def test_an_error_code_by_a_fault(sandbox: Sandbox) -> None:
    sandbox.fault(kind="error:ServiceUnavailableException", service="eks", message="down for a while")
    with pytest.raises(ClientError, match="down for a while") as caught:
        sandbox.client("eks").list_clusters()
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503


def test_a_lost_reply_comes_after_the_effect(sandbox: Sandbox) -> None:
    logs = sandbox.client("logs")
    sandbox.fault(kind="reply_lost", service="logs", operation="CreateLogGroup")
    with pytest.raises((botocore.exceptions.ConnectionClosedError, botocore.exceptions.ReadTimeoutError)):
        logs.create_log_group(logGroupName="/lost")
    assert [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]] == ["/lost"]


def test_a_500_after_the_effect(sandbox: Sandbox) -> None:
    logs = sandbox.client("logs")
    sandbox.fault(kind="error_after", service="logs", operation="CreateLogGroup")
    assert code_of(logs.create_log_group, logGroupName="/after") == ("InternalFailure", 500)
    assert code_of(logs.create_log_group, logGroupName="/after") == ("ResourceAlreadyExistsException", 400)


def test_a_reset_connection_comes_before_the_effect(sandbox: Sandbox) -> None:
    logs = sandbox.client("logs")
    sandbox.fault(kind="reset", service="logs", operation="CreateLogGroup")
    with pytest.raises((botocore.exceptions.ConnectionClosedError, botocore.exceptions.EndpointConnectionError)):
        logs.create_log_group(logGroupName="/reset")
    assert logs.describe_log_groups()["logGroups"] == []


def test_a_slow_reply_is_slow(sandbox: Sandbox) -> None:
    sandbox.fault(kind="slow:0.4", service="sts")
    began = datetime.datetime.now(datetime.UTC)
    sandbox.client("sts").get_caller_identity()
    assert (datetime.datetime.now(datetime.UTC) - began).total_seconds() >= 0.4


def test_expired_credentials_by_a_scenario(sandbox: Sandbox) -> None:
    fault = sandbox.fault(scenario="expired_credentials")
    for service, (call, *_) in CALLS.items():
        expected = {"ec2": "RequestExpired", "iam": "ExpiredToken", "s3": "ExpiredToken"}.get(service, "ExpiredTokenException")
        assert code_of(getattr(sandbox.client(service), call))[0] == expected
    sandbox.control("DELETE", f"faults/{fault['id']}")
    assert sandbox.client("sts").get_caller_identity()["Arn"] == USER


def test_what_is_not_simulated_is_named_and_not_retried(sandbox: Sandbox) -> None:
    for service, call, name in (
        ("fsx", "describe_backups", "fsx:DescribeBackups"),
        ("sts", "decode_authorization_message", "sts:DecodeAuthorizationMessage"),
        ("grafana", "list_workspaces", "grafana:ListWorkspaces"),
        ("s3", "get_bucket_website", "s3:GetBucketWebsite"),
    ):
        client = sandbox.client(service, attempts=3)
        params = {"sts": {"EncodedMessage": "x"}, "s3": {"Bucket": "some-bucket"}}.get(service, {})
        with pytest.raises(ClientError) as caught:
            getattr(client, call)(**params)
        response = caught.value.response
        assert response["ResponseMetadata"]["HTTPStatusCode"] == 501
        assert response["Error"]["Code"] == "NotImplemented"
        assert response["Error"]["Message"] == f"{name} is not simulated by the sandbox."
        assert response["ResponseMetadata"]["RetryAttempts"] == 0


def test_the_request_log_tells_who_asked_what_and_no_secret(sandbox: Sandbox) -> None:
    start = sandbox.control("GET", "requests?limit=10000")["next"]
    logs = sandbox.client("logs")
    logs.create_log_group(logGroupName="/secret-name")
    code_of(logs.create_log_group, logGroupName="/secret-name")
    sandbox.client("sts").get_caller_identity()
    told = sandbox.control("GET", f"requests?since={start}")["requests"]
    assert [(entry["service"], entry["operation"], entry["status"], entry["code"]) for entry in told] == [
        ("logs", "CreateLogGroup", 200, ""),
        ("logs", "CreateLogGroup", 400, "ResourceAlreadyExistsException"),
        ("sts", "GetCallerIdentity", 200, ""),
    ]
    assert told[0]["digest"] == told[1]["digest"] != told[2]["digest"]
    assert {entry["principal"] for entry in told} == {USER}
    assert "secret" not in json.dumps(told)
    only = sandbox.control("GET", f"requests?since={start}&service=sts")["requests"]
    assert [entry["operation"] for entry in only] == ["GetCallerIdentity"]


def test_the_control_api_says_what_is_wrong(sandbox: Sandbox) -> None:
    assert sandbox.control("POST", "faults", {"kind": "x"})["status"] == 400
    assert sandbox.control("POST", "clock", {"speed": -1})["error"].startswith("speed must be above 0")
    assert sandbox.control("POST", "clock", {"fast_forward": "later"})["error"].startswith("fast_forward must be")
    assert sandbox.control("POST", "clock", {"warp": 9})["error"].startswith("The clock has no warp")
    assert sandbox.control("GET", "nothing")["status"] == 404
    assert sandbox.control("DELETE", "faults/77")["status"] == 404
    assert sandbox.control("GET", "state?kind=_identity.access-key")["status"] == 403


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_a_web_page_cannot_drive_the_sandbox(sandbox: Sandbox, headers: dict[str, str]) -> None:
    connection = http.client.HTTPConnection(sandbox.endpoint.removeprefix("http://"), timeout=10)
    connection.request("POST", "/_sandbox/reset", "{}", headers)
    assert connection.getresponse().status == 403


def test_an_answer_does_not_wait_for_delayed_acknowledgements(sandbox: Sandbox) -> None:
    """Headers and body in two packets with Nagle's algorithm on take 44 ms for each call, on any machine."""
    client = sandbox.client("sts")
    took = []
    for _ in range(20):
        began = time.perf_counter()
        client.get_caller_identity()
        took.append(time.perf_counter() - began)
    assert min(took) < 0.03
