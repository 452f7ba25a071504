"""Reading the installation's rules for agents."""

from __future__ import annotations

from django.conf import settings

from instantstart.problem import Problem
from operations.models import AgentRules, Operation


def current() -> AgentRules:
    """The rules as they are: one query."""
    return AgentRules.objects.filter(pk=AgentRules.ONE).first() or AgentRules(pk=AgentRules.ONE)


def locked() -> AgentRules:
    """The same, locked until the caller's transaction ends: who holds them neither overtakes the switch nor is overtaken by it.

    Taken before any other lock, by whoever takes several.
    """
    rules, _ = AgentRules.objects.select_for_update().get_or_create(pk=AgentRules.ONE)
    return rules


def approval_cost(rules: AgentRules) -> float | None:
    """US dollars an hour that an agent may add without a person's word; None for any."""
    return settings.AGENT_COST_PER_HOUR if rules.approval_cost_per_hour is None else rules.approval_cost_per_hour


def refuse_while_stopped(rules: AgentRules, what: str) -> None:
    """Raises Problem 403 agents_stopped. what: what is refused ("Make things"), for the sentence."""
    if rules.stopped:
        raise Problem(
            403,
            "agents_stopped",
            "Agents are stopped",
            f"{what}: {sentence(rules)}",
            "Stop here and say so: only an administrator starts agents again.",
            extra={"stopped_at": rules.stopped_at.isoformat() if rules.stopped_at else None},
        )


def sentence(rules: AgentRules) -> str:
    """Since when agents are stopped, and by whom. The reason is a person's own words and is shown beside it, not in it."""
    when = f" since {rules.stopped_at:%Y-%m-%d %H:%M} UTC" if rules.stopped_at else ""
    return f"All agents are stopped{when}{f', by {rules.stopped_by}' if rules.stopped_by else ''}; none may change anything."


def holds(operation: Operation) -> bool:
    """Whether the switch keeps an operation that was recorded from being begun. Called in the transaction that would begin it.

    Only what has not begun is held: half a change is worse than either end of it, so what runs goes on, with its parts, until it ends or a
    person cancels it.
    """
    return operation.agent and operation.parent_id is None and locked().stopped
