"""Short ways to call IAM in a world of the test's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.identity import Principal
from sandbox.testing import call
from sandbox.world import World

ACCOUNT = "123456789012"


def policy(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [*statements]})


def allow(action: str | list[str], resource: str | list[str] = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": action, "Resource": resource, **more}


def deny(action: str | list[str], resource: str | list[str] = "*", **more: Any) -> dict[str, Any]:
    return {"Effect": "Deny", "Action": action, "Resource": resource, **more}


def trust(**principal: str) -> str:
    return policy({"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"})


EKS = trust(Service="eks.amazonaws.com")


class Iam:
    def __init__(self, world: World) -> None:
        self.world = world

    def __call__(self, operation: str, **params: Any) -> dict[str, Any]:
        return call(self.world, "iam", operation, params)

    def refused(self, operation: str, **params: Any) -> tuple[str, str]:
        with pytest.raises(AWSError) as caught:
            self(operation, **params)
        return caught.value.code, caught.value.message

    def role(self, name: str = "worker", **params: Any) -> str:
        made = self("CreateRole", RoleName=name, AssumeRolePolicyDocument=params.pop("trust", EKS), **params)
        arn: str = made["Role"]["Arn"]
        return arn

    def user(self, name: str, document: str) -> Principal:
        """A user with one inline policy."""
        arn = self("CreateUser", UserName=name)["User"]["Arn"]
        self("PutUserPolicy", UserName=name, PolicyName="rights", PolicyDocument=document)
        return Principal(arn=arn, account=ACCOUNT, kind="user")

    def as_user(self, principal: Principal, service: str, operation: str, **params: Any) -> dict[str, Any]:
        return call(self.world, service, operation, params, principal=principal)

    def alive(self) -> list[tuple[str, str]]:
        entries = self.world.ledger.entries(alive=True)
        return [(entry["kind"], entry["id"]) for entry in entries if entry["kind"].startswith("iam.")]

    def decisions(self, source: str, actions: list[str], **params: Any) -> list[str]:
        results = self("SimulatePrincipalPolicy", PolicySourceArn=source, ActionNames=actions, **params)["EvaluationResults"]
        return [result["EvalDecision"] for result in results]


@pytest.fixture
def iam(world: World) -> Iam:
    return Iam(world)
