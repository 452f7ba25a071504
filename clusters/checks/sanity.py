"""Combinations that exclude or require one another, as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from clusters.catalog import instance_types
from clusters.checks.registry import Subject, check, passed
from clusters.spec import Capacity, DeepHealthCheck
from operations.choices import Severity
from operations.plan import Check

CODE, TITLE = "sanity", "Combination"
PLAN_FAMILIES = frozenset({"p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", "trn1", "trn2"})
"""Families that training plans are sold for (reference/aws.md §1.7)."""
_BETWEEN_NODES = {DeepHealthCheck.INSTANCE_CONNECTIVITY, DeepHealthCheck.MULTI_NODE_TRAINING_VALIDATION}


@dataclass(frozen=True)
class Rule:
    """`broken` tells whether the request breaks it."""

    code: str
    severity: Severity
    broken: Callable[[Subject], bool]
    sentence: str
    fix: str
    field: str


def _type(subject: Subject) -> instance_types.InstanceType | None:
    return instance_types.find(subject.spec.group.instance_type)


def _has_no_accelerator(subject: Subject) -> bool:
    found = _type(subject)
    return bool(subject.spec.deep_health_checks) and found is not None and not found.accelerator


def _is_arm_with_two_threads(subject: Subject) -> bool:
    found = _type(subject)
    return found is not None and found.arm and subject.spec.group.threads_per_core == 2


RULES: tuple[Rule, ...] = (
    Rule(
        "deep_checks_without_accelerator",
        Severity.ERROR,
        _has_no_accelerator,
        "Deep health checks test accelerators, and this instance type has none.",
        "Leave the deep health checks away, or choose an accelerated type.",
        "deep_health_checks",
    ),
    Rule(
        "deep_checks_between_nodes",
        Severity.WARNING,
        lambda subject: bool(_BETWEEN_NODES & set(subject.spec.deep_health_checks)) and subject.spec.group.count < 2,
        "InstanceConnectivity and MultiNodeTrainingValidation test nodes against one another, and there is only one.",
        "Ask for two nodes, or for InstanceStress alone.",
        "deep_health_checks",
    ),
    Rule(
        "deep_checks_take_long",
        Severity.WARNING,
        lambda subject: bool(subject.spec.deep_health_checks) and not _has_no_accelerator(subject),
        "Deep health checks take one to two hours before a node can be used, and the instances are billed meanwhile.",
        "Leave them away for a first try.",
        "deep_health_checks",
    ),
    Rule(
        "deep_checks_on_spot",
        Severity.WARNING,
        lambda subject: bool(subject.spec.deep_health_checks) and subject.spec.group.capacity is Capacity.SPOT,
        "A Spot instance may be taken back before its deep health checks have ended.",
        "Use on-demand instances with deep health checks.",
        "group.capacity",
    ),
    Rule(
        "two_threads_on_arm",
        Severity.ERROR,
        _is_arm_with_two_threads,
        "Arm cores have one thread.",
        "Leave threads per core away.",
        "group.threads_per_core",
    ),
    Rule(
        "training_plan_family",
        Severity.ERROR,
        lambda subject: (
            subject.spec.group.capacity is Capacity.TRAINING_PLAN
            and subject.spec.group.instance_type.removeprefix("ml.").split(".")[0] not in PLAN_FAMILIES
        ),
        "Training plans are not sold for this instance type.",
        "Choose the type that the plan reserves.",
        "group.instance_type",
    ),
)


@check(CODE, TITLE)
def combination_makes_sense(subject: Subject) -> Iterator[Check]:
    broken = [rule for rule in RULES if rule.broken(subject)]
    for rule in broken:
        yield Check(code=rule.code, severity=rule.severity, title=TITLE, detail=rule.sentence, fix=rule.fix, field=rule.field)
    if not broken:
        yield passed(CODE, TITLE, "Nothing that was asked for excludes another.")
