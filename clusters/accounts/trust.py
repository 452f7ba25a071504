"""What the other account must say so that we may take on its role, and nobody else by mistake or on purpose."""

from __future__ import annotations

from typing import Any

from django.utils.crypto import salted_hmac

_SALT = "instantstart.aws-account"


def external_id(account_id: str) -> str:
    """Made by this installation alone and for one account alone, so that nobody can have us use a role that is meant for others.

    Derived, so that it can be shown before anything is kept; the account's row keeps the one that was used.
    """
    return f"instantstart-{salted_hmac(_SALT, account_id, algorithm='sha256').hexdigest()[:32]}"


def trust_policy(principal_arn: str, external: str) -> dict[str, Any]:
    """The role's trust policy. principal_arn: whom this installation is to AWS."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": principal_arn},
                "Action": "sts:AssumeRole",
                "Condition": {"StringEquals": {"sts:ExternalId": external}},
            }
        ],
    }
