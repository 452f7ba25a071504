"""The stored training plan: kind `sagemaker.training-plan`, key the name. Its dates are real dates: status follows the real clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "sagemaker.training-plan"


def store(context: Context, name: str, capacity: dict[str, Any], fee: str, tags: list[dict[str, str]]) -> dict[str, Any]:
    """`capacity` is {"instance_type", "count", "zone", "start", "end"}, the last two in epoch seconds."""
    plan = {
        "name": name,
        "arn": context.arn("sagemaker", f"training-plan/{name}"),
        "reservation_arn": context.arn("sagemaker", f"reserved-capacity/{name}-1"),
        "made_at": context.timestamp,
        "fee": fee,
        "tags": tags,
        **capacity,
    }
    context.world.store.put(KIND, context.scope, name, plan)
    return plan


def lookup_arn(context: Context, arn: str) -> dict[str, Any] | None:
    return next((plan for plan in context.world.store.list(KIND, context.scope) if plan["arn"] == arn), None)


def zone_of(context: Context, arn: str | None) -> str:
    """Zone of a plan's capacity; "" without a plan."""
    plan = lookup_arn(context, arn) if arn else None
    return plan["zone"] if plan else ""


def over(context: Context, plan: dict[str, Any]) -> bool:
    """Whether its time has ended: by its dates, or by the scenario."""
    return (
        status(plan, context.timestamp) == "Expired" or context.world.faults.scenario("training_plan_ended", plan=plan["name"]) is not None
    )


def status(plan: dict[str, Any], now: float) -> str:
    if now < plan["start"]:
        return "Scheduled"
    return "Active" if now < plan["end"] else "Expired"
