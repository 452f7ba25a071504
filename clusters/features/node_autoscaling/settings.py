"""What can be chosen of node autoscaling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from clusters.features.entry import FeatureSettings
from clusters.groups.labels import LabelKey
from clusters.groups.spec import GroupName
from clusters.spec import Input

INSTANCE_TYPE, ZONE, ARCHITECTURE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "kubernetes.io/arch"
Quantity = Annotated[
    str,
    BeforeValidator(lambda value: str(value) if isinstance(value, int) and not isinstance(value, bool) else value),
    StringConstraints(pattern=r"^[0-9]+(\.[0-9]+)?(m|k|[KMGTPE]i|[MGTPE])?$"),
]
Wait = Annotated[str, StringConstraints(pattern=r"^(([0-9]+(s|m|h))+|Never)$")]
DEFAULTS: Mapping[str, Any] = {
    "groups": [],
    "limits": {},
    "requirements": [{"key": INSTANCE_TYPE, "operator": "Exists"}],
    "consolidation_policy": "WhenEmpty",
    "consolidate_after": "2m",
    "budgets": [{"nodes": "10%"}],
    "expire_after": "Never",
}
"""Training bears no moves: only empty nodes go, after a while in which the next pod may come (AWS advises up to two minutes)."""


class Requirement(Input):
    """A label of the nodes, and the values that may be. HyperPod's Karpenter honours these three keys; the architecture is amd64."""

    key: Literal["node.kubernetes.io/instance-type", "topology.kubernetes.io/zone", "kubernetes.io/arch"]
    operator: Literal["In", "NotIn", "Exists"]
    values: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _values_go_with_their_operator(self) -> Self:
        if (self.operator == "Exists") == bool(self.values):
            raise ValueError("In and NotIn take values, Exists takes none")
        return self


class Budget(Input):
    """How many nodes may go at once: a number, or a share of all. reasons: none for all. schedule, duration: when it holds, as cron."""

    nodes: Annotated[str, StringConstraints(pattern=r"^((100|[0-9]{1,2})%|[0-9]+)$")]
    reasons: list[Literal["Empty", "Drifted", "Underutilized"]] = Field(default_factory=list)
    schedule: str | None = None
    duration: Annotated[str, StringConstraints(pattern=r"^([0-9]+(h|m)|[0-9]+h[0-9]+m)$")] | None = None

    @model_validator(mode="after")
    def _schedule_goes_with_its_duration(self) -> Self:
        if (self.schedule is None) != (self.duration is None):
            raise ValueError("schedule and duration go together")
        return self


class NodeAutoscalingSettings(FeatureSettings):
    groups: Annotated[list[GroupName], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="Instance groups that grow and shrink by themselves; at most ten."
    )
    limits: Annotated[dict[LabelKey, Quantity], Field(max_length=20)] | None = Field(
        default=None, description='Most of each resource that its nodes may have together, as {"nvidia.com/gpu": 64}; {} for no limit.'
    )
    requirements: Annotated[list[Requirement], Field(min_length=1, max_length=30)] | None = Field(
        default=None, description="Which nodes of the groups may be made, by instance type and zone."
    )
    consolidation_policy: Literal["WhenEmpty", "WhenEmptyOrUnderutilized"] | None = Field(
        default=None, description="Whether only empty nodes go, or also those whose pods fit elsewhere, which moves these pods."
    )
    consolidate_after: Wait | None = Field(default=None, description="How long a node is left alone before it goes: 30s, 5m, Never.")
    budgets: Annotated[list[Budget], Field(max_length=50)] | None = Field(default=None, description="How many nodes may go at once.")
    expire_after: Wait | None = Field(default=None, description="Age at which a node is replaced, with all that runs there; Never.")


def plain(items: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Requirements or budgets without members that say nothing."""
    return [{name: value for name, value in item.items() if value not in (None, [])} for item in items]
