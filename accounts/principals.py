"""How a request, a user or a token becomes a Principal: the one place where rights are cut down."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.request import Request

from accounts.choices import Role
from accounts.models import ApiToken, User
from accounts.principal import Principal
from accounts.reach import clusters_in
from instantstart.problem import Problem


def principal_for(user: User, token: ApiToken | None = None) -> Principal:
    """The user's rights, cut down to those of the token. What is taken from the user later is taken from the tokens too."""
    role = Role(user.role)
    named = None if token is None or token.clusters is None else frozenset(token.clusters)
    limits = [frozenset(held.accounts) for held in (user, token) if held is not None and held.accounts is not None]
    accounts = frozenset.intersection(*limits) if limits else None
    clusters = named
    if accounts is not None:
        there = clusters_in(accounts)
        clusters = there if named is None else named & there
    return Principal(
        user=user,
        token=token,
        role=role if token is None else min(role, Role(token.role), key=lambda candidate: candidate.rank),
        clusters=clusters,
        read_only=token is not None and token.read_only,
        agent=token is not None and token.agent,
        named=named,
        accounts=accounts,
    )


def principal_of(request: Request | HttpRequest) -> Principal:
    """Who makes this request. Problem 401 for an anonymous one."""
    user = request.user
    if isinstance(user, AnonymousUser) or not user.is_authenticated:
        raise Problem(
            401,
            "not_signed_in",
            "Not signed in",
            "This call needs a session or a token.",
            "Sign in, or send 'Authorization: Bearer <token>'.",
        )
    token = getattr(request, "auth", None)
    return principal_for(user, token if isinstance(token, ApiToken) else None)
