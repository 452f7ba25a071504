"""token.set_limits: how much a token may begin and spend within an hour. Never more than the token that it was made from."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from accounts import audit
from accounts.actions.refusal import refuse
from accounts.actions.within import holds_no_more
from accounts.choices import Role
from accounts.models import ApiToken
from accounts.principal import Principal
from instantstart.problem import FieldError, Problem

KIND = "token.set_limits"
FIELDS = ("operations_per_hour", "cost_per_hour")
MOST_OPERATIONS, MOST_COST = 100_000, 1_000_000.0
Limits = Mapping[str, float | int | None]


def excesses(wished: Limits, held: ApiToken | None, whose: str = "Your own token") -> list[FieldError]:
    """One error for each limit that is looser than that of `held`; none where nobody holds one."""
    errors = []
    for name in FIELDS:
        limit = getattr(held, name) if held is not None else None
        if limit is not None and name in wished and ((given := wished[name]) is None or given > limit):
            errors.append(FieldError(name, "exceeds_rights", f"{whose} is limited to {limit:g}.", f"Ask for {limit:g} or less."))
    return errors


def change(principal: Principal, token: ApiToken, wished: Limits, *, channel: str) -> ApiToken:
    """Set the limits that are named; None for no limit. One's own tokens; an admin also those of others.

    Problem 403 for who may not, `agent_token` when an agent asks; 422 `exceeds_rights` for more than the token's maker or the caller holds.
    """
    subject = f"token:{token.name}"
    own = token.user_id == principal.user.pk
    with refuse(KIND, principal, channel, subject):
        if principal.agent:
            raise Problem(403, "agent_token", "Not for agents", "An agent's token sets no limits.", "Ask a person to do it.")
        if principal.read_only:
            raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
        if not own and not principal.role.covers(Role.ADMIN):
            raise Problem(403, "role_too_low", "Role too low", "Only admins limit the tokens of others.", "Ask an admin.")
        if not holds_no_more(token, principal):
            detail = "The limits of a token that holds more can't be set with less."
            raise Problem(
                403, "exceeds_rights", "More than you hold", detail, "Sign in to do it." if principal.token else principal.way_out
            )
        errors = excesses(wished, principal.token) or excesses(wished, token.parent, "The token that it was made from")
        if errors:
            raise Problem(422, "exceeds_rights", "More than is held", errors[0].detail, errors[0].hint, errors=errors)
        with transaction.atomic():
            row = ApiToken.objects.select_for_update().filter(pk=token.pk).first()
            if row is None:
                raise Problem(404, "not_found", "Not found", "The token has been revoked meanwhile.", "Make another one.")
            before = {name: getattr(row, name) for name in FIELDS}
            for name in FIELDS:
                setattr(token, name, wished.get(name, before[name]))
            after = {name: getattr(token, name) for name in FIELDS}
            if after != before:
                token.save(update_fields=FIELDS)
                detail = ", ".join(f"{name} {before[name]} to {after[name]}" for name in FIELDS if before[name] != after[name])
                audit.record(
                    KIND, principal=principal, channel=channel, subject=subject, detail=detail if own else f"of {token.user}: {detail}"
                )
    return token
