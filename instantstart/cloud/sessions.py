"""boto3 sessions and clients, made once and kept for as long as the credentials and the endpoint stay what they are."""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import boto3.session
import botocore.loaders
import botocore.session
from botocore.config import Config
from django.conf import settings

from instantstart.cloud.assumed import resolver
from instantstart.cloud.roles import Role
from instantstart.cloud.translate import RAISED, cloud_error

_FROM_ENVIRONMENT = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_MOST_SESSIONS = 64


@dataclass(frozen=True)
class Surroundings:
    """What decides who we are to AWS and where AWS is. `key` names it without telling any secret.

    role: the one that the environment's credentials take on, None for themselves. base: `key` of these credentials.
    """

    endpoint: str
    key: str
    role: Role | None = None
    base: str = ""

    @classmethod
    def current(cls, role: Role | None = None) -> Surroundings:
        """Read at every call, so that new credentials count without a restart."""
        endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
        parts = [endpoint, *(os.environ.get(name, "") for name in _FROM_ENVIRONMENT)]
        for variable, default in (("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"), ("AWS_CONFIG_FILE", "~/.aws/config")):
            path = Path(os.environ.get(variable, default)).expanduser()
            try:
                parts.append(f"{path}:{path.stat().st_mtime_ns}")
            except OSError:
                parts.append(f"{path}:")
        own = _digest(parts)
        return cls(endpoint, own if role is None else _digest([own, role.arn, role.external_id]), role, own)


def _digest(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# boto3's sessions may not make two clients at once; clients themselves may be shared by threads.
_lock = threading.Lock()
# The service models are the slow part, a third of a second for EC2's, and the same for all sessions.
_loader = botocore.loaders.create_loader()
_sessions: dict[str, boto3.session.Session] = {}
_clients: dict[tuple[str, str, str, bool], Any] = {}


def _config(*, write: bool) -> Config:
    lease_bound = max(1.0, settings.LEASE_SECONDS / 2)
    return Config(
        connect_timeout=settings.AWS_CONNECT_TIMEOUT,
        read_timeout=min(settings.AWS_READ_TIMEOUT, lease_bound) if write else settings.AWS_READ_TIMEOUT,
        # A write goes out once: a second try after a lost reply is the engine's decision, made after observing.
        retries={"total_max_attempts": 1 if write else 3, "mode": "standard"},
        max_pool_connections=32,
        user_agent_extra="instantstart",
    )


def _session(surroundings: Surroundings) -> boto3.session.Session:
    key = surroundings.key
    if key not in _sessions:
        if len(_sessions) >= _MOST_SESSIONS:
            _forget(next(iter(_sessions)))
        core = botocore.session.get_session()
        core.register_component("data_loader", _loader)
        if surroundings.role is not None:
            own = Surroundings(surroundings.endpoint, surroundings.base, base=surroundings.base)
            sts = partial(client, own, settings.DEFAULT_REGION, "sts", write=False)
            core.register_component("credential_provider", resolver(surroundings.role, sts))
        _sessions[key] = boto3.session.Session(botocore_session=core)
    return _sessions[key]


def _forget(key: str) -> None:
    _sessions.pop(key, None)
    for known in [known for known in _clients if known[0] == key]:
        del _clients[known]


def client(surroundings: Surroundings, region: str, service: str, *, write: bool) -> Any:
    """The boto3 client for reads (standard retries) or writes (one attempt). CloudError when it can't be made."""
    wanted = (surroundings.key, region, service, write)
    made = _clients.get(wanted)
    if made is not None:
        return made
    with _lock:
        made = _clients.get(wanted)
        if made is None:
            try:
                factory: Any = _session(surroundings)
                made = factory.client(service, region_name=region, endpoint_url=surroundings.endpoint or None, config=_config(write=write))
            except RAISED as error:
                raise cloud_error(service, "connect", error) from error
            _clients[wanted] = made
    return made


def credentials_method(surroundings: Surroundings) -> str:
    """Where the credentials come from, in botocore's words ("env", "shared-credentials-file", "iam-role" …); "" for none."""
    with _lock:
        found = _session(surroundings).get_credentials()
    return str(found.method) if found is not None else ""


def drop(surroundings: Surroundings) -> None:
    """Ends a role's session that AWS no longer accepts: the next call assumes the role anew."""
    with _lock:
        _forget(surroundings.key)


def forget() -> None:
    """Drops every session and client: for tests, and after new credentials were typed in."""
    with _lock:
        _sessions.clear()
        _clients.clear()
