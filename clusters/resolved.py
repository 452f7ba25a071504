"""A cluster's specification with every default decided: what the plan shows, the template is made of and Cluster.spec keeps."""

from __future__ import annotations

from ipaddress import IPv4Network

from pydantic import BaseModel, ConfigDict, Field

from clusters.spec import Capacity, DeepHealthCheck


class Resolved(BaseModel):
    # Unknown fields are ignored, so that a row or a stack written by a newer release can still be read.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Zone(Resolved):
    """An availability zone. name: this account's name for it ("us-west-2a"), id: the same in all accounts ("usw2-az1")."""

    name: str
    id: str


class Subnet(Resolved):
    """cidr: IPv4 network. id: of an existing subnet, "" for one that the stack makes."""

    zone: Zone
    cidr: str
    id: str = ""

    @property
    def addresses(self) -> int:
        """Addresses that can be given out: AWS keeps five of every subnet for itself."""
        return IPv4Network(self.cidr).num_addresses - 5


class Network(Resolved):
    """vpc_id: of an existing VPC, "" for one that the stack makes.

    public: one subnet in each of two zones, for load balancers and the NAT gateway (none when the VPC exists).
    private: EKS's interfaces, two zones. compute: the nodes. service_cidr: Kubernetes' services.
    public_access_cidrs: who may reach the Kubernetes API from outside the VPC; empty: nobody, the public endpoint is off.
    """

    vpc_id: str = ""
    vpc_cidr: str
    service_cidr: str
    public: list[Subnet] = Field(default_factory=list)
    private: list[Subnet]
    compute: Subnet
    public_access_cidrs: list[str] = Field(default_factory=list)

    @property
    def existing(self) -> bool:
        return bool(self.vpc_id)

    @property
    def public_access(self) -> bool:
        return bool(self.public_access_cidrs)


class Group(Resolved):
    """One instance group. addresses_per_node: IPv4 addresses that one node takes, None when not known. deep_health_checks: its own,
    None for those of the cluster."""

    name: str
    instance_type: str
    count: int
    capacity: Capacity
    training_plan_arn: str = ""
    volume_gb: int
    threads_per_core: int
    addresses_per_node: int | None = None
    deep_health_checks: list[DeepHealthCheck] | None = None


class Storage(Resolved):
    """bucket: the one that is mounted. made: whether it is the cluster's own, made with it. claim: PersistentVolumeClaim."""

    bucket: str
    made: bool
    claim: str


class ResolvedSpec(Resolved):
    """group, groups: the first instance group and those besides it.

    eks_name, hyperpod_name: what AWS calls an imported cluster (see `eks`, `hyperpod`). Of an imported cluster the rest is what was
    read when it was imported: group has no name where it has no instance group, and `storage` is what a mount would get.

    bucket: the cluster's own, for lifecycle scripts (and the shared files when storage.made).

    zones: first where the nodes go; both carry EKS' subnets. addons: EKS add-on → version, as offered for the Kubernetes
    version when the plan was made; an add-on whose version could not be read is not in it.
    """

    name: str
    eks_name: str = ""
    hyperpod_name: str = ""
    imported: bool = False
    account: str
    region: str
    partition: str = "aws"
    kubernetes_version: str
    zones: list[Zone]
    network: Network
    group: Group
    groups: list[Group] = Field(default_factory=list)
    bucket: str
    storage: Storage
    deep_health_checks: list[DeepHealthCheck] = Field(default_factory=list)
    addons: dict[str, str] = Field(default_factory=dict)
    fsx: bool = False
    kuberay: bool = False
    deletion_protection: bool = False
    tags: dict[str, str] = Field(default_factory=dict)

    @property
    def all_groups(self) -> tuple[Group, ...]:
        return tuple(group for group in (self.group, *self.groups) if group.name)

    @property
    def eks(self) -> str:
        """What EKS calls the cluster."""
        return self.eks_name or self.name

    @property
    def hyperpod(self) -> str:
        """What HyperPod calls it; "" where an imported cluster has no HyperPod cluster."""
        return self.hyperpod_name or ("" if self.imported else self.name)

    def checks_of(self, group: Group) -> list[DeepHealthCheck]:
        """The deep health checks of one of its groups."""
        return self.deep_health_checks if group.deep_health_checks is None else group.deep_health_checks
