"""Template tags about agents: what waits for a person, and whether they are stopped."""

from __future__ import annotations

from django import template

from accounts.principals import principal_of
from operations.agents import rules
from operations.agents.standing import decidable, waiting
from operations.models import AgentRules

register = template.Library()


@register.simple_tag(takes_context=True)
def waiting_approvals(context: template.Context) -> int:
    """How many changes wait for the word of the person who looks at the page. One query."""
    principal = principal_of(context["request"])
    return waiting(principal).filter(kind__in=decidable(principal)).count()


@register.simple_tag
def stopped_agents() -> AgentRules | None:
    """The rules while agents are stopped, else None. One query."""
    row = rules.current()
    return row if row.stopped else None


@register.filter
def switch_sentence(row: AgentRules) -> str:
    return rules.sentence(row)
