"""Signing in by password, for every door that has a form (pages and admin site): throttled and audited in one place."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts import audit, sign_in
from accounts.choices import AuditOutcome
from accounts.models import User
from accounts.principals import principal_for


class ThrottledBackend(ModelBackend):
    """Django's, behind the limits of accounts.sign_in. A try over the limit ends without looking at the password."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> User | None:
        username = kwargs.get(User.USERNAME_FIELD) if username is None else username
        if username is None or password is None:
            return None
        address = request.META.get("REMOTE_ADDR", "") if request is not None else ""
        attempt = sign_in.begin(username, address)
        if not attempt.allowed:
            sign_in.refuse(attempt)
            self._refused(username, "throttled", f"Too many tries; again in {attempt.retry_after} s.")
            # No other backend is to be asked: this is what Django's authenticate() makes of PermissionDenied.
            raise PermissionDenied
        user = super().authenticate(request, username=username, password=password)
        if not isinstance(user, User):
            self._refused(username, "wrong_password", "")
            return None
        sign_in.succeed(attempt)
        audit.record("session.sign_in", principal=principal_for(user))
        return user

    def _refused(self, username: str, code: str, detail: str) -> None:
        audit.record(
            "session.sign_in",
            principal=None,
            outcome=AuditOutcome.REFUSED,
            code=code,
            detail=detail,
            username=username,
        )
