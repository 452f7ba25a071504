"""A plan as the API shows it."""

from __future__ import annotations

from typing import Any

from instantstart.problem import Problem
from operations.plan import Plan


def plan_body(plan: Plan) -> dict[str, Any]:
    """The plan's fields, with what is derived from them: fingerprint and whether anything would change."""
    return {**plan.model_dump(mode="json"), "changed": plan.changed, "fingerprint": plan.fingerprint}


def plan_changed(plan: Plan) -> Problem:
    """The refusal of a write whose `plan_fingerprint` is another by now."""
    return Problem(
        409,
        "plan_changed",
        "Plan changed",
        "What would happen is no longer what the plan showed: something has changed since.",
        "Look at the new plan and confirm it.",
        extra={"plan": plan_body(plan)},
    )
