"""Who an access entry is for: IAM users and roles, never the ARN of a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sandbox.aws.eks.errors import invalid_parameter
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_IAM = re.compile(r"arn:[a-z-]+:iam::\d{12}:(user|role)/(?:.*/)?([^/]+)|arn:[a-z-]+:iam::\d{12}:root")


def check_principal(context: Context, arn: str) -> None:
    """The principal is an IAM user or role that exists in this account; another account's is believed."""
    match = _IAM.fullmatch(arn)
    if match is None:
        raise invalid_parameter("The specified principalArn is invalid: invalid principal.")
    if match[1] is None or arn.split(":")[4] != context.account:
        return
    operation, member = ("GetRole", "RoleName") if match[1] == "role" else ("GetUser", "UserName")
    try:
        found = context.as_source("service").call("iam", operation, {member: match[2]})
    except AWSError as error:
        if error.code.startswith("NoSuchEntity"):
            raise invalid_parameter("The specified principalArn is invalid: invalid principal.") from error
        raise
    if found[match[1].capitalize()]["Arn"] != arn:
        raise invalid_parameter("The specified principalArn is invalid: invalid principal.")
