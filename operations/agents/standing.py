"""How it stands with agents, for the doors."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.reach import within_or_own
from operations import action as actions
from operations.agents import rules, switch
from operations.choices import OperationState
from operations.models import AgentRules, Operation


def standing(principal: Principal, row: AgentRules | None = None) -> dict[str, Any]:
    """The rules as they work, and how much waits for a person or is held, of what the principal may see."""
    row = row or rules.current()
    return {
        "stopped": row.stopped,
        "stopped_at": row.stopped_at,
        "stopped_by": row.stopped_by,
        "stop_reason": row.stop_reason,
        "approval_cost_per_hour": rules.approval_cost(row),
        "approval_cost_is_setting": row.approval_cost_per_hour is None,
        "approval_hours": float(settings.APPROVAL_HOURS),
        "awaiting_approval": waiting(principal).count(),
        "held": within_or_own(switch.held_operations(), principal).count(),
    }


def waiting(principal: Principal) -> QuerySet[Operation]:
    """What waits for a person, of what the principal may see."""
    return within_or_own(Operation.objects.filter(state=OperationState.AWAITING_APPROVAL), principal)


def decidable(principal: Principal) -> list[str]:
    """Kinds of actions that the principal's role may carry out, and so decide about."""
    return [kind for kind in actions.kinds() if principal.role.covers(actions.find(kind).permission)]
