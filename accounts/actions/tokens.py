"""Making and revoking API tokens. The rule: a token never holds more than its user, nor than the token that makes it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from knox.models import get_digest_token
from knox.settings import CONSTANTS

from accounts import audit
from accounts.actions.refusal import refuse
from accounts.actions.token_limits import excesses
from accounts.actions.within import holds_no_more
from accounts.choices import Role
from accounts.models import ApiToken
from accounts.models.user import User
from accounts.principal import Principal
from instantstart import toolsets as sets_of_tools
from instantstart.problem import FieldError, Problem


def create(
    principal: Principal,
    *,
    name: str,
    role: Role | None = None,
    clusters: list[str] | None = None,
    accounts: list[str] | None = None,
    read_only: bool | None = None,
    agent: bool = False,
    toolsets: list[str] | None = None,
    expires_in: dt.timedelta | None = None,
    operations_per_hour: int | None = None,
    cost_per_hour: float | None = None,
    channel: str,
) -> tuple[ApiToken, str]:
    """Make a token for the principal's user; the string it answers is shown this once and kept nowhere.

    What is left out is inherited: the principal's role, clusters, accounts, read-only mark, toolsets and limits of an hour.
    expires_in: default and longest from settings (days); never later than the creating token's own end.
    Problem 403 `agent_token` when an agent asks, 422 `exceeds_rights` with one error for each field that asks for more than the
    principal holds, 422 `invalid_input` when the name is taken or there is no such set of tools.
    """
    subject = f"token:{name}"
    with refuse("token.create", principal, channel, subject):
        if principal.agent:
            raise Problem(403, "agent_token", "Not for agents", "An agent's token makes no tokens.", "Ask a person to make it.")
        if principal.read_only:
            raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
        role = principal.role if role is None else role
        read_only = principal.read_only if read_only is None else read_only
        if clusters is None and principal.named is not None:
            clusters = sorted(principal.named)
        if accounts is None and principal.accounts is not None:
            accounts = sorted(principal.accounts)
        if principal.token is not None:
            operations_per_hour = principal.token.operations_per_hour if operations_per_hour is None else operations_per_hour
            cost_per_hour = principal.token.cost_per_hour if cost_per_hour is None else cost_per_hour
        limits = {"operations_per_hour": operations_per_hour, "cost_per_hour": cost_per_hour}
        expiry = timezone.now() + (expires_in or dt.timedelta(days=settings.TOKEN_DEFAULT_DAYS))
        if principal.token and principal.token.expiry and expires_in is None:
            expiry = min(expiry, principal.token.expiry)
        errors = _excesses(principal, role=role, clusters=clusters, accounts=accounts, read_only=read_only, expiry=expiry)
        if errors := [*errors, *excesses(limits, principal.token)]:
            raise Problem(
                422,
                "exceeds_rights",
                "More than you hold",
                "A token can't hold more than the one who makes it.",
                "Ask for less.",
                errors=errors,
            )
        _refuse_unknown(toolsets or ())
        with transaction.atomic():
            # A name is free again once the token that had it has expired.
            ApiToken.objects.filter(user=principal.user, name=name, expiry__lt=timezone.now()).delete()
            try:
                with transaction.atomic():
                    # Not by knox's manager: it counts from a later now, and the token would outlive the one that makes it.
                    digest, secret = get_digest_token()
                    token = ApiToken(
                        user=principal.user,
                        digest=digest,
                        token_key=secret[: CONSTANTS.TOKEN_KEY_LENGTH],
                        expiry=expiry,
                        name=name,
                        role=role,
                        clusters=clusters,
                        accounts=accounts,
                        read_only=read_only,
                        agent=agent,
                        toolsets=toolsets if toolsets is not None or principal.token is None else principal.token.toolsets,
                        **limits,
                        parent=principal.token,
                    )
                    token.save(force_insert=True)
            except IntegrityError:
                taken = FieldError("name", "taken", f"You already have a token named {name}.", "Choose another name, or revoke that token.")
                raise Problem(422, "invalid_input", "Invalid input", "The name is taken.", "Choose another name.", errors=[taken]) from None
            audit.record("token.create", principal=principal, channel=channel, subject=subject)
    return token, secret


def _refuse_unknown(toolsets: Iterable[str]) -> None:
    """Problem 422 that names the sets of tools that there are not, and those that there are."""
    unknown = sets_of_tools.unknown(toolsets)
    if not unknown:
        return
    hint = f"There are: {', '.join(sets_of_tools.known())}. Leave it out for all."
    error = FieldError("toolsets", "unknown_toolset", f"There is no toolset {', '.join(unknown)}.", hint)
    raise Problem(422, "invalid_input", "Invalid input", f"toolsets: {error.detail}", hint, errors=[error])


def _excesses(
    principal: Principal, *, role: Role, clusters: list[str] | None, accounts: list[str] | None, read_only: bool, expiry: dt.datetime
) -> list[FieldError]:
    """One error for each field by which the wished token would hold more than the principal."""
    errors = []
    if not principal.role.covers(role):
        errors.append(
            FieldError("role", "exceeds_rights", f"You are {principal.role.label.lower()}.", f"Ask for {principal.role} or less.")
        )
    if principal.read_only and not read_only:
        errors.append(FieldError("read_only", "exceeds_rights", "Your own token only reads.", "Ask for a read-only token."))
    for field, wished, held in (("clusters", clusters, principal.named), ("accounts", accounts, principal.accounts)):
        if held is None:
            continue
        beyond = sorted(set(wished) - held) if wished is not None else [f"every one of the {field}"]
        if beyond:
            allowed = ", ".join(sorted(held))
            errors.append(FieldError(field, "exceeds_rights", f"Not yours to give: {', '.join(beyond)}.", f"Choose from: {allowed}."))
    longest = timezone.now() + dt.timedelta(days=settings.TOKEN_MAX_DAYS)
    if expiry > longest:
        errors.append(
            FieldError("expires_in_days", "too_long", f"Tokens live at most {settings.TOKEN_MAX_DAYS} days.", "Ask for an earlier end.")
        )
    if principal.token and principal.token.expiry and expiry > principal.token.expiry:
        end = principal.token.expiry.isoformat(timespec="seconds")
        errors.append(FieldError("expires_in_days", "exceeds_rights", f"Your own token ends at {end}.", "Ask for an earlier end."))
    return errors


def revoke(principal: Principal, token: ApiToken, *, channel: str) -> list[str]:
    """End a token and the tokens made with it, at once. One's own; an admin (not an agent) also those of others.

    Answers the names of all that ended.
    """
    subject = f"token:{token.name}"
    own = token.user_id == principal.user.pk
    with refuse("token.revoke", principal, channel, subject):
        if principal.agent:
            raise Problem(403, "agent_token", "Not for agents", "An agent's token revokes no tokens.", "Ask a person to do it.")
        if principal.read_only:
            raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
        if not own and not principal.role.covers(Role.ADMIN):
            raise Problem(403, "role_too_low", "Role too low", "Only admins revoke the tokens of others.", "Ask an admin.")
        if not holds_no_more(token, principal):
            detail = "A token that holds more can't be revoked with less."
            raise Problem(
                403, "exceeds_rights", "More than you hold", detail, "Sign in to revoke it." if principal.token else principal.way_out
            )
    with transaction.atomic():
        audit.record("token.revoke", principal=principal, channel=channel, subject=subject, detail="" if own else f"of {token.user}")
        names = [token.name, *_descendants(token)]
        token.delete()
    return names


def _descendants(token: ApiToken) -> list[str]:
    names = []
    for child in token.children.order_by("name"):
        names += [child.name, *_descendants(child)]
    return names


def revoke_all(user: User) -> int:
    """End every token of a user, inside the caller's transaction. Answers how many there were."""
    count: int
    count, _ = ApiToken.objects.filter(user=user).delete()
    return count
