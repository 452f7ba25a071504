"""Policy evaluation against an oracle that enumerates: a deny wins, an allow is needed, nothing else counts."""

from __future__ import annotations

import fnmatch
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.aws.iam import conditions
from sandbox.aws.iam.evaluate import Policy, Question, evaluate

ACTIONS = ["s3:GetObject", "s3:PutObject", "ec2:CreateVpc", "iam:PassRole"]
RESOURCES = ["arn:aws:s3:::a/1", "arn:aws:s3:::b/1", "arn:aws:ec2:us-west-2:123456789012:vpc/vpc-1", "*"]
ACTION_PATTERNS = ["*", "s3:*", "s3:Get*", "S3:getobject", "ec2:Create?pc", "iam:PassRole"]
RESOURCE_PATTERNS = ["*", "arn:aws:s3:::a/*", "arn:aws:s3:::?/1", "arn:aws:ec2:*:*:vpc/*"]

statements = st.fixed_dictionaries(
    {
        "Effect": st.sampled_from(["Allow", "Deny"]),
        "action": st.tuples(st.sampled_from(["Action", "NotAction"]), st.lists(st.sampled_from(ACTION_PATTERNS), min_size=1, max_size=2)),
        "resource": st.tuples(
            st.sampled_from(["Resource", "NotResource"]), st.lists(st.sampled_from(RESOURCE_PATTERNS), min_size=1, max_size=2)
        ),
    }
)


def _speaks(statement: dict[str, Any], action: str, resource: str) -> bool:
    (action_member, action_patterns), (resource_member, resource_patterns) = statement["action"], statement["resource"]
    by_action = any(fnmatch.fnmatchcase(action.lower(), pattern.lower()) for pattern in action_patterns)
    by_resource = any(fnmatch.fnmatchcase(resource, pattern) for pattern in resource_patterns)
    return (by_action is (action_member == "Action")) and (by_resource is (resource_member == "Resource"))


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(statements, max_size=5), st.sampled_from(ACTIONS), st.sampled_from(RESOURCES))
def test_the_verdict_is_that_of_an_enumeration(given_statements: list[dict[str, Any]], action: str, resource: str) -> None:
    effects = {statement["Effect"] for statement in given_statements if _speaks(statement, action, resource)}
    expected = "explicitDeny" if "Deny" in effects else "allowed" if "Allow" in effects else "implicitDeny"
    policies = [
        Policy(
            str(number),
            "role",
            json.dumps(
                {"Statement": {"Effect": one["Effect"], one["action"][0]: one["action"][1], one["resource"][0]: one["resource"][1]}}
            ),
        )
        for number, one in enumerate(given_statements)
    ]
    assert evaluate(policies, Question(action, resource)).decision == expected


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(statements, max_size=4), statements, st.sampled_from(ACTIONS), st.sampled_from(RESOURCES))
def test_one_more_deny_never_allows_more(given_statements: list[dict[str, Any]], extra: dict[str, Any], action: str, resource: str) -> None:
    def document(one: dict[str, Any], effect: str) -> Policy:
        text = json.dumps({"Statement": {"Effect": effect, one["action"][0]: one["action"][1], one["resource"][0]: one["resource"][1]}})
        return Policy("p", "role", text)

    before = [document(one, one["Effect"]) for one in given_statements]
    question = Question(action, resource)
    if evaluate([*before, document(extra, "Deny")], question).decision == "allowed":
        assert evaluate(before, question).decision == "allowed"


@pytest.mark.parametrize(
    ("block", "values", "expected"),
    [
        ({"StringEquals": {"aws:k": ["a", "b"]}}, {"aws:k": ["b"]}, True),
        ({"StringEquals": {"aws:k": "A"}}, {"aws:k": ["a"]}, False),
        ({"StringEqualsIgnoreCase": {"aws:K": "A"}}, {"aws:k": ["a"]}, True),
        ({"StringNotEquals": {"aws:k": ["a", "b"]}}, {"aws:k": ["b"]}, False),
        ({"StringNotEquals": {"aws:k": "a"}}, {}, True),
        ({"StringLike": {"aws:k": "arn:*:role/?"}}, {"aws:k": ["arn:x:role/r"]}, True),
        ({"StringEquals": {"aws:k": "a"}}, {}, False),
        ({"StringEqualsIfExists": {"aws:k": "a"}}, {}, True),
        ({"StringEqualsIfExists": {"aws:k": "a"}}, {"aws:k": ["b"]}, False),
        ({"Null": {"aws:k": "true"}}, {}, True),
        ({"Null": {"aws:k": "false"}}, {}, False),
        ({"NumericLessThan": {"aws:k": "10"}}, {"aws:k": ["9.5"]}, True),
        ({"NumericLessThan": {"aws:k": "10"}}, {"aws:k": ["ten"]}, False),
        ({"DateGreaterThan": {"aws:k": "2026-01-01T00:00:00Z"}}, {"aws:k": ["2026-06-01T00:00:00Z"]}, True),
        ({"Bool": {"aws:SecureTransport": "false"}}, {"aws:securetransport": ["true"]}, False),
        ({"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, {"aws:sourceip": ["10.9.8.7"]}, True),
        ({"NotIpAddress": {"aws:SourceIp": "10.0.0.0/8"}}, {"aws:sourceip": ["10.9.8.7"]}, False),
        ({"ArnLike": {"aws:k": "arn:aws:iam::*:role/*"}}, {"aws:k": ["arn:aws:iam::123456789012:role/r"]}, True),
        ({"ForAllValues:StringEquals": {"aws:TagKeys": ["a", "b"]}}, {"aws:tagkeys": ["a", "c"]}, False),
        ({"ForAnyValue:StringEquals": {"aws:TagKeys": ["a", "b"]}}, {"aws:tagkeys": ["a", "c"]}, True),
        ({"ForAllValues:StringEquals": {"aws:TagKeys": ["a"]}}, {}, True),
        ({"StringEquals": {"aws:k": "a"}, "Bool": {"aws:b": "true"}}, {"aws:k": ["a"], "aws:b": ["false"]}, False),
        ({"StringSounds": {"aws:k": "a"}}, {"aws:k": ["a"]}, False),
    ],
)
def test_condition_operators(block: dict[str, Any], values: dict[str, list[str]], expected: bool) -> None:
    assert conditions.satisfied(block, values) is expected


def test_policy_variables_are_filled_in_and_a_missing_one_matches_nothing() -> None:
    document = json.dumps({"Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "arn:aws:s3:::home/${aws:username}/*"}]})
    policies = [Policy("p", "user", document)]
    ann = {"aws:username": ["ann"]}
    assert evaluate(policies, Question("s3:GetObject", "arn:aws:s3:::home/ann/x", ann)).decision == "allowed"
    assert evaluate(policies, Question("s3:GetObject", "arn:aws:s3:::home/bob/x", ann)).decision == "implicitDeny"
    assert evaluate(policies, Question("s3:GetObject", "arn:aws:s3:::home//x")).decision == "implicitDeny"


def test_a_real_call_is_not_refused_for_what_the_sandbox_cannot_know() -> None:
    conditional = {
        "Effect": "Allow",
        "Action": "iam:PassRole",
        "Resource": "*",
        "Condition": {"StringEquals": {"iam:PassedToService": "x"}},
    }
    policies = [Policy("p", "user", json.dumps({"Statement": [conditional]}))]
    assert evaluate(policies, Question("iam:PassRole", "arn:aws:iam::1:role/r", lenient=True)).decision == "allowed"
    assert evaluate(policies, Question("iam:PassRole", "arn:aws:iam::1:role/r")).decision == "implicitDeny"
    striking = [*policies, Policy("d", "user", json.dumps({"Statement": [{**conditional, "Effect": "Deny"}]}))]
    assert evaluate(striking, Question("iam:PassRole", "arn:aws:iam::1:role/r", lenient=True)).decision == "allowed"
