"""Every rule, and their evaluation."""

from __future__ import annotations

from clusters.rules import clusters, endpoints, features, groups, health, jobs, node_groups
from clusters.rules.facts import Facts
from clusters.rules.rule import Rule
from operations.plan import Check

RULES: tuple[Rule, ...] = (*clusters.ROWS, *groups.ROWS, *health.ROWS, *features.ROWS, *jobs.ROWS, *endpoints.ROWS, *node_groups.ROWS)


def evaluate(facts: Facts) -> tuple[Check, ...]:
    """A row for each place where a rule strikes, in the order of the table; none when nothing excludes another. Reads nothing."""
    return tuple(check for rule in RULES for check in rule.checks(facts))
