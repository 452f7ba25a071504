"""Combinations that exclude or require one another: the rules' table, over what a creation would bring about."""

from __future__ import annotations

from collections.abc import Iterator

from clusters import rules
from clusters.checks.registry import Subject, check, passed
from clusters.spec import group_path
from operations.plan import Check

CODE, TITLE = "sanity", "Combination"


def facts_of(subject: Subject) -> rules.Facts:
    """Clusters made here have EKS, continuous provisioning and automatic recovery."""
    spec = subject.spec
    groups = tuple(
        rules.group_facts(
            group,
            path=group_path(index),
            checks=spec.checks_of(group),
            zones=(spec.network.compute.zone.name,),
            # Those of the cluster stand beside the groups in its input.
            fields={"deep_health_checks": "deep_health_checks"} if group.deep_health_checks is None else {},
        )
        for index, group in enumerate(spec.all_groups)
    )
    return rules.Facts(name=spec.name, orchestrator="eks", continuous=True, automatic_recovery=True, groups=groups, group_count=len(groups))


@check(CODE, TITLE)
def combination_makes_sense(subject: Subject) -> Iterator[Check]:
    struck = rules.evaluate(facts_of(subject))
    yield from struck
    if not struck:
        yield passed(CODE, TITLE, "Nothing that was asked for excludes another.")
