"""sts: temporary credentials."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.permissions import resource_arn
from sandbox.aws.registry import operation
from sandbox.aws.roles import find_role
from sandbox.aws.sts.trust import trusts
from sandbox.identity import AccessKey, Principal

_HOUR = 3_600
_CHAINED_MAX = _HOUR  # a role that assumes a role gets at most an hour (IAM user guide, "Role chaining")


@resource_arn("sts")
def arn_of(context: Context, params: dict[str, Any]) -> str:
    return str(params.get("RoleArn") or "*")


@operation("sts", "AssumeRole")
def assume_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    arn, name = params["RoleArn"], params["RoleSessionName"]
    account = _account(arn)
    role = find_role(replace(context, account=account), arn)
    if role is None or not trusts(role, context.principal, "sts:AssumeRole", {"sts:ExternalId": params.get("ExternalId", "")}):
        raise AWSError(
            "AccessDenied", f"User: {context.principal.arn} is not authorized to perform: sts:AssumeRole on resource: {arn}", 403
        )
    seconds = params.get("DurationSeconds", _HOUR)
    if context.principal.kind == "assumed-role" and seconds > _CHAINED_MAX:
        raise AWSError(
            "ValidationError", "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining"
        )
    if seconds > role.get("MaxSessionDuration", _HOUR):
        raise AWSError("ValidationError", "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
    if params.get("Policy"):
        _check_policy(params["Policy"])
    principal = Principal(
        arn=f"arn:aws:sts::{account}:assumed-role/{role['RoleName']}/{name}",
        account=account,
        kind="assumed-role",
        user_id=f"{role['RoleId']}:{name}",
        role_arn=role["Arn"],
        session_policy=params.get("Policy", ""),
    )
    key = context.world.identity.new_session(principal, seconds)
    return {
        "Credentials": _credentials(key),
        "AssumedRoleUser": {"AssumedRoleId": principal.user_id, "Arn": principal.arn},
        "PackedPolicySize": min(100, len(params.get("Policy", "")) * 100 // 2048),
    }


@operation("sts", "GetSessionToken")
def get_session_token(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    if context.principal.kind == "assumed-role":
        raise AWSError("AccessDenied", "Cannot call GetSessionToken with session credentials", 403)
    key = context.world.identity.new_session(replace(context.principal, access_key=""), params.get("DurationSeconds", 12 * _HOUR))
    return {"Credentials": _credentials(key)}


@operation("sts", "GetAccessKeyInfo")
def get_access_key_info(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    key = context.world.identity.key(params["AccessKeyId"])
    if key is None:
        raise AWSError("ValidationError", "Invalid Access Key ID")
    return {"Account": key.principal.account}


def _account(arn: str) -> str:
    parts = arn.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn" or not parts[5].startswith("role/"):
        raise AWSError("ValidationError", f"{arn} is invalid")
    return parts[4]


def _check_policy(text: str) -> None:
    try:
        if not isinstance(json.loads(text), dict):
            raise ValueError("not an object")
    except ValueError as error:
        raise AWSError("MalformedPolicyDocument", "This policy contains invalid Json") from error


def _credentials(key: AccessKey) -> dict[str, Any]:
    return {
        "AccessKeyId": key.access_key,
        "SecretAccessKey": key.secret_key,
        "SessionToken": key.session_token,
        "Expiration": int(key.expires_at or 0),
    }
