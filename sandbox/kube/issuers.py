"""OIDC issuers of EKS clusters, under which their service accounts' tokens are signed."""

from __future__ import annotations

import secrets


def prefix(region: str) -> str:
    return f"https://oidc.eks.{region}.amazonaws.com/id/"


def new(region: str) -> str:
    return prefix(region) + secrets.token_hex(16).upper()
