"""Whether a token holds no more than somebody: who may revoke it, or set its limits."""

from __future__ import annotations

from accounts.models import ApiToken
from accounts.principal import Principal
from accounts.principals import principal_for


def holds_no_more(token: ApiToken, principal: Principal) -> bool:
    """By role, by reach, and by what it may begin and spend within an hour."""
    held = principal_for(token.user, token)
    reach = all(
        mine is None or (theirs is not None and theirs <= mine)
        for mine, theirs in ((principal.named, held.named), (principal.accounts, held.accounts))
    )
    own = principal.token
    limits = own is None or all(
        mine is None or (theirs is not None and theirs <= mine)
        for mine, theirs in ((own.operations_per_hour, token.operations_per_hour), (own.cost_per_hour, token.cost_per_hour))
    )
    return principal.role.covers(held.role) and reach and limits
