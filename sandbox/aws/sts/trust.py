"""Whether a role's trust policy lets a principal assume it.

Conditions are met only by operators and keys that are known here: what cannot be judged does not open a role.
"""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote

from sandbox.identity import Principal


def trusts(role: dict[str, Any], principal: Principal, action: str, facts: dict[str, str]) -> bool:
    """`facts`: condition keys of this request, such as sts:ExternalId. An explicit Deny wins."""
    document: Any = role["AssumeRolePolicyDocument"]
    policy = json.loads(unquote(document)) if isinstance(document, str) else document
    statements = policy.get("Statement", [])
    facts = {**facts, "aws:PrincipalArn": principal.identity_arn, "aws:PrincipalAccount": principal.account}
    effects = {
        statement.get("Effect")
        for statement in _list(statements)
        if _action(statement, action)
        and _principal(statement, principal, role["Arn"])
        and _conditions(statement.get("Condition", {}), facts)
    }
    return "Allow" in effects and "Deny" not in effects


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _action(statement: dict[str, Any], action: str) -> bool:
    return any(fnmatchcase(action.lower(), str(pattern).lower()) for pattern in _list(statement.get("Action", [])))


def _principal(statement: dict[str, Any], principal: Principal, role_arn: str) -> bool:
    named = statement.get("Principal", {})
    if named == "*":
        return True
    own = {principal.arn, principal.identity_arn, principal.account, f"arn:aws:iam::{principal.account}:root", "*"}
    return isinstance(named, dict) and any(str(value) in own for value in _list(named.get("AWS", [])))


def _conditions(conditions: dict[str, Any], facts: dict[str, str]) -> bool:
    known = {key.lower(): value for key, value in facts.items()}
    for operator, tests in conditions.items():
        for key, wanted in tests.items():
            if not _holds(operator, known.get(key.lower()), [str(value) for value in _list(wanted)]):
                return False
    return True


def _holds(operator: str, value: str | None, wanted: list[str]) -> bool:
    if operator.endswith("IfExists"):
        if value is None:
            return True
        operator = operator.removesuffix("IfExists")
    if operator in ("StringNotEquals", "StringNotLike"):
        return not _holds(operator.replace("Not", ""), value, wanted)
    if value is None:
        return False
    if operator in ("StringEquals", "ArnEquals"):
        return value in wanted
    if operator in ("StringLike", "ArnLike"):
        return any(fnmatchcase(value, pattern) for pattern in wanted)
    return False
