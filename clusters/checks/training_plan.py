"""A training plan: there, usable, of the right type, zone and dates, with enough instances left."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from clusters.catalog.reading import TrainingPlan
from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.resolved import Group
from clusters.spec import Capacity, group_path
from operations.plan import Check

CODE, TITLE = "training_plan", "Training plan"
USABLE = ("Scheduled", "Active")
TARGET = "hyperpod-cluster"


@check(CODE, TITLE)
def plan_fits_the_group(subject: Subject) -> Iterator[Check]:
    for index, group in enumerate(subject.spec.all_groups):
        if group.capacity is Capacity.TRAINING_PLAN:
            yield from _of_group(subject, group, group_path(index))


def _of_group(subject: Subject, group: Group, path: str) -> Iterator[Check]:
    plan = next((plan for plan in subject.facts.training_plans if plan.arn == group.training_plan_arn), None)
    if plan is None:
        names = ", ".join(found.name for found in subject.facts.training_plans) or "none"
        yield failed(
            "training_plan_not_found",
            TITLE,
            f"There is no training plan {group.training_plan_arn} here.",
            f"Plans in this region: {names}.",
            f"{path}.training_plan_arn",
        )
        return
    rows = [*_faults(subject, group, plan, path)]
    yield from rows
    if plan.starts is not None and plan.starts > datetime.now(UTC):
        yield warning(
            "training_plan_not_begun",
            TITLE,
            f"{plan.name} begins on {plan.starts:%d %B %Y %H:%M} UTC: nodes come then.",
            "Wait, or go on.",
            f"{path}.training_plan_arn",
        )
    elif not rows:
        ends = f" until {plan.ends:%d %B %Y %H:%M} UTC" if plan.ends else ""
        yield passed(CODE, TITLE, f"{plan.name} has {plan.available} × {group.instance_type} left{ends}.")


def _faults(subject: Subject, group: Group, plan: TrainingPlan, path: str) -> Iterator[Check]:
    zone, field = subject.spec.network.compute.zone, f"{path}.training_plan_arn"
    if plan.status not in USABLE:
        yield failed(
            "training_plan_not_usable", TITLE, f"{plan.name} is {plan.status}.", "Choose a plan that is Scheduled or Active.", field
        )
    if plan.targets and TARGET not in plan.targets:
        yield failed(
            "training_plan_target",
            TITLE,
            f"{plan.name} is for {', '.join(plan.targets)}, not for HyperPod.",
            "Choose one for HyperPod.",
            field,
        )
    if plan.instance_types and group.instance_type not in plan.instance_types:
        kinds = ", ".join(plan.instance_types)
        yield failed(
            "training_plan_type",
            TITLE,
            f"{plan.name} reserves {kinds}, not {group.instance_type}.",
            f"Choose {kinds}.",
            f"{path}.instance_type",
        )
    asked = sum(other.count for other in subject.spec.all_groups if other.training_plan_arn == plan.arn)
    left = plan.total - plan.in_use if plan.status == "Scheduled" else plan.available  # before it begins AWS calls none available
    if asked > left:
        yield failed(
            "training_plan_count",
            TITLE,
            f"{plan.name} has {left} instances left ({plan.in_use} of {plan.total} in use), and {asked} are asked for.",
            f"Ask for at most {left}.",
            f"{path}.count",
        )
    # Ids are the same in all accounts, names are not.
    fits = zone.id in plan.zone_ids if plan.zone_ids and zone.id else zone.name in plan.zones if plan.zones else True
    if not fits:
        place = ", ".join([*plan.zones, *plan.zone_ids])
        yield failed(
            "training_plan_zone",
            TITLE,
            f"{plan.name} reserves its instances in {place}; the nodes would go to {zone.name} ({zone.id}).",
            "Put the plan's zone first.",
            "availability_zones",
        )
    if plan.ends is not None and plan.ends <= datetime.now(UTC):
        yield failed(
            "training_plan_over", TITLE, f"{plan.name} ended on {plan.ends:%d %B %Y %H:%M} UTC.", "Extend it or choose another.", field
        )
