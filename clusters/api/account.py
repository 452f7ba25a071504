"""The AWS account that a body names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request

from accounts.principals import principal_of
from clusters.accounts.reach import asked_account
from clusters.api.views import mapping


def with_account(request: Request, otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """The body's members, an account by its name as its digits. otherwise: what holds where the body says nothing.

    Problem 400 for an account that the caller can't know of.
    """
    body = {**otherwise, **mapping(request)}
    named = body.get("account")
    if isinstance(named, str) and named:
        body["account"] = asked_account(named, principal_of(request))
    return body
