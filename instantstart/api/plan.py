"""A plan as the API shows it."""

from __future__ import annotations

from typing import Any

from operations.plan import Plan


def plan_body(plan: Plan) -> dict[str, Any]:
    """The plan's fields, with what is derived from them: fingerprint and whether anything would change."""
    return {**plan.model_dump(mode="json"), "changed": plan.changed, "fingerprint": plan.fingerprint}
