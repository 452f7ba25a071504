"""Which Kubernetes API is meant, and the way to sign in there."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from instantstart.cloud.aws import Aws
from instantstart.cloud.roles import Role

_REFRESH_SECONDS = 12 * 60
"""Younger than the 14 minutes a token is good for, by what the longest call may take."""


@dataclass(frozen=True)
class KubeTarget:
    """A cluster's API as eks:DescribeCluster tells it. ca_data: base64 of the PEM, as EKS gives it.

    role: the one by which the cluster's account is reached (Aws.role of who described it). It is told here and not looked up,
    since tokens are signed in threads that have no database of their own.
    """

    name: str
    region: str
    endpoint: str
    ca_data: str
    account: str = ""
    role: Role | None = None


_tokens: dict[tuple[str, str, str], tuple[float, str]] = {}
_lock = threading.Lock()


def bearer_token(target: KubeTarget, *, fresh: bool = False) -> str:
    """The token for that cluster, signed anew when the kept one is older than 12 minutes or `fresh` is asked. CloudError."""
    aws = Aws(target.region, target.account, role=target.role)
    key = (aws.surroundings.key, target.region, target.name)
    with _lock:
        kept = _tokens.get(key)
    if kept is not None and not fresh and time.monotonic() - kept[0] < _REFRESH_SECONDS:
        return kept[1]
    token = aws.eks_token(target.name)
    with _lock:
        _tokens[key] = (time.monotonic(), token)
    return token
