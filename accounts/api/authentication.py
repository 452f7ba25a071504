"""Who calls: a token in the Authorization header, or the session of the pages (then with CSRF)."""

from __future__ import annotations

import datetime as dt
from hmac import compare_digest
from typing import Any

import structlog
from django.conf import settings
from django.db import OperationalError, transaction
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.crypto import hash_token
from knox.settings import CONSTANTS, knox_settings
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import ApiToken, User

_log = structlog.get_logger(__name__)

SEEN_EVERY = dt.timedelta(minutes=1)
"""`last_used_at` is this exact; writing it on each request would make every read a write."""
_UNUSED = ("user__password", "user__first_name", "user__last_name", "user__last_login", "user__date_joined", "created", "token_key")
"""Columns that no call needs of its caller; reading them would cost each call."""
SCHEMES = (b"bearer", b"token")


def find_token(secret: str) -> ApiToken | None:
    """The living token of an active user with this secret. One query; an expired token is left to the retention job."""
    digest = hash_token(secret)
    key = secret[: CONSTANTS.TOKEN_KEY_LENGTH]
    for token in ApiToken.objects.filter(token_key=key).select_related("user").defer(*_UNUSED):
        if compare_digest(digest, token.digest):
            expired = token.expiry is not None and token.expiry <= timezone.now()
            return None if expired or not token.user.is_active else token
    return None


def _note_use(token: ApiToken, now: dt.datetime) -> None:
    try:
        with transaction.atomic():
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    except OperationalError:
        # The database is busy writing: a read must not fail for a note on the side.
        _log.warning("token_use_not_noted", token=token.name)


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """knox's tokens under `Bearer` (or `Token`), found with one query."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = authentication.get_authorization_header(request).split()
        if not parts or parts[0].lower() not in SCHEMES:
            return None
        if len(parts) != 2:
            raise AuthenticationFailed("The Authorization header must be 'Bearer <token>'.")
        return self.authenticate_credentials(parts[1])

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        found = find_token(token.decode("utf-8", errors="replace"))
        if found is None:
            raise AuthenticationFailed("The token is unknown, expired or revoked.")
        now = timezone.now()
        if found.last_used_at is None or now - found.last_used_at > SEEN_EVERY:
            _note_use(found, now)
        return found.user, found

    def authenticate_header(self, request: Request) -> str:
        return str(knox_settings.AUTH_HEADER_PREFIX)


class SessionAuthentication(authentication.SessionAuthentication):
    """Django's session. An unsafe call needs the CSRF token in the X-CSRFToken header."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES:
            return None  # spares anonymous and token calls the look at a session
        return super().authenticate(request)
