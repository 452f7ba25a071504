"""What the rules look at: the state that a plan would bring about. None: not known, which no rule judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clusters.catalog import instance_types
from clusters.catalog.instance_types import InstanceType
from clusters.resolved import Group
from clusters.spec import Capacity, DeepHealthCheck, GroupInput


@dataclass(frozen=True)
class GroupFacts:
    """One instance group.

    instance_types: one, or several of a flexible group, in their order. minimum: MinInstanceCount, None when not set. zones:
    names or ids of the zones of its subnets, empty when not known. restricted: a restricted group (Amazon Nova). autoscaled: a
    HyperpodNodeClass names it. new: it does not exist yet. volumes, labels, taints: how many. lifecycle: S3 address of its
    scripts, "" for none. data_volumes, root_volumes: EBS volumes that are not the root one, and that are it. root_volume: an EBS
    entry with RootVolume is given; root_volume_size, root_volume_key: and what with.
    path: where the group is in the caller's input ("group", "groups.0"); fields: names of fields that are elsewhere there.
    """

    name: str = "workers"
    instance_types: tuple[str, ...] = ("ml.g5.8xlarge",)
    count: int = 1
    capacity: Capacity = Capacity.ON_DEMAND
    training_plan_arn: str = ""
    minimum: int | None = None
    deep_health_checks: tuple[DeepHealthCheck, ...] = ()
    threads_per_core: int | None = None
    volume_gb: int | None = None
    volumes: int | None = None
    data_volumes: int | None = None
    root_volumes: int = 0
    root_volume: bool = False
    root_volume_size: bool = False
    root_volume_key: bool = True
    zones: frozenset[str] = frozenset()
    subnets: int | None = None
    security_groups: int | None = None
    restricted: bool = False
    autoscaled: bool = False
    new: bool = True
    lifecycle: str = ""
    image_id: str = ""
    labels: int = 0
    taints: int = 0
    path: str = "group"
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def types(self) -> str:
        """Its instance types in words."""
        return " or ".join(self.instance_types) or "no instance type"

    @property
    def known(self) -> tuple[InstanceType, ...]:
        """The facts of those types that the catalogue knows."""
        found = (instance_types.find(name) for name in self.instance_types)
        return tuple(kind for kind in found if kind is not None)

    @property
    def where(self) -> str:
        """Its zones in words."""
        return ", ".join(sorted(self.zones))

    def address(self, name: str) -> str:
        """Dotted path of one of its fields in the caller's input."""
        return self.fields.get(name, f"{self.path}.{name}" if self.path else name)


@dataclass(frozen=True)
class JobFacts:
    """A training job, running or asked for. replicas, smallest, largest, step, sizes: of its elastic policy."""

    name: str = "job"
    elastic: bool = False
    checkpointless: bool = False
    tiered: bool = False
    replicas: int | None = None
    smallest: int | None = None
    largest: int | None = None
    step: int | None = None
    sizes: tuple[int, ...] = ()
    spec_largest: int | None = None
    """maxReplicas of its replica specs, together."""
    operator_version: tuple[int, int] | None = None
    """Of the training operator, None when not known."""


@dataclass(frozen=True)
class EndpointFacts:
    """An inference endpoint, running or asked for. cache_in_tiers: its second cache of keys and values is in tiered storage."""

    name: str = "endpoint"
    cache_in_tiers: bool = False


@dataclass(frozen=True)
class NodeGroupFacts:
    """One EKS node group after the change. capacity: on-demand, spot or capacity-block. efa_interfaces: of its types, None when not known.
    zones: names of the zones of its subnets, empty when not known."""

    instance_types: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 1
    desired: int = 0
    capacity: str = "on-demand"
    capacity_reservation: str = ""
    efa: bool = False
    efa_interfaces: int | None = None
    zones: frozenset[str] = frozenset()

    @property
    def types(self) -> str:
        """Its instance types in words."""
        return " or ".join(self.instance_types)


@dataclass(frozen=True)
class Facts:
    """The cluster's own fields, the groups in question, and the jobs that the change meets.

    orchestrator: "eks" or "slurm". continuous: NodeProvisioningMode is Continuous. automatic_recovery: NodeRecovery is
    Automatic. cluster_role: one is given. tiered_storage: TieredStorageConfig is Enable. tiered_percent: of the instances' memory
    (InstanceMemoryAllocationPercentage). group_count, restricted_count: all that the cluster has after the change.
    node_class_groups: how many groups one HyperpodNodeClass names. tags: how many.
    """

    name: str | None = None
    orchestrator: str | None = None
    continuous: bool | None = None
    automatic_recovery: bool | None = None
    autoscaling: bool = False
    cluster_role: bool | None = None
    tiered_checkpointing: bool = False
    tiered_percent: int | None = None
    tiered_storage: bool | None = None
    groups: tuple[GroupFacts, ...] = ()
    group_count: int | None = None
    restricted_count: int | None = None
    node_class_groups: int | None = None
    tags: int | None = None
    jobs: tuple[JobFacts, ...] = ()
    endpoints: tuple[EndpointFacts, ...] = ()
    node_groups: tuple[NodeGroupFacts, ...] = ()

    @property
    def twice(self) -> str:
        """The names that more than one group carries, in words."""
        names = [group.name for group in self.groups]
        return ", ".join(sorted({name for name in names if names.count(name) > 1}))


def group_facts(
    group: GroupInput | Group,
    *,
    path: str = "group",
    checks: Iterable[DeepHealthCheck] = (),
    zones: Iterable[str] = (),
    fields: Mapping[str, str] | None = None,
) -> GroupFacts:
    """Of a group that is asked for. checks, zones: its deep health checks, and the zones of its subnets."""
    return GroupFacts(
        name=group.name,
        instance_types=(group.instance_type,),
        count=group.count,
        capacity=group.capacity,
        training_plan_arn=group.training_plan_arn,
        deep_health_checks=tuple(checks),
        threads_per_core=group.threads_per_core,
        volume_gb=group.volume_gb,
        zones=frozenset(zones),
        path=path,
        fields=fields or {},
    )
