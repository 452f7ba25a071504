"""Policy documents: what IAM refuses when one is put, and how it is given back (URL-encoded JSON)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sandbox.aws.errors import AWSError
from sandbox.aws.iam.entities import ROLES, USERS, limit_exceeded

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_VERSIONS = ("2008-10-17", "2012-10-17")
_ACTION = re.compile(r"\*|[a-zA-Z0-9-]+:[a-zA-Z0-9*?]+")
_PRINCIPAL = re.compile(r"arn:aws:(?:iam|sts)::(\d{12}):(root|role/.+|user/.+|assumed-role/.+)")

INLINE_LIMIT = 10240
"""Characters (whitespace not counted) of a role's inline policies together; users have 2,048. Source: IAM quotas."""
MANAGED_LIMIT = 6144
TRUST_LIMIT = 2048


def malformed(message: str) -> AWSError:
    return AWSError("MalformedPolicyDocument", message)


def encoded(document: str) -> str:
    return quote(document, safe="")


def size(document: str) -> int:
    return len(re.sub(r"\s", "", document))


def parse(text: str) -> list[dict[str, Any]]:
    """The statements of a stored document."""
    statements = json.loads(text).get("Statement", [])
    return statements if isinstance(statements, list) else [statements]


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _load(text: str) -> list[dict[str, Any]]:
    try:
        policy = json.loads(text)
    except ValueError as error:
        raise malformed("This policy contains invalid Json") from error
    if not isinstance(policy, dict):
        raise malformed("Syntax errors in policy.")
    if policy.get("Version", "2008-10-17") not in _VERSIONS:
        raise malformed("The policy must contain a valid version string")
    unknown = set(policy) - {"Version", "Id", "Statement"}
    if unknown or "Statement" not in policy:
        raise malformed("Syntax errors in policy.")
    statements = as_list(policy["Statement"])
    identifiers = [statement.get("Sid") for statement in statements if isinstance(statement, dict) and statement.get("Sid")]
    if len(set(identifiers)) != len(identifiers):
        raise malformed("Statement IDs (SID) in a single policy must be unique.")
    for statement in statements:
        if not isinstance(statement, dict) or statement.get("Effect") not in ("Allow", "Deny"):
            raise malformed("Syntax errors in policy.")
        if ("Action" in statement) == ("NotAction" in statement):
            raise malformed("Policy statement must contain actions.")
        for action in as_list(statement.get("Action", statement.get("NotAction"))):
            if not isinstance(action, str) or not _ACTION.fullmatch(action):
                raise malformed(
                    "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."
                    if isinstance(action, str) and ":" not in action
                    else "Syntax errors in policy."
                )
        conditions = statement.get("Condition", {})
        if not isinstance(conditions, dict) or not all(isinstance(keys, dict) for keys in conditions.values()):
            raise malformed("Syntax errors in policy.")
    return statements


def check_identity(text: str) -> None:
    """Errors: MalformedPolicyDocument, in IAM's words, for what may not be an identity policy."""
    for statement in _load(text):
        if "Principal" in statement or "NotPrincipal" in statement:
            raise malformed("Policy document should not specify a principal.")
        if ("Resource" in statement) == ("NotResource" in statement):
            raise malformed("Policy statement must contain resources.")
        for resource in as_list(statement.get("Resource", statement.get("NotResource"))):
            if not isinstance(resource, str) or not (resource == "*" or resource.startswith("arn:")):
                raise malformed(f'Resource {resource} must be in ARN format or "*".')


def check_trust(context: Context, text: str) -> None:
    """Errors: MalformedPolicyDocument for what may not be a trust policy, principals of this account that are not there included."""
    if size(text) > TRUST_LIMIT:
        raise limit_exceeded(f"Cannot exceed quota for ACLSizePerRole: {TRUST_LIMIT}")
    for statement in _load(text):
        if "Resource" in statement or "NotResource" in statement:
            raise malformed("Has prohibited field Resource")
        if ("Principal" in statement) == ("NotPrincipal" in statement):
            raise malformed("Missing required field Principal")
        for action in as_list(statement.get("Action", statement.get("NotAction"))):
            if action != "*" and not action.lower().startswith("sts:"):
                raise malformed("AssumeRole policy may only specify STS AssumeRole actions.")
        principal = statement.get("Principal", statement.get("NotPrincipal"))
        if isinstance(principal, dict):
            for value in as_list(principal.get("AWS")):
                _check_principal(context, value)
        elif principal != "*":
            raise malformed("Syntax errors in policy.")


def _check_principal(context: Context, value: str) -> None:
    match = _PRINCIPAL.fullmatch(value)
    if value == "*" or re.fullmatch(r"\d{12}", value):
        return
    if match is None:
        raise malformed(f'Invalid principal in policy: "AWS":"{value}"')
    kind, _, rest = match[2].partition("/")
    name = rest.rpartition("/")[2]
    entities = {"role": ROLES, "user": USERS}.get(kind)
    if entities is None or match[1] != context.account:
        return
    found = entities.find(context, name)
    if found is None or found["Arn"] != value:
        raise malformed(f'Invalid principal in policy: "AWS":"{value}"')
