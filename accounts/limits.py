"""How much a token may begin and spend within an hour: held in the transaction that records the operation.

What a token uses counts against the tokens that it was made from, too: otherwise who is limited to five operations an hour could make ten
tokens of five each.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from accounts.models import ApiToken, TokenUse
from instantstart.problem import Problem

WINDOW = timedelta(hours=1)
SLACK = 1e-6
"""Sums of floats: a millionth of a dollar is not held against anybody."""


def spend(token: ApiToken, operation: uuid.UUID, cost: float | None, at: datetime) -> None:
    """Counts the operation, inside the caller's transaction. cost: US dollars an hour that it adds, None when unknown.

    Raises Problem 429 token_limit (with retry_after) when the hour is used up, 403 token_cost when waiting would not help, 401 when the
    token has been revoked meanwhile. Waits for others who use the same tokens.
    """
    limited = [one.pk for one in _chain(token) if one.operations_per_hour is not None or one.cost_per_hour is not None]
    if not limited:
        return
    rows = list(ApiToken.objects.select_for_update().filter(pk__in=limited).order_by("pk"))
    if len(rows) < len(limited):
        raise Problem(401, "authentication_failed", "Authentication failed", "The token has been revoked.", "Send a valid token.")
    for row in rows:
        uses = list(TokenUse.objects.filter(token=row, at__gt=at - WINDOW).order_by("at", "id").values_list("at", "cost"))
        name = "This token" if row.pk == token.pk else f"The token {row.name}, which this one was made from,"
        _hold_count(row, name, uses, at)
        _hold_cost(row, name, uses, cost, at)
    TokenUse.objects.bulk_create(TokenUse(token=row, operation=operation, at=at, cost=cost or 0.0) for row in rows)


def give_back(operation: uuid.UUID) -> None:
    """The operation ended before it began: it costs nothing. It still counts as one that was asked for."""
    TokenUse.objects.filter(operation=operation).update(cost=0.0)


def _chain(token: ApiToken) -> list[ApiToken]:
    """The token and those that it was made from."""
    chain, parent = [token], token.parent_id
    while parent is not None:
        above = ApiToken.objects.filter(pk=parent).first()
        if above is None:
            break
        chain.append(above)
        parent = above.parent_id
    return chain


def _hold_count(row: ApiToken, name: str, uses: Sequence[tuple[datetime, float]], at: datetime) -> None:
    limit = row.operations_per_hour
    if limit is None or len(uses) < limit:
        return
    free_at = uses[len(uses) - limit][0] + WINDOW
    raise _used_up(f"{name} may begin {limit} operation{'s' if limit != 1 else ''} an hour and has begun {len(uses)}.", free_at, at)


def _hold_cost(row: ApiToken, name: str, uses: Sequence[tuple[datetime, float]], cost: float | None, at: datetime) -> None:
    limit = row.cost_per_hour
    if limit is None:
        return
    if cost is None:
        raise _never(f"{name} may add ${limit:,.2f}/h to the running cost within an hour, and what this would add is not known.")
    if cost > limit + SLACK:
        raise _never(f"{name} may add ${limit:,.2f}/h to the running cost within an hour, and this alone would add ${cost:,.2f}/h.")
    spent = sum(one for _, one in uses)
    if cost <= SLACK or spent + cost <= limit + SLACK:
        return
    sentence = f"{name} may add ${limit:,.2f}/h within an hour: ${spent:,.2f}/h are added by now, and this would add ${cost:,.2f}/h."
    left, free_at = spent, at
    for used_at, used in uses:
        left, free_at = left - used, used_at + WINDOW
        if left + cost <= limit + SLACK:
            break
    raise _used_up(sentence, free_at, at)


def _used_up(sentence: str, free_at: datetime, at: datetime) -> Problem:
    # Not beyond the hour: the use that is to end may have been noted a moment after this one was asked for.
    seconds = min(max(1, math.ceil((free_at - at).total_seconds())), int(WINDOW.total_seconds()))
    return Problem(
        429,
        "token_limit",
        "Token's limit used up",
        sentence,
        f"Try again in {seconds} s, at {free_at:%H:%M:%S} UTC, or ask the token's owner for a higher limit.",
        extra={"retry_after": seconds},
    )


def _never(sentence: str) -> Problem:
    return Problem(
        403, "token_cost", "Above the token's cost", sentence, "Ask for less, or ask a person: the token's owner can raise its limit."
    )
