"""Runs as an IAM role with a given policy, in the sandbox: what a least-privilege installation would meet."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusters.catalog import kept
from instantstart import cloud

PATH = "/tools/"
ROLE = "portal"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole"}],
}
ROLE_ARN = f"arn:aws:iam::123456789012:role{PATH}{ROLE}"


def make_role(policy: dict[str, Any]) -> None:
    """As the administrator of the environment's credentials."""
    aws = cloud.connect("us-west-2")
    aws.write("iam", "create_role", RoleName=ROLE, Path=PATH, AssumeRolePolicyDocument=json.dumps(TRUST))
    put_policy(policy)


def put_policy(policy: dict[str, Any]) -> None:
    cloud.connect("us-west-2").write("iam", "put_role_policy", RoleName=ROLE, PolicyName="portal", PolicyDocument=json.dumps(policy))


KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def put_policy_meanwhile(policy: dict[str, Any], administrator: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same while the environment is the role's. administrator: the environment before that."""
    with monkeypatch.context() as patch:
        for key in KEYS:
            if key in administrator:
                patch.setenv(key, administrator[key])
            else:
                patch.delenv(key)
        cloud.forget()
        put_policy(policy)
    cloud.forget()
    kept.forget()


def become_role(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on the environment's credentials are a session of the role."""
    said = cloud.connect("us-west-2").write("sts", "assume_role", RoleArn=ROLE_ARN, RoleSessionName="test").data["Credentials"]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", said["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", said["SecretAccessKey"])
    monkeypatch.setenv("AWS_SESSION_TOKEN", said["SessionToken"])
    cloud.forget()
    kept.forget()
