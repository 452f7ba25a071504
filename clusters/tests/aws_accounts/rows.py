"""Rows of AWS accounts for tests, as account.add would have written them."""

from __future__ import annotations

from typing import Any

from clusters.models import AwsAccount
from operations import clock

PROBED: dict[str, Any] = {"external_id": "instantstart-abc", "identity": "arn:aws:sts::222233334444:assumed-role/portal/x", "missing": []}
"""What the plan of an addition tells its operation."""


def make_account(name: str = "second", account_id: str = "222233334444") -> AwsAccount:
    at, arn = clock.now(), f"arn:aws:iam::{account_id}:role/portal"
    return AwsAccount.objects.create(name=name, account_id=account_id, role_arn=arn, added_at=at, tested_at=at, **PROBED)
