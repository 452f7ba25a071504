"""Property: however tokens are made from tokens, none ever holds more than its user or any token it comes from."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.actions import tokens
from accounts.choices import Role
from accounts.models import ApiToken, User
from accounts.principal import Principal
from accounts.principals import principal_for
from instantstart.problem import Problem

CLUSTERS = ("a", "b", "c")
ACCOUNTS = ("111111111111", "222222222222")

wishes = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(Role),
        "clusters": st.none() | st.lists(st.sampled_from(CLUSTERS), min_size=1, unique=True),
        "accounts": st.none() | st.lists(st.sampled_from(ACCOUNTS), min_size=1, unique=True),
        "read_only": st.booleans(),
        "agent": st.booleans(),
        "operations_per_hour": st.none() | st.integers(1, 9),
        "cost_per_hour": st.none() | st.floats(0, 9),
        "expires_in": st.integers(1, 400).map(lambda days: dt.timedelta(days=days)),
    },
)


def no_looser(child: Principal, parent: Principal) -> bool:
    def bound(who: Principal, name: str) -> float:
        limit = getattr(who.token, name, None)
        return float("inf") if limit is None else limit

    return all(bound(child, name) <= bound(parent, name) for name in ("operations_per_hour", "cost_per_hour"))


def holds_no_more(child: Principal, parent: Principal) -> bool:
    """The oracle, written apart from the code it judges."""
    if not no_looser(child, parent):
        return False
    held, given = (set(ACCOUNTS) if one.accounts is None else one.accounts for one in (parent, child))
    if not given <= held or (child.accounts is None and parent.accounts is not None):
        return False
    ranks = {Role.VIEWER: 0, Role.OPERATOR: 1, Role.ADMIN: 2}
    reach = set(CLUSTERS) if child.named is None else set(child.named)
    allowed = set(CLUSTERS) if parent.named is None else set(parent.named)
    unlimited = child.named is None and parent.named is not None
    return (
        ranks[child.role] <= ranks[parent.role]
        and reach <= allowed
        and not unlimited
        and child.read_only >= parent.read_only
        and child.agent >= parent.agent
    )


@pytest.mark.django_db
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    role=st.sampled_from(Role),
    limit=st.sampled_from([None, list(ACCOUNTS[:1]), list(ACCOUNTS)]),
    chain=st.lists(wishes, min_size=1, max_size=4),
    later=st.sampled_from(Role),
    narrowed=st.sampled_from([None, list(ACCOUNTS[1:])]),
)
def test_no_chain_of_tokens_ends_with_more_than_it_began(db, role, limit, chain, later, narrowed):
    user = User.objects.create(username=f"u{User.objects.count()}", role=role, accounts=limit)
    asking = principal_for(user)
    ancestors = [asking]
    for step, wish in enumerate(chain):
        count = ApiToken.objects.count()
        try:
            token, _ = tokens.create(asking, name=f"t{step}", channel="api", **wish)
        except Problem as refusal:
            assert refusal.code in {"exceeds_rights", "agent_token", "read_only_token"}
            assert ApiToken.objects.count() == count
            continue
        made = principal_for(user, token)
        assert not asking.agent and not asking.read_only
        assert all(holds_no_more(made, ancestor) for ancestor in ancestors)
        assert asking.token is None or token.expiry <= asking.token.expiry
        assert {name: getattr(made, name) for name in wish if name in ("role", "read_only", "agent")} == {
            name: value for name, value in wish.items() if name in ("role", "read_only", "agent")
        }, "what was granted is what was asked for, not silently less"
        asking = made
        ancestors.append(made)
    # Rights taken from the user are taken from every token, and given back to none beyond its own limits.
    user.role, user.accounts = later, narrowed
    for token in ApiToken.objects.filter(user=user):
        token.user = user
        now = principal_for(user, token)
        assert holds_no_more(now, principal_for(user))
        assert Role(token.role).covers(now.role)
