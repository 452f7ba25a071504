"""webhook.add, .change, .remove, .test: who outside is told. For admins who are people: a webhook carries facts out of here."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from accounts import audit
from accounts.actions.refusal import refuse
from accounts.choices import Role
from accounts.principal import Principal
from instantstart.problem import FieldError, Problem
from operations import clock
from operations.alerts import addresses, messages, sealed
from operations.models import Delivery, Webhook
from operations.models.alert import AlertKind

TOLD: list[tuple[str, str]] = [*AlertKind.choices, ("approval", "Approval")]
"""What a webhook may ask for."""
MOST = 50
"""Webhooks of one installation."""


def add(principal: Principal, *, url: str, kinds: Sequence[str] = (), channel: str) -> tuple[Webhook, str]:
    """Make a webhook; the secret it answers is shown this once and kept encrypted.

    Problem 403 for who may not; 422 `invalid_input` for an address that is wrong, not allowed, or there already.
    """
    with refuse("webhook.add", principal, channel, "webhook:new"):
        _permit(principal)
        _valid(url, kinds)
        if Webhook.objects.count() >= MOST:
            raise Problem(422, "too_many_webhooks", "Too many webhooks", f"There are {MOST} already.", "Remove one first.")
        secret = sealed.new()
        with transaction.atomic():
            try:
                with transaction.atomic():
                    row = Webhook.objects.create(
                        url=url,
                        kinds=sorted(set(kinds)),
                        secret=sealed.seal(secret),
                        created_by=principal.user.get_username(),
                        created_at=clock.now(),
                    )
            except IntegrityError:
                raise _taken() from None
            audit.record("webhook.add", principal=principal, channel=channel, subject=f"webhook:{row.pk}", detail=_place(url))
    return row, secret


def change(
    principal: Principal,
    row: Webhook,
    *,
    url: str | None = None,
    kinds: Sequence[str] | None = None,
    enabled: bool | None = None,
    new_secret: bool = False,
    channel: str,
) -> str | None:
    """Change what is given. The new secret when one was asked for: shown this once; the old one signs nothing any more.

    Problem as `add`.
    """
    subject = f"webhook:{row.pk}"
    with refuse("webhook.change", principal, channel, subject):
        _permit(principal)
        _valid(row.url if url is None else url, row.kinds if kinds is None else kinds)
        secret = sealed.new() if new_secret else None
        with transaction.atomic():
            row.url = row.url if url is None else url
            row.kinds = row.kinds if kinds is None else sorted(set(kinds))
            if enabled is not None and enabled != row.enabled:
                row.enabled, row.disabled_because = enabled, ""
            if secret is not None:
                row.secret = sealed.seal(secret)
            try:
                with transaction.atomic():
                    row.save()
            except IntegrityError:
                raise _taken() from None
            audit.record("webhook.change", principal=principal, channel=channel, subject=subject, detail=_place(row.url))
    return secret


def remove(principal: Principal, row: Webhook, *, channel: str) -> None:
    """Remove a webhook with its messages, those not yet sent included. Problem 403 for who may not."""
    subject = f"webhook:{row.pk}"
    with refuse("webhook.remove", principal, channel, subject):
        _permit(principal)
    with transaction.atomic():
        audit.record("webhook.remove", principal=principal, channel=channel, subject=subject, detail=_place(row.url))
        row.delete()


def test(principal: Principal, row: Webhook, *, channel: str) -> Delivery:
    """Send a message that tells of nothing. Problem 403 for who may not, 409 `webhook_off` for one that is turned off."""
    subject = f"webhook:{row.pk}"
    with refuse("webhook.test", principal, channel, subject):
        _permit(principal)
        if not row.enabled:
            raise Problem(409, "webhook_off", "Webhook turned off", "A webhook that is turned off is sent nothing.", "Turn it on first.")
    with transaction.atomic():
        audit.record("webhook.test", principal=principal, channel=channel, subject=subject)
        return messages.queue(row, messages.TEST, {"sentence": "InstantStart can reach this address.", "by": principal.user.get_username()})


def _permit(principal: Principal) -> None:
    if principal.agent:
        raise Problem(403, "agent_token", "Not for agents", "An agent's token manages no webhooks.", "Ask a person to do it.")
    if principal.read_only:
        raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
    if not principal.role.covers(Role.ADMIN):
        raise Problem(403, "role_too_low", "Role too low", "Only admins manage webhooks.", "Ask an admin.")
    if principal.clusters is not None:
        raise Problem(
            403,
            "exceeds_rights",
            "More than you hold",
            f"Webhooks hear of every cluster, and {principal.limited} limited to some.",
            principal.way_out,
        )


def _valid(url: str, kinds: Sequence[str]) -> None:
    errors = [fault] if (fault := addresses.fault(url)) else []
    unknown = sorted(set(kinds) - set(dict(TOLD)))
    if unknown:
        errors.append(FieldError("kinds", "unknown_kind", f"There is no kind {unknown[0]}.", f"Kinds: {', '.join(dict(TOLD))}."))
    if errors:
        raise Problem(422, "invalid_input", "Invalid input", errors[0].detail, errors[0].hint, errors=errors)


def _taken() -> Problem:
    taken = FieldError("url", "taken", "There is a webhook to this address already.", "Change that one.")
    return Problem(422, "invalid_input", "Invalid input", taken.detail, taken.hint, errors=[taken])


def _place(url: str) -> str:
    """The address without its path and query, which may hold a password of the receiver's."""
    return "/".join(url.split("/", 3)[:3])
