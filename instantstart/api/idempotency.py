"""Idempotency keys: the same key with the same body is carried out once and answered the same, however often and at once it comes.

A row of IdempotencyRecord is claimed before the call is carried out and holds its answer after. Who finds it claimed waits for the answer.
A caller that died leaves a claim that runs out: the next one takes it over. What was carried out by then is not repeated: local changes
commit together with their answer (`idempotency_atomic` on the view), and an operation is found again by the key it was recorded with.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from instantstart.models import IdempotencyRecord
from instantstart.problem import Problem

HEADER = "Idempotency-Key"
LONGEST_KEY = 255
CLAIM = dt.timedelta(seconds=120)
"""Longer than any call takes: a plan's reads, each with its timeout."""
PATIENCE = 30.0
"""Seconds that a second caller waits for the first one's answer."""
_KEPT_HEADERS = ("Location", "ETag")
State = IdempotencyRecord.State


@dataclass(frozen=True)
class Claim:
    """The right to carry the call out, until it runs out."""

    record_id: int
    owner: str


class ClaimLost(Exception):
    """Somebody else took the claim over meanwhile: what was done in this transaction must not count."""


def key_of(request: Request) -> str | None:
    """The call's key, None without one. Problem 400 when it isn't 1 to 255 printable ASCII characters."""
    key: str | None = request.headers.get(HEADER)
    if key is None:
        return None
    if not 1 <= len(key) <= LONGEST_KEY or not (key.isascii() and key.isprintable()):
        raise Problem(
            400,
            "invalid_idempotency_key",
            "Invalid Idempotency-Key",
            f"An {HEADER} is 1 to {LONGEST_KEY} printable ASCII characters.",
            "Send a new UUID for each change.",
        )
    return key


def scope_of(principal: Principal) -> str:
    """Whose key it is. Not shared between a user's tokens: an answer may tell what another token may not see."""
    return f"user:{principal.user.pk}:{principal.token.uid if principal.token else 'session'}"


def operation_key(principal: Principal, key: str) -> str:
    """The key under which an operation is recorded: unique over all callers, tells nothing of the caller's key."""
    return hashlib.sha256(f"{scope_of(principal)}\n{key}".encode()).hexdigest()


def fingerprint_of(request: Request) -> str:
    """SHA-256 over method, path, query and body; two JSON bodies that differ only in spelling are the same."""
    body: bytes = request._request.body
    try:
        body = json.dumps(json.loads(body), sort_keys=True, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        pass  # not JSON that is taken: compared byte by byte
    head = f"{request.method}\n{request._request.get_full_path()}\n".encode()
    return hashlib.sha256(head + body).hexdigest()


def claim(scope: str, key: str, fingerprint: str) -> Claim | Response:
    """The right to carry the call out, or the answer that it had. Waits while another caller is at work on it.

    Problem 422 `idempotency_key_reused` for another call under the same key, 409 `request_in_progress` when the other one takes too long.
    """
    deadline = time.monotonic() + PATIENCE
    pause = 0.02
    while True:
        found = _try_claim(scope, key, fingerprint)
        if found is not None:
            return found
        if time.monotonic() > deadline:
            raise Problem(
                409,
                "request_in_progress",
                "Request in progress",
                f"A call with this {HEADER} is still being carried out.",
                "Send the same call again in a while.",
                extra={"retry_after": 5},
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.5)


def _try_claim(scope: str, key: str, fingerprint: str) -> Claim | Response | None:
    now = timezone.now()
    owner = uuid.uuid4().hex
    record = IdempotencyRecord.objects.filter(scope=scope, key=key).first()
    if record is None:
        try:
            with transaction.atomic():
                record = IdempotencyRecord.objects.create(
                    scope=scope, key=key, fingerprint=fingerprint, owner=owner, expires_at=now + CLAIM, created_at=now
                )
        except IntegrityError:
            return None  # another caller was first: look again
        return Claim(record.pk, owner)
    if record.fingerprint != fingerprint:
        raise Problem(
            422,
            "idempotency_key_reused",
            "Key used before",
            f"This {HEADER} came with another call before.",
            "Use a new key for each change, and the same one only to repeat a call unchanged.",
        )
    if record.state == State.ANSWERED:
        return _read_answer(bytes(record.answer))
    if record.state == State.RUNNING and record.expires_at > now:
        return None
    taken = IdempotencyRecord.objects.filter(pk=record.pk, owner=record.owner, state=record.state).update(
        owner=owner, state=State.RUNNING, expires_at=now + CLAIM
    )
    return Claim(record.pk, owner) if taken else None


def answer(claimed: Claim, response: Response) -> None:
    """Keep the answer. ClaimLost when the claim is another's by now."""
    kept = IdempotencyRecord.objects.filter(pk=claimed.record_id, owner=claimed.owner).update(
        state=State.ANSWERED, answer=_write_answer(response)
    )
    if not kept:
        raise ClaimLost


def reopen(claimed: Claim) -> None:
    """The call had no effect: the same one may be tried again under its key, another one may not."""
    IdempotencyRecord.objects.filter(pk=claimed.record_id, owner=claimed.owner).update(state=State.OPEN)


def _cipher() -> Fernet:
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(b"idempotency answers\n" + settings.SECRET_KEY.encode()).digest()))


def _write_answer(response: Response) -> bytes:
    kept: dict[str, Any] = {
        "status": response.status_code,
        "headers": {name: response[name] for name in _KEPT_HEADERS if name in response},
        "body": None if response.data is None else JSONRenderer().render(response.data).decode(),
    }
    return _cipher().encrypt(json.dumps(kept).encode())


def _read_answer(kept: bytes) -> Response:
    parts = json.loads(_cipher().decrypt(kept))
    body = None if parts["body"] is None else json.loads(parts["body"])
    return Response(body, status=parts["status"], headers={**parts["headers"], "Idempotent-Replayed": "true"})
