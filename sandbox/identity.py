"""The one table of access keys: it verifies AWS calls and EKS bearer tokens, and tells who calls."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.store import Store

_KIND = "_identity.access-key"
_EVERYWHERE = "*"


@dataclass(frozen=True)
class Principal:
    arn: str  # of a session for an assumed role: arn:aws:sts::A:assumed-role/R/S
    account: str
    kind: str  # "root" | "user" | "assumed-role" | "service"
    user_id: str = ""  # "AIDA…", or "AROA…:session" of a role's session
    role_arn: str = ""  # of the role behind a session, with its path
    access_key: str = ""
    session_policy: str = ""  # JSON: what AssumeRole's Policy left of the role's permissions, "" for all

    @property
    def identity_arn(self) -> str:
        """Whose policies decide: the role behind a session, else the principal itself."""
        return self.role_arn or self.arn


@dataclass(frozen=True)
class AccessKey:
    access_key: str
    secret_key: str
    principal: Principal
    session_token: str = ""
    expires_at: float | None = None  # epoch seconds


@dataclass(frozen=True)
class Decision:
    allowed: bool
    reason: str = ""  # the end of the sentence: "because no identity-based policy allows the eks:CreateCluster action"


Authorizer = Callable[[Principal, str, str], Decision]
ALLOWED = Decision(True)


class Identity:
    def __init__(self, store: Store) -> None:
        self._store = store
        self.authorizer: Authorizer | None = None  # set by the IAM service: evaluates identity policies

    def authorize(self, principal: Principal, action: str, resource: str) -> Decision:
        """May `principal` do `action` ("eks:CreateCluster") on `resource` (an ARN, "*" if the action has none)?"""
        if principal.kind in ("root", "service") or self.authorizer is None:
            return ALLOWED
        return self.authorizer(principal, action, resource)

    def key(self, access_key: str) -> AccessKey | None:
        """The key, expired or not; None if there is none of that id."""
        value = self._store.get(_KIND, _EVERYWHERE, access_key)
        return None if value is None else _key(value)

    def add_key(self, principal: Principal, access_key: str, secret_key: str) -> AccessKey:
        """A long-term key of a user or of an account's root."""
        return self._save(AccessKey(access_key, secret_key, principal))

    def new_session(self, principal: Principal, seconds: float) -> AccessKey:
        """Temporary credentials that end after real seconds, as tokens do: they are not sped up."""
        self._forget_expired()
        key = AccessKey(
            access_key="ASIA" + secrets.token_hex(8).upper(),
            secret_key=secrets.token_urlsafe(30),
            principal=principal,
            session_token="FwoGZXIvYXdzE" + secrets.token_urlsafe(120),
            expires_at=time.time() + seconds,
        )
        return self._save(key)

    def expire(self, access_key: str) -> bool:
        """End a session now. Whether there is one."""
        value = self._store.get(_KIND, _EVERYWHERE, access_key)
        if value is None or not value["session_token"]:
            return False
        value["expires_at"] = time.time() - 1
        self._store.put(_KIND, _EVERYWHERE, access_key, value)
        return True

    def remove_key(self, access_key: str) -> bool:
        return self._store.delete(_KIND, _EVERYWHERE, access_key)

    def keys_of(self, arn: str) -> list[AccessKey]:
        keys = [_key(value) for value in self._store.list(_KIND, _EVERYWHERE)]
        return [key for key in keys if key.principal.arn == arn]

    def _save(self, key: AccessKey) -> AccessKey:
        value: dict[str, Any] = {
            "access_key": key.access_key,
            "secret_key": key.secret_key,
            "session_token": key.session_token,
            "expires_at": key.expires_at,
            "principal": vars(key.principal),
        }
        self._store.put(_KIND, _EVERYWHERE, key.access_key, value)
        return key

    def _forget_expired(self) -> None:
        """Sessions that ended over a day ago go: the table must not grow without bound."""
        limit = time.time() - 86_400
        for access_key, value in self._store.items(_KIND, _EVERYWHERE):
            if value["expires_at"] is not None and value["expires_at"] < limit:
                self._store.delete(_KIND, _EVERYWHERE, access_key)


def stable_id(prefix: str, *parts: str) -> str:
    """A unique id as IAM makes them ("AIDA…", 21 characters), the same for the same parts."""
    digest = hashlib.sha256("/".join(parts).encode()).digest()
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    return prefix + "".join(alphabet[byte % 32] for byte in digest[:17])


def _key(value: dict[str, Any]) -> AccessKey:
    return AccessKey(
        access_key=value["access_key"],
        secret_key=value["secret_key"],
        principal=Principal(**value["principal"]),
        session_token=value["session_token"],
        expires_at=value["expires_at"],
    )
