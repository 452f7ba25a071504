"""Webhooks' secrets: made here, kept encrypted under the installation's key, signed with."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

PREFIX = "whsec_"
_BYTES = 32


class Unreadable(Exception):
    """The secret was sealed under another key of the installation."""


def new() -> str:
    """A secret, as it is shown to the person, once: the form that Standard Webhooks' libraries take."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def seal(secret: str) -> bytes:
    return _cipher().encrypt(secret.encode())


def open_(sealed: bytes | memoryview) -> str:
    """The secret. Raises Unreadable."""
    try:
        return _cipher().decrypt(bytes(sealed)).decode()
    except InvalidToken:
        raise Unreadable from None


def signature(secret: str, message_id: str, timestamp: int, body: str) -> str:
    """Standard Webhooks' v1: HMAC-SHA256 over id, time and body, base64."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"webhook secrets\n" + settings.SECRET_KEY.encode()).digest()))
