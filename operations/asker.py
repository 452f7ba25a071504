"""Whether who asked for a change may still have it: between the question and the approval rights are taken away."""

from __future__ import annotations

from typing import Any

from accounts.models import ApiToken, User
from accounts.principals import principal_for
from instantstart.problem import Problem
from operations import clock
from operations.action import Action
from operations.models import Operation
from operations.permission import permit


def require_right(operation: Operation, action: Action[Any], data: Any) -> None:
    """Problem 409 `asker_may_not` when the asker was shut out or demoted, or the token that asked was revoked or has ended since.

    The approval is a second person's word on what the first one may do, and gives nobody a right.
    """
    who = User.objects.filter(pk=operation.actor_id).first() if operation.actor_id is not None else None
    if who is None or not who.is_active:
        raise _refused(operation, f"{who.username if who else 'The one who asked for it'} was shut out meanwhile.")
    token = None
    if operation.token_name:
        # A later token of that name is another one.
        token = ApiToken.objects.filter(user=who, name=operation.token_name, created__lte=operation.created_at).first()
        if token is None or (token.expiry is not None and token.expiry <= clock.now()):
            raise _refused(operation, f"The token {operation.token_name} of {who.username}, which asked for it, was revoked or has ended.")
    try:
        held = principal_for(who, token)
        permit(held, action.permission, action.title, operation.cluster, new=action.makes_cluster, account=action.account(data))
    except Problem as problem:
        raise _refused(operation, f"{who.username} asked for it and may not do it any more. {problem.detail}") from None


def _refused(operation: Operation, detail: str) -> Problem:
    return Problem(
        409,
        "asker_may_not",
        "Asker may not any more",
        detail,
        "Refuse it. If the change is still wanted, ask for it yourself, or give the right back and have it asked anew.",
        extra={"operation": str(operation.pk)},
    )
