"""IAM documents: statements that allow named actions on named resources."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from clusters.template.document import Value, att


def allow(actions: Sequence[str], resources: Value, *, sid: str = "", condition: Mapping[str, Any] | None = None) -> dict[str, Value]:
    """One statement. resources: an ARN, a list of them, or "*" for actions that IAM limits to no resource."""
    statement: dict[str, Value] = {"Effect": "Allow", "Action": sorted(actions), "Resource": resources}
    if sid:
        statement["Sid"] = sid
    if condition:
        statement["Condition"] = dict(condition)
    return statement


def policy(*statements: Mapping[str, Value]) -> dict[str, Value]:
    return {"Version": "2012-10-17", "Statement": [dict(statement) for statement in statements]}


def inline(name: str, *statements: Mapping[str, Value]) -> dict[str, Value]:
    """One entry of a role's Policies."""
    return {"PolicyName": name, "PolicyDocument": policy(*statements)}


def trusts_service(service: str, *, tag_session: bool = False) -> dict[str, Value]:
    """Who may take the role: an AWS service."""
    actions = ["sts:AssumeRole", *(["sts:TagSession"] if tag_session else [])]
    return policy({"Effect": "Allow", "Principal": {"Service": service}, "Action": actions})


def trusts_service_account(cluster: str, provider: str, namespace: str, service_account: str) -> dict[str, Value]:
    """Who may take the role: one service account of the cluster, for STS alone.

    The condition's keys hold the issuer, which is known only once the cluster is there, and CloudFormation fills in values but
    no keys: so the whole document is a text with the issuer put in. cluster, provider: logical names.
    """
    document = policy(
        {
            "Effect": "Allow",
            "Principal": {"Federated": "${Provider}"},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {
                "StringEquals": {
                    "${Issuer}:aud": "sts.amazonaws.com",
                    "${Issuer}:sub": f"system:serviceaccount:{namespace}:{service_account}",
                }
            },
        }
    )
    issuer = {"Fn::Select": [1, {"Fn::Split": ["//", att(cluster, "OpenIdConnectIssuerUrl")]}]}
    return {"Fn::Sub": [json.dumps(document), {"Issuer": issuer, "Provider": att(provider, "Arn")}]}
