"""The end of a session in the audit trail, whichever page ended it: the pages' own sign-out or the admin site's."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.signals import user_logged_out

from accounts import audit
from accounts.models import User
from accounts.principals import principal_for


def follow() -> None:
    """Listens to Django's word that somebody has signed out: the one place that both pages pass."""
    user_logged_out.connect(_note, dispatch_uid="audit of sign-outs")


def _note(sender: Any, *, user: Any, **_: Any) -> None:
    if isinstance(user, User):  # None: nobody was signed in
        audit.record("session.sign_out", principal=principal_for(user))
