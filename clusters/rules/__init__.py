"""Combination rules as data: what excludes or requires what, evaluated by every plan.

A plan says what it would bring about as `Facts` and puts what `evaluate` answers among its checks:

    from clusters import rules

    facts = rules.Facts(
        continuous=True,
        groups=(rules.GroupFacts("spot-a", ("ml.g5.8xlarge",), 4, Capacity.SPOT, path="groups.0"),),
    )
    checks = (*checks, *rules.evaluate(facts))

Facts describe the world *after* the change, of what the change touches: a plan that adds a group gives that group (and how many
the cluster has then), one that switches a feature gives the cluster's fields and all groups, one of a job gives the job and the
groups that it may run on. A field that the caller does not know stays None, and rules about it do not strike: a rule never
strikes on a guess. `rules.group_facts(group)` makes the facts of a group that is asked for. A new rule is one row in the file of
its noun, with both examples in `clusters/tests/rules/examples.py`.
"""

from clusters.rules.facts import EndpointFacts, Facts, GroupFacts, JobFacts, NodeGroupFacts, group_facts
from clusters.rules.rule import Noun, Rule
from clusters.rules.table import RULES, evaluate

__all__ = ["RULES", "EndpointFacts", "Facts", "GroupFacts", "JobFacts", "NodeGroupFacts", "Noun", "Rule", "evaluate", "group_facts"]
