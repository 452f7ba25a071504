"""Rules about deep health checks."""

from __future__ import annotations

from clusters.rules.facts import GroupFacts
from clusters.rules.rule import Noun, Rule, each_group
from clusters.spec import Capacity, DeepHealthCheck
from operations.choices import Severity

BETWEEN_NODES = frozenset({DeepHealthCheck.INSTANCE_CONNECTIVITY, DeepHealthCheck.MULTI_NODE_TRAINING_VALIDATION})
_DOCS = "AWS documentation, deep health checks"


def _without_accelerator(group: GroupFacts) -> bool:
    return bool(group.deep_health_checks) and any(not kind.accelerator for kind in group.known)


def _without_efa(group: GroupFacts) -> bool:
    return bool(group.deep_health_checks) and any(kind.accelerator and not kind.efa for kind in group.known)


ROWS: tuple[Rule, ...] = (
    Rule(
        "deep_checks_without_accelerator",
        Noun.GROUP,
        Severity.ERROR,
        each_group(_without_accelerator),
        "Deep health checks test accelerators, and {group.types} has none.",
        "Leave the deep health checks away, or choose an accelerated type.",
        "deep_health_checks",
        f"{_DOCS}: DCGM, NCCL and Neuron checks",
    ),
    Rule(
        "deep_checks_without_efa",
        Noun.GROUP,
        Severity.WARNING,
        each_group(_without_efa),
        "Deep health checks test EFA too, and {group.types} has no EFA interface: what they say of the network means little.",
        "Leave them away, or choose a type with EFA.",
        "deep_health_checks",
        f"{_DOCS}: EFA loopback, multi-node NCCL",
    ),
    Rule(
        "deep_checks_between_nodes",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: bool(BETWEEN_NODES & set(group.deep_health_checks)) and group.count < 2),
        "InstanceConnectivity and MultiNodeTrainingValidation test nodes against one another, and {group.name} has fewer than two.",
        "Ask for two nodes, or for InstanceStress alone.",
        "deep_health_checks",
        f"{_DOCS}: multi-node tests",
    ),
    Rule(
        "deep_checks_take_long",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: bool(group.deep_health_checks) and not _without_accelerator(group)),
        "Deep health checks take one to two hours before a node can be used, and the instances are billed meanwhile.",
        "Leave them away for a first try.",
        "deep_health_checks",
        f"{_DOCS}: about 60 to 120 minutes",
    ),
    Rule(
        "deep_checks_on_spot",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: bool(group.deep_health_checks) and group.capacity is Capacity.SPOT),
        "A Spot instance may be taken back before its deep health checks have ended.",
        "Use on-demand instances with deep health checks.",
        "capacity",
        f"{_DOCS}: duration; Spot: two minutes' notice",
    ),
    Rule(
        "deep_checks_with_taints",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: bool(group.deep_health_checks) and group.taints > 0),
        "{group.name} has deep health checks and taints of its own; HyperPod does not take both.",
        "Leave the taints or the checks away.",
        "deep_health_checks",
        "Observed: groups with deep health checks can't have custom taints",
    ),
)
