"""The shapes of IAM's answers, against moto's."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.tests.iam.conftest import EKS, allow, policy
from sandbox.tests.oracle import compare, moto
from sandbox.world import World

POLICY = lambda seen: seen["policy"]["Policy"]["Arn"]  # noqa: E731 (an argument that is a function of the answers)
PROVIDER = lambda seen: seen["provider"]["OpenIDConnectProviderArn"]  # noqa: E731
READ = policy(allow("s3:GetObject"))
TAGS = [{"Key": "team", "Value": "ml"}]

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("CreateRole", "", {"RoleName": "r", "AssumeRolePolicyDocument": EKS, "Description": "d", "Tags": TAGS}),
    ("GetRole", "", {"RoleName": "r"}),
    ("ListRoles", "", {}),
    ("PutRolePolicy", "", {"RoleName": "r", "PolicyName": "p", "PolicyDocument": READ}),
    ("GetRolePolicy", "", {"RoleName": "r", "PolicyName": "p"}),
    ("ListRolePolicies", "", {"RoleName": "r"}),
    ("CreatePolicy", "policy", {"PolicyName": "m", "PolicyDocument": READ, "Description": "d", "Tags": TAGS}),
    ("GetPolicy", "", {"PolicyArn": POLICY}),
    ("CreatePolicyVersion", "", {"PolicyArn": POLICY, "PolicyDocument": READ}),
    ("GetPolicyVersion", "", {"PolicyArn": POLICY, "VersionId": "v1"}),
    ("ListPolicyVersions", "", {"PolicyArn": POLICY}),
    ("AttachRolePolicy", "", {"RoleName": "r", "PolicyArn": POLICY}),
    ("ListAttachedRolePolicies", "", {"RoleName": "r"}),
    ("ListEntitiesForPolicy", "", {"PolicyArn": POLICY}),
    ("CreateInstanceProfile", "", {"InstanceProfileName": "i"}),
    ("AddRoleToInstanceProfile", "", {"InstanceProfileName": "i", "RoleName": "r"}),
    ("GetInstanceProfile", "", {"InstanceProfileName": "i"}),
    ("ListInstanceProfilesForRole", "", {"RoleName": "r"}),
    (
        "CreateOpenIDConnectProvider",
        "provider",
        {"Url": "https://oidc.example.com/id/A", "ClientIDList": ["sts.amazonaws.com"], "Tags": TAGS, "ThumbprintList": ["a" * 40]},
    ),
    ("GetOpenIDConnectProvider", "", {"OpenIDConnectProviderArn": PROVIDER}),
    ("ListOpenIDConnectProviders", "", {}),
    ("CreateUser", "", {"UserName": "u"}),
    ("CreateAccessKey", "", {"UserName": "u"}),
    ("ListAccessKeys", "", {"UserName": "u"}),
    ("ListUsers", "", {}),
    ("ListRoleTags", "", {"RoleName": "r"}),
]
# What moto tells and we do not, each for a reason.
WITHOUT = {
    "Document": "IAM tells it by GetPolicyVersion only",
}


def test_our_answers_hold_what_motos_hold(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with moto(monkeypatch):
        found = compare(world, "iam", CALLS, WITHOUT)
    assert (found.missing, found.differing) == ({}, {})
    assert found.excused == set(WITHOUT)
