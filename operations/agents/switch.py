"""agents.stop, .start, .set_approval_cost: what an administrator says of all agents at once. Effective with the commit, for every door.

Stopped: no call of an agent's token that writes is let through, nothing that one asked for can be approved, and what was recorded and has
not begun is held. What runs goes on until it ends or a person cancels it.
"""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts import audit
from accounts.actions.refusal import refuse
from accounts.choices import Role
from accounts.principal import Principal
from instantstart.problem import FieldError, Problem
from operations import clock, dispatch, events, leases
from operations.agents import rules
from operations.choices import OperationState
from operations.models import AgentRules, Operation

STOP, START, SET_APPROVAL_COST = "agents.stop", "agents.start", "agents.set_approval_cost"
SUBJECT = "agents:all"
COMMAND_LINE = "the command line"
LONGEST_REASON = 500
HIGHEST_COST = 1_000_000.0


def stop(principal: Principal | None, reason: str = "", *, channel: str) -> AgentRules:
    """No agent writes any more. Said again it changes nothing. principal None: the command line of this machine. Problem 403."""
    _permit(principal, STOP, channel)
    with transaction.atomic():
        row = rules.locked()
        if not row.stopped:
            row.stopped, row.stopped_at, row.stop_reason = True, clock.now(), " ".join(reason.split())[:LONGEST_REASON]
            row.stopped_by = _name(principal)
            row.save()
            _note(principal, STOP, channel, row.stop_reason)
    return row


def start(principal: Principal | None, *, channel: str) -> AgentRules:
    """Agents may write again; what was held begins. Said again it changes nothing. Problem 403."""
    _permit(principal, START, channel)
    with transaction.atomic():
        row = rules.locked()
        if row.stopped:
            row.stopped, row.stopped_at, row.stopped_by, row.stop_reason = False, None, "", ""
            row.save()
            _note(principal, START, channel)
            for held in held_operations().values_list("pk", flat=True):
                leases.poke(Operation, Q(pk=held))
                transaction.on_commit(partial(dispatch.hint, held))
    return row


def set_approval_cost(principal: Principal | None, per_hour: float | None, *, channel: str) -> AgentRules:
    """US dollars an hour that an agent may add without a person's word; None: what the setting says. Problem 403, 422."""
    _permit(principal, SET_APPROVAL_COST, channel)
    if per_hour is not None and not 0 <= per_hour <= HIGHEST_COST:  # also refuses what is no number
        error = FieldError(
            "approval_cost_per_hour",
            "out_of_range",
            f"Not within 0 to {HIGHEST_COST:,.0f} US dollars.",
            "Give such a number, or nothing.",
        )
        raise Problem(422, "invalid_input", "Invalid input", error.detail, error.hint, errors=[error])
    with transaction.atomic():
        row = rules.locked()
        if row.approval_cost_per_hour != per_hour:
            before, row.approval_cost_per_hour = row.approval_cost_per_hour, per_hour
            row.save()
            _note(principal, SET_APPROVAL_COST, channel, f"{_dollars(before)} to {_dollars(per_hour)}")
    return row


def held_operations() -> QuerySet[Operation]:
    """What agents asked for, that was let through and has not begun."""
    return Operation.objects.filter(agent=True, parent=None, state=OperationState.RECORDED)


def _permit(principal: Principal | None, kind: str, channel: str) -> None:
    """For admins who are people, with all of their rights: an agent must not free itself."""
    if principal is None:
        return
    with refuse(kind, principal, channel, SUBJECT):
        if principal.agent:
            raise Problem(403, "agent_token", "Not for agents", "An agent's token decides nothing about agents.", "Ask a person to do it.")
        if principal.read_only:
            raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
        if not principal.role.covers(Role.ADMIN):
            raise Problem(403, "role_too_low", "Role too low", "Only admins decide about all agents.", "Ask an admin.")
        if principal.clusters is not None:
            raise Problem(
                403,
                "exceeds_rights",
                "More than you hold",
                f"Agents work on every cluster; {principal.limited} limited to some.",
                principal.way_out,
            )


def _note(principal: Principal | None, kind: str, channel: str, detail: str = "") -> None:
    audit.record(kind, principal=principal, channel=channel, subject=SUBJECT, detail=detail, username="" if principal else COMMAND_LINE)
    events.publish("operations", kind, {})


def _name(principal: Principal | None) -> str:
    return principal.user.get_username() if principal is not None else COMMAND_LINE


def _dollars(per_hour: float | None) -> str:
    return "the setting" if per_hour is None else f"${per_hour:,.2f}/h"
