"""An agent looks before it changes.

What costs, disrupts or destroys needs the fingerprint of a plan that the same token was shown lately.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction

from accounts.principal import Principal
from instantstart.problem import Problem
from operations import clock
from operations.action import Action
from operations.choices import Risk
from operations.models import ShownPlan
from operations.plan import Plan

MINUTES = 10
"""How long a look counts."""


def note(principal: Principal, plan: Plan) -> None:
    """Remembers that this agent was shown the plan."""
    if not principal.agent or principal.token is None:
        return
    values: dict[str, Any] = {"token": principal.token.uid, "kind": plan.kind, "fingerprint": plan.fingerprint}
    try:
        with transaction.atomic():
            ShownPlan.objects.update_or_create(**values, defaults={"at": clock.now()})
    except IntegrityError:  # the same look made the row between our look and our insert
        ShownPlan.objects.filter(**values).update(at=clock.now())


def require(principal: Principal, action: Action[Any], plan: Plan, fingerprint: str | None) -> None:
    """Raises Problem 409 `plan_required` or `plan_too_old` unless this agent has looked. People, and what is safe, pass."""
    if not principal.agent or principal.token is None or action.risk_of(plan) == Risk.SAFE:
        return
    if fingerprint is None:
        raise Problem(
            409,
            "plan_required",
            "Plan required",
            f"{action.title}: an agent must look at the plan of such a change first.",
            "Send the same with dry_run=true, look at the plan, then send it with that plan_fingerprint.",
        )
    since = clock.now() - timedelta(minutes=MINUTES)
    shown = ShownPlan.objects.filter(token=principal.token.uid, kind=plan.kind, fingerprint=fingerprint, at__gte=since)
    if not shown.exists():
        raise Problem(
            409,
            "plan_too_old",
            "Plan too old",
            f"{action.title}: this token was not shown that plan in the last {MINUTES} minutes.",
            "Send the same with dry_run=true, look at the plan, then send it with that plan_fingerprint.",
        )
