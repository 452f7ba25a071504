"""A second AWS account of the sandbox, seen by its own administrator."""

from __future__ import annotations

import json
from typing import Any

import boto3.session

from clusters.accounts.trust import external_id, trust_policy
from clusters.tests.sandbox import CREDENTIALS, Sandbox

OWN = "123456789012"
SECOND = "222233334444"
US = f"arn:aws:iam::{OWN}:user/sandbox"
ROLE = "instantstart-portal"
ROLE_ARN = f"arn:aws:iam::{SECOND}:role/{ROLE}"
ALL: dict[str, Any] = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}


class SecondAccount:
    """Its administrator's hands: by boto3 itself, so that the product's gateway has no part in it."""

    def __init__(self, sandbox: Sandbox) -> None:
        made = sandbox.call("POST", "accounts", {"account": SECOND, "secret_key": "second-secret-key"})
        self.endpoint = sandbox.endpoint
        self.session = boto3.session.Session(made["access_key"], "second-secret-key", region_name=CREDENTIALS["AWS_REGION"])
        self.iam: Any = self.client("iam")

    def client(self, service: str) -> Any:
        factory: Any = self.session
        return factory.client(service, endpoint_url=self.endpoint)

    def make_role(self, *, external: str = "", policy: dict[str, Any] = ALL, trusted: str = US) -> None:
        """The role as our page tells to make it, or with another external id, another policy, for somebody else."""
        trust = trust_policy(trusted, external or external_id(SECOND))
        self.iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=json.dumps(trust))
        self.iam.put_role_policy(RoleName=ROLE, PolicyName="portal", PolicyDocument=json.dumps(policy))

    def trust(self, external: str = "") -> None:
        """Changes the external id that the role asks for; none given: back to ours."""
        policy = trust_policy(US, external or external_id(SECOND))
        self.iam.update_assume_role_policy(RoleName=ROLE, PolicyDocument=json.dumps(policy))
