"""Whether a role's trust policy lets a principal assume it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

from sandbox.aws.iam import conditions
from sandbox.identity import Principal


def trusts(role: dict[str, Any], principal: Principal, action: str, facts: dict[str, str]) -> bool:
    """`facts`: condition keys of this request, such as sts:ExternalId; empty ones were not given. An explicit Deny wins."""
    document: Any = role["AssumeRolePolicyDocument"]
    policy = json.loads(unquote(document)) if isinstance(document, str) else document
    known = {**facts, "aws:PrincipalArn": principal.identity_arn, "aws:PrincipalAccount": principal.account}
    values = {key.lower(): [value] for key, value in known.items() if value}
    effects = {
        statement.get("Effect")
        for statement in _list(policy.get("Statement", []))
        if _speaks_of(statement, action) and _names(statement, principal) and conditions.satisfied(statement.get("Condition", {}), values)
    }
    return "Allow" in effects and "Deny" not in effects


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _speaks_of(statement: dict[str, Any], action: str) -> bool:
    return any(conditions.like(str(pattern).lower(), action.lower()) for pattern in _list(statement.get("Action", [])))


def _names(statement: dict[str, Any], principal: Principal) -> bool:
    """The principal itself, its session, its role, its account as a whole, or everyone."""
    named = statement.get("Principal", {})
    if named == "*":
        return True
    own = {principal.arn, principal.identity_arn, principal.account, f"arn:aws:iam::{principal.account}:root", "*"}
    return isinstance(named, dict) and any(str(value) in own for value in _list(named.get("AWS", [])))
