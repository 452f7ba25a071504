"""Who we are to AWS, and which IAM principal an EKS access entry must name."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ARN = re.compile(r"^arn:(?P<partition>[a-z-]+):(?P<service>iam|sts)::(?P<account>\d{12}):(?P<resource>.+)$")


@dataclass(frozen=True)
class Identity:
    """What sts:GetCallerIdentity says.

    role_arn: the IAM principal behind `arn`: for a session of a role the role's own ARN, path included; for a user the
    user's. note: set when `role_arn` had to be guessed, says how and what to do.
    """

    account: str
    arn: str
    user_id: str
    role_arn: str
    note: str = ""

    @property
    def partition(self) -> str:
        """ "aws", "aws-cn" or "aws-us-gov"."""
        return self.arn.split(":")[1] if self.arn.startswith("arn:") else "aws"

    @property
    def kind(self) -> str:
        """ "role", "user", "root", "federated-user" or "other"."""
        return principal_kind(self.arn)


def principal_kind(arn: str) -> str:
    """What kind of principal a caller's ARN names."""
    match = _ARN.match(arn)
    if match is None:
        return "other"
    resource = match["resource"]
    if resource == "root":
        return "root"
    first = resource.split("/", 1)[0]
    return {"assumed-role": "role", "role": "role", "user": "user", "federated-user": "federated-user"}.get(first, "other")


def session_role(arn: str) -> str | None:
    """The role's name in a session ARN `arn:aws:sts::A:assumed-role/<role>/<session>`; None for any other ARN."""
    match = _ARN.match(arn)
    if match is None or match["service"] != "sts":
        return None
    parts = match["resource"].split("/")
    return parts[1] if parts[0] == "assumed-role" and len(parts) >= 3 else None


def role_arn_without_path(arn: str, role: str) -> str:
    """The ARN that the session's role has unless it has a path, which a session ARN does not tell."""
    match = _ARN.match(arn)
    if match is None:
        raise ValueError(f"not an ARN of IAM or STS: {arn}")
    return f"arn:{match['partition']}:iam::{match['account']}:role/{role}"
