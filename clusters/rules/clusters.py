"""Rules about a cluster's own fields: names, counts, orchestrator."""

from __future__ import annotations

import re

from clusters.rules.rule import Noun, Rule, whole
from operations.choices import Severity

NAME = re.compile(r"(?=.{1,63}\Z)[a-zA-Z0-9](-*[a-zA-Z0-9])*\Z")
MOST_GROUPS, MOST_TAGS = 100, 50
_API = "SageMaker API model, CreateCluster"

ROWS: tuple[Rule, ...] = (
    Rule(
        "cluster_name",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: facts.name is not None and NAME.match(facts.name) is None),
        "HyperPod takes no cluster name like “{facts.name}”: 1 to 63 letters, digits and hyphens, no hyphen at either end.",
        "Choose another name.",
        "name",
        f"{_API}: ClusterName",
    ),
    Rule(
        "slurm_orchestrator",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: facts.orchestrator == "slurm"),
        "The cluster is to be orchestrated by Slurm; this control plane works with HyperPod on EKS only.",
        "Use the EKS orchestrator, or make the Slurm cluster with the AWS command line.",
        "orchestrator",
        "Scope of this control plane",
    ),
    Rule(
        "too_many_groups",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: (facts.group_count or 0) > MOST_GROUPS),
        "The cluster would have {facts.group_count} instance groups; HyperPod takes 100.",
        "Delete groups that are not used, or make a second cluster.",
        "groups",
        f"{_API}: InstanceGroups, 1 to 100",
    ),
    Rule(
        "too_many_restricted_groups",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: (facts.restricted_count or 0) > MOST_GROUPS),
        "The cluster would have {facts.restricted_count} restricted instance groups; HyperPod takes 100.",
        "Delete groups that are not used, or make a second cluster.",
        "groups",
        f"{_API}: RestrictedInstanceGroups, 1 to 100",
    ),
    Rule(
        "group_names_twice",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: bool(facts.twice)),
        "More than one instance group is called {facts.twice}.",
        "Give every group a name of its own.",
        "groups",
        "HyperPod finds a group by its name (UpdateCluster, BatchAddClusterNodes)",
    ),
    Rule(
        "too_many_tags",
        Noun.CLUSTER,
        Severity.ERROR,
        whole(lambda facts: (facts.tags or 0) > MOST_TAGS),
        "{facts.tags} tags are asked for, ours included; HyperPod takes 50.",
        "Leave some away.",
        "tags",
        f"{_API}: Tags, at most 50",
    ),
)
