"""sts: who the caller is."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.registry import operation


@operation("sts", "GetCallerIdentity")
def get_caller_identity(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    principal = context.principal
    return {"UserId": principal.user_id, "Account": principal.account, "Arn": principal.arn}
