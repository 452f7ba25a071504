"""Combinations that exclude or require one another: the rules' table, over what a creation would bring about."""

from __future__ import annotations

from collections.abc import Iterator

from clusters import rules
from clusters.checks.registry import Subject, check, passed
from operations.plan import Check

CODE, TITLE = "sanity", "Combination"


def facts_of(subject: Subject) -> rules.Facts:
    """Clusters made here have EKS, continuous provisioning and automatic recovery."""
    spec = subject.spec
    group = rules.group_facts(
        spec.group,
        checks=spec.deep_health_checks,
        zones=(spec.network.compute.zone.name,),
        # A cluster's input has them beside the group.
        fields={"deep_health_checks": "deep_health_checks"},
    )
    return rules.Facts(name=spec.name, orchestrator="eks", continuous=True, automatic_recovery=True, groups=(group,), group_count=1)


@check(CODE, TITLE)
def combination_makes_sense(subject: Subject) -> Iterator[Check]:
    struck = rules.evaluate(facts_of(subject))
    yield from struck
    if not struck:
        yield passed(CODE, TITLE, "Nothing that was asked for excludes another.")
