"""Who calls, and temporary credentials."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox

ROOT_ARN = "arn:aws:iam::123456789012:root"


def trust(principal: Any, **condition: Any) -> str:
    statement = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole", **({"Condition": condition} if condition else {})}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def code_of(call: Any, **params: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**params)
    return str(caught.value.response["Error"]["Code"])


@pytest.fixture
def role(sandbox: Sandbox) -> str:
    made = sandbox.client("iam").create_role(RoleName="worker", Path="/team/", AssumeRolePolicyDocument=trust({"AWS": ROOT_ARN}))
    return str(made["Role"]["Arn"])


def session(sandbox: Sandbox, arn: str, **more: Any) -> dict[str, Any]:
    reply: dict[str, Any] = sandbox.client("sts").assume_role(RoleArn=arn, RoleSessionName="me", **more)
    return reply


def keys(reply: dict[str, Any]) -> dict[str, str]:
    given = reply["Credentials"]
    return {
        "aws_access_key_id": given["AccessKeyId"],
        "aws_secret_access_key": given["SecretAccessKey"],
        "aws_session_token": given["SessionToken"],
    }


def test_the_caller_is_told_by_the_aws_command(sandbox: Sandbox) -> None:
    told = sandbox.aws("sts", "get-caller-identity")
    assert (told["Account"], told["Arn"]) == ("123456789012", "arn:aws:iam::123456789012:user/sandbox")
    assert told["UserId"].startswith("AIDA")
    assert len(told["UserId"]) == 21


def test_a_session_is_its_role(sandbox: Sandbox, role: str) -> None:
    reply = session(sandbox, role)
    assert reply["AssumedRoleUser"]["Arn"] == "arn:aws:sts::123456789012:assumed-role/worker/me"
    told = sandbox.client("sts", **keys(reply)).get_caller_identity()
    assert told["Arn"] == "arn:aws:sts::123456789012:assumed-role/worker/me"
    assert told["UserId"] == reply["AssumedRoleUser"]["AssumedRoleId"]
    assert told["UserId"].startswith("AROA")


def test_a_session_may_do_what_its_role_may(sandbox: Sandbox, role: str) -> None:
    worker = keys(session(sandbox, role))
    assert code_of(sandbox.client("logs", **worker).create_log_group, logGroupName="/a") == "AccessDeniedException"
    policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}]})
    sandbox.client("iam").put_role_policy(RoleName="worker", PolicyName="logs", PolicyDocument=policy)
    sandbox.client("logs", **worker).create_log_group(logGroupName="/a")
    assert code_of(sandbox.client("eks", **worker).list_clusters) == "AccessDeniedException"


def test_a_session_policy_narrows_the_session(sandbox: Sandbox, role: str) -> None:
    allow = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "logs:*", "Resource": "*"}]}
    sandbox.client("iam").put_role_policy(RoleName="worker", PolicyName="logs", PolicyDocument=json.dumps(allow))
    allow["Statement"][0]["Action"] = "logs:Describe*"  # type: ignore[index]
    worker = keys(session(sandbox, role, Policy=json.dumps(allow)))
    assert sandbox.client("logs", **worker).describe_log_groups()["logGroups"] == []
    assert code_of(sandbox.client("logs", **worker).create_log_group, logGroupName="/a") == "AccessDeniedException"


def test_a_role_that_does_not_trust_the_caller_is_not_assumed(sandbox: Sandbox) -> None:
    sandbox.client("iam").create_role(RoleName="ec2-only", AssumeRolePolicyDocument=trust({"Service": "ec2.amazonaws.com"}))
    sts = sandbox.client("sts")
    for arn in ("arn:aws:iam::123456789012:role/ec2-only", "arn:aws:iam::123456789012:role/nobody"):
        with pytest.raises(ClientError) as caught:
            sts.assume_role(RoleArn=arn, RoleSessionName="me")
        assert caught.value.response["Error"] == {
            "Type": "Sender",
            "Code": "AccessDenied",
            "Message": f"User: arn:aws:iam::123456789012:user/sandbox is not authorized to perform: sts:AssumeRole on resource: {arn}",
        }


def test_an_external_id_must_be_the_one_that_the_role_wants(sandbox: Sandbox) -> None:
    document = trust({"AWS": ROOT_ARN}, StringEquals={"sts:ExternalId": "42"})
    arn = sandbox.client("iam").create_role(RoleName="external", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    sts = sandbox.client("sts")
    assert code_of(sts.assume_role, RoleArn=arn, RoleSessionName="me") == "AccessDenied"
    assert code_of(sts.assume_role, RoleArn=arn, RoleSessionName="me", ExternalId="43") == "AccessDenied"
    assert sts.assume_role(RoleArn=arn, RoleSessionName="me", ExternalId="42")["Credentials"]["AccessKeyId"].startswith("ASIA")


def test_durations_have_their_bounds(sandbox: Sandbox, role: str) -> None:
    sts = sandbox.client("sts", checked=False)
    assert code_of(sts.assume_role, RoleArn=role, RoleSessionName="me", DurationSeconds=899) == "ValidationError"
    assert code_of(sts.assume_role, RoleArn=role, RoleSessionName="me", DurationSeconds=3601) == "ValidationError"
    assert code_of(sts.assume_role, RoleArn=role, RoleSessionName="a b") == "ValidationError"


def test_a_session_needs_its_token_and_ends(sandbox: Sandbox, role: str) -> None:
    worker = keys(session(sandbox, role))
    without = {**worker, "aws_session_token": "other"}
    assert code_of(sandbox.client("sts", **without).get_caller_identity) == "InvalidClientTokenId"
    sandbox.fault(scenario="expired_credentials", access_key=worker["aws_access_key_id"])
    assert code_of(sandbox.client("sts", **worker).get_caller_identity) == "ExpiredToken"
    assert sandbox.client("sts").get_caller_identity()["Arn"].endswith(":user/sandbox")


def test_a_user_s_session_is_the_user(sandbox: Sandbox) -> None:
    own = keys(sandbox.client("sts").get_session_token())
    assert sandbox.client("sts", **own).get_caller_identity()["Arn"] == "arn:aws:iam::123456789012:user/sandbox"


def test_accounts_see_nothing_of_each_other(sandbox: Sandbox) -> None:
    sandbox.control("POST", "accounts", {"account": "210987654321", "access_key": "AKIAOTHER", "secret_key": "other"})
    other = {"aws_access_key_id": "AKIAOTHER", "aws_secret_access_key": "other"}
    assert sandbox.client("sts", **other).get_caller_identity()["Arn"] == "arn:aws:iam::210987654321:user/sandbox"
    sandbox.client("logs").create_log_group(logGroupName="/mine")
    assert sandbox.client("logs", **other).describe_log_groups()["logGroups"] == []


def test_a_role_of_another_account_is_assumed_where_both_sides_allow_it(sandbox: Sandbox) -> None:
    sandbox.control("POST", "accounts", {"account": "210987654321", "access_key": "AKIAOTHER", "secret_key": "other"})
    other = {"aws_access_key_id": "AKIAOTHER", "aws_secret_access_key": "other"}
    arn = sandbox.client("iam", **other).create_role(RoleName="guest", AssumeRolePolicyDocument=trust({"AWS": ROOT_ARN}))["Role"]["Arn"]
    guest = keys(session(sandbox, arn))
    assert sandbox.client("sts", **guest).get_caller_identity()["Account"] == "210987654321"
    assert code_of(sandbox.client("sts", **other).assume_role, RoleArn=arn, RoleSessionName="me") == "AccessDenied"
