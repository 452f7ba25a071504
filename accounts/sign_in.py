"""How often one may try to sign in. Attempts are rows, so all web processes count together."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.utils import timezone

from accounts.models import SignInAttempt

WINDOW = dt.timedelta(minutes=15)


@dataclass(frozen=True)
class Limit:
    """At most `attempts` failed tries in WINDOW that agree in `fields`."""

    fields: tuple[str, ...]
    attempts: int


LIMITS = (
    Limit(("username", "address"), 5),
    Limit(("address",), 30),
    # Wide, since anybody can use it up for somebody else: it only stops guessing from many addresses at once.
    Limit(("username",), 100),
)


@dataclass(frozen=True)
class Attempt:
    """A try that has been counted. `allowed` says whether the password may be looked at, `retry_after` (seconds) when one may try again."""

    row: SignInAttempt
    allowed: bool
    retry_after: int


def begin(username: str, address: str) -> Attempt:
    """Count a try before the password is checked, so that many at once can't slip through."""
    now = timezone.now()
    username = username.casefold()[:150]
    row = SignInAttempt.objects.create(at=now, username=username, address=address)
    return Attempt(row, *_judge(row, now))


def _judge(row: SignInAttempt, now: dt.datetime) -> tuple[bool, int]:
    wait = 0
    for limit in LIMITS:
        same = SignInAttempt.objects.filter(at__gt=now - WINDOW, **{name: getattr(row, name) for name in limit.fields})
        # The try being judged is among them: it is allowed as the last one that fits.
        earlier = list(same.order_by("-at", "-pk").values_list("at", flat=True)[: limit.attempts + 1])
        if len(earlier) > limit.attempts:
            wait = max(wait, int((earlier[limit.attempts - 1] + WINDOW - now).total_seconds()) + 1)
    return wait == 0, wait


def refuse(attempt: Attempt) -> None:
    """A refused try is not counted: who waits gets in, however often they pressed the button meanwhile."""
    attempt.row.delete()


def succeed(attempt: Attempt) -> None:
    """The right password was given: this person's tries from this address are forgotten."""
    SignInAttempt.objects.filter(username=attempt.row.username, address=attempt.row.address).delete()


def retry_after(username: str, address: str) -> int:
    """Seconds until one may try again, 0 when one may now. For pages that say so."""
    now = timezone.now()
    wait = 0
    for limit in LIMITS:
        values = {"username": username.casefold()[:150], "address": address}
        same = SignInAttempt.objects.filter(at__gt=now - WINDOW, **{name: values[name] for name in limit.fields})
        latest = list(same.order_by("-at", "-pk").values_list("at", flat=True)[: limit.attempts])
        if len(latest) == limit.attempts:
            wait = max(wait, int((latest[-1] + WINDOW - now).total_seconds()) + 1)
    return wait
