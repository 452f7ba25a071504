"""Node autoscaling: HyperPod's managed Karpenter adds nodes of chosen groups for pods that wait, and takes idle ones away.

A chain: the role that HyperPod scales under, its policy, AutoScaling of the cluster, a HyperpodNodeClass that names the groups, a
NodePool that says which nodes and how they go. Removed backwards, the nodes first. Nodes outside HyperPod groups (EC2, by a Karpenter
of one's own) are not its business.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clusters import names, rules
from clusters.features.entry import Chosen, Feature, FeatureSeen
from clusters.features.node_autoscaling import access
from clusters.features.node_autoscaling.checks import checks, group_facts
from clusters.features.node_autoscaling.objects import NodeClassPart, NodePoolPart, claimed_nodes, foreign
from clusters.features.node_autoscaling.scaling import AutoScalingPart, cluster_role
from clusters.features.node_autoscaling.settings import DEFAULTS, NodeAutoscalingSettings
from clusters.features.part import Part
from clusters.features.role import RolePart, role_arn
from clusters.groups.autoscaling import TITLE
from clusters.reading.kubernetes import GROUP_LABEL
from clusters.reading.pods import titles, work_on
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.sentences import listing
from operations.choices import Severity
from operations.plan import Check

OTHER_ROLE = "cluster_role"
"""Of the settings as read, not to be chosen: ARN of the role that another hand turned autoscaling on with. It can't change while
autoscaling is on, and is not ours to remove."""
_OF_POOL = {
    "limits": "limits",
    "requirements": "requirements",
    "consolidation_policy": "consolidationPolicy",
    "consolidate_after": "consolidateAfter",
    "budgets": "budgets",
    "expire_after": "expireAfter",
}


class NodeAutoscaling(Feature):
    name = "node_autoscaling"
    title = TITLE
    summary = (
        "HyperPod's Karpenter adds nodes of chosen instance groups for pods that wait, from zero, and takes idle ones away, to zero. "
        "Instances outside HyperPod groups (EC2) are out of its scope."
    )
    source = "HyperPod"
    Settings = NodeAutoscalingSettings
    needs_hyperpod = True

    def defaults(self, spec: ResolvedSpec) -> dict[str, Any]:
        return copy.deepcopy(dict(DEFAULTS))

    def current(self, reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
        found = self.defaults(spec)
        node_class, pool = NodeClassPart([]).read(reader), NodePoolPart(found).read(reader)
        found["groups"] = list(node_class.fields.get("instanceGroups", ()))
        found |= {name: pool.fields[field] for name, field in _OF_POOL.items() if pool.fields.get(field) is not None}
        role = cluster_role(reader)
        return found | {OTHER_ROLE: role} if role and role != role_arn(spec, names.role(spec.name, access.PURPOSE)) else found

    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        other = settings.get(OTHER_ROLE)
        role = RolePart(spec, access.PURPOSE, access.trust, f"Node autoscaling of {spec.name}")
        identity: list[Part] = [] if other else [role, access.ScalingPolicyPart(spec, role)]
        return [
            *identity,
            AutoScalingPart(spec.hyperpod, other or role_arn(spec, role.name)),
            NodeClassPart(list(settings["groups"])),
            NodePoolPart(settings),
        ]

    def groups(self, settings: Chosen) -> list[str]:
        return list(settings["groups"])

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        yield from checks(reader, settings, seen)

    def removal_checks(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> Iterator[Check]:
        """Turning it off takes the kinds themselves away, and with them what others made of them."""
        if others := foreign(reader):
            yield Check(
                code="others_scale_too",
                severity=Severity.ERROR,
                title=self.title,
                detail=f"{listing(others)}, which another hand made, would go with it.",
                fix="Delete these first, if they are no longer needed.",
            )

    def rule_facts(self, facts: rules.Facts, settings: Chosen, reader: ClusterReader) -> rules.Facts:
        hyperpod, groups = reader.hyperpod, list(settings["groups"])
        recovery = hyperpod.raw.get("NodeRecovery") if hyperpod is not None else None
        return replace(
            facts,
            autoscaling=True,
            automatic_recovery=recovery == "Automatic" if recovery else None,
            cluster_role=True,
            node_class_groups=len(groups),
            groups=(*facts.groups, *group_facts(reader, groups)),
        )

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        """What runs on the nodes that it made: they go with it. Those of its groups are its own, also before a claim tells them."""
        groups = set(seen.settings["groups"])
        grown = [node.name for node in reader.nodes if node.labels.get(GROUP_LABEL) in groups]
        return titles(work_on(reader.pods, sorted({*claimed_nodes(reader), *grown})))


FEATURE = NodeAutoscaling()
