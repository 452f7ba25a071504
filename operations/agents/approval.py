"""Whether an agent's change waits for a person, why, for whom and until when: each in a sentence."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from accounts.choices import Role
from accounts.principal import Principal
from operations.action import Action
from operations.agents import rules
from operations.choices import OperationState, Risk
from operations.models import Operation
from operations.plan import Plan


def added_cost(plan: Plan) -> float | None:
    """US dollars by which the change raises the running cost of an hour, None when unknown.

    Where what is paid now is unknown, all of what is paid afterwards counts: it may be too much, never too little.
    """
    if plan.cost_per_hour is None:
        return None
    return round(max(0.0, plan.cost_per_hour - (plan.cost_per_hour_before or 0.0)), 4)


def counted_cost(action: Action[Any], plan: Plan) -> float | None:
    """The same, held against limits: what the verb can't cost (risk safe) costs nothing, whatever the plan knows."""
    return 0.0 if action.risk_of(plan) == Risk.SAFE else added_cost(plan)


def because(action: Action[Any], plan: Plan, principal: Principal) -> str:
    """Why a person must say yes before the change begins; "" where nobody must.

    What the verb can't cost (risk safe) is not held against the limit of cost; of all else an unknown cost counts as above it.
    """
    if not principal.agent:
        return ""
    risk = action.risk_of(plan)
    if risk == Risk.DESTRUCTIVE:
        return "It is destructive, and an agent asks."
    limit = rules.approval_cost(rules.current()) if risk != Risk.SAFE else None
    if limit is None:
        return ""
    cost = added_cost(plan)
    if cost is None:
        return f"What it would add to the cost is not known, and agents may add at most ${limit:,.2f}/h by themselves."
    return f"It would add ${cost:,.2f}/h, and agents may add at most ${limit:,.2f}/h by themselves." if cost > limit else ""


def expires_at(asked_at: datetime) -> datetime:
    """When a question asked then is not asked any more."""
    return asked_at + timedelta(hours=float(settings.APPROVAL_HOURS))


def waits_for(permission: Role, asked_at: datetime) -> str:
    """What the operation says while it waits; agents read it too."""
    return (
        f"Waits for a person to approve it: anybody of the role {permission.label.lower()} or above, signed in or with a token that is not "
        f"marked agent, until {expires_at(asked_at):%Y-%m-%d %H:%M} UTC. An agent stops here and says so."
    )


def facts(operation: Operation, permission: Role) -> dict[str, Any] | None:
    """What doors and webhooks show of an approval; None for an operation that nobody had to approve."""
    if not operation.asks_because and operation.state != OperationState.AWAITING_APPROVAL:
        return None
    return {
        "because": operation.asks_because,
        "may_decide": str(permission),
        "expires_at": expires_at(operation.created_at),
        "added_cost_per_hour": operation.added_cost_per_hour,
        "decided_by": operation.decided_by.get_username() if operation.decided_by else None,
        "decision_reason": operation.decision_reason,
    }
