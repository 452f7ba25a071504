"""What a person asks for when a cluster is created: the typed input of `cluster.create`, shared by all doors and all phases."""

from __future__ import annotations

from enum import StrEnum
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from clusters.bucket_name import BucketNameOrNone
from clusters.region import RegionOrDefault

NAME_RULE = "3 to 40 lower-case letters, digits and single hyphens, a letter first."
GROUP_NAME_RULE = "1 to 63 letters, digits and hyphens, no hyphen first or last."
Name = Annotated[str, StringConstraints(pattern=r"^[a-z](-?[a-z0-9])+$", min_length=3, max_length=40), Field(description=NAME_RULE)]
"""Lower case, so that it is valid for EKS, HyperPod (1-63, no trailing hyphen), S3 bucket and IAM role names made from it."""
Tag = Annotated[str, StringConstraints(max_length=256, pattern=r"^[\w .:/=+@-]*$")]


def _not_reserved(key: str) -> str:
    if key.lower().startswith("aws:"):
        raise ValueError("tag keys that start with aws: are reserved by AWS; choose another")
    return key


TagKey = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=r"^[\w .:/=+@-]+$"), AfterValidator(_not_reserved)]


LONGEST_TEXT = 2048  # characters; AWS's longest ARNs


class Input(BaseModel):
    """What a person sends. No string in it has a null character: neither the database nor AWS takes one. None is longer than any
    name, ARN or sentence that is meant, unless its field says so."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_max_length=LONGEST_TEXT)

    @field_validator("*")
    @classmethod
    def _no_null_character(cls, value: Any) -> Any:
        if _has_null(value):
            raise PydanticCustomError("null_character", "this has a null character; leave it out")
        return value


def _has_null(value: Any) -> bool:
    """Of plain values: inputs within have looked at their own fields."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_null(key) or _has_null(inner) for key, inner in value.items())
    return isinstance(value, list | tuple) and any(_has_null(inner) for inner in value)


class Capacity(StrEnum):
    ON_DEMAND = "on-demand"
    SPOT = "spot"
    TRAINING_PLAN = "training-plan"


class DeepHealthCheck(StrEnum):
    INSTANCE_STRESS = "InstanceStress"
    INSTANCE_CONNECTIVITY = "InstanceConnectivity"
    MULTI_NODE_TRAINING_VALIDATION = "MultiNodeTrainingValidation"


class GroupInput(Input):
    """One instance group."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$"), Field(description=GROUP_NAME_RULE)] = "workers"
    instance_type: str = "ml.g5.8xlarge"
    count: Annotated[int, Field(ge=0, le=6758)] = 1
    capacity: Capacity = Capacity.ON_DEMAND
    training_plan_arn: str = ""
    volume_gb: Annotated[int, Field(ge=1, le=16384)] = 500
    threads_per_core: Literal[1, 2] | None = None
    """None: the default of the instance type (2 for the accelerated families that are billed with it, else 1)."""
    deep_health_checks: list[DeepHealthCheck] | None = None
    """None: those of the cluster."""

    @model_validator(mode="after")
    def _plan_goes_with_its_capacity(self) -> Self:
        if (self.capacity is Capacity.TRAINING_PLAN) != bool(self.training_plan_arn):
            raise ValueError("a training plan ARN goes with capacity training-plan, and only with it")
        return self


class ExistingNetwork(Input):
    """A VPC that is there already: `private_subnet_ids` for EKS (two AZs), `compute_subnet_id` for the nodes."""

    vpc_id: str
    private_subnet_ids: Annotated[list[str], Field(min_length=2, max_length=16)]
    compute_subnet_id: str


NOT_FOR_HOSTS = tuple(IPv4Network(cidr) for cidr in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4"))
"""This network, loopback, link-local, multicast, reserved (RFC 6890)."""


class NetworkInput(Input):
    vpc_cidr: str | None = None
    """None: the first of 10.90.0.0/16 … 10.190.0.0/16 that overlaps no VPC of the region."""
    existing: ExistingNetwork | None = None
    public_access_cidrs: list[str] = Field(default_factory=list)
    """Who may reach the Kubernetes API from outside the VPC. Empty: the control plane's own public address when it can be
    told, shown in the plan; never 0.0.0.0/0 unless it is given here."""

    @field_validator("vpc_cidr")
    @classmethod
    def _cidr_is_a_network(cls, value: str | None) -> str | None:
        if value is None:
            return None
        network = IPv4Network(value)  # ValueError: host bits set, or no network
        if not 16 <= network.prefixlen <= 18:
            raise ValueError("a VPC CIDR is a /16 to a /18 here: nodes with EFA take dozens of addresses each and get a /20 of their own")
        if any(network.overlaps(taken) for taken in NOT_FOR_HOSTS):
            raise ValueError("no host can have addresses of this range: choose a private one, such as 10.90.0.0/16")
        return str(network)

    @field_validator("public_access_cidrs")
    @classmethod
    def _cidrs_are_networks(cls, value: list[str]) -> list[str]:
        return [str(IPv4Network(cidr)) for cidr in value]

    @model_validator(mode="after")
    def _one_network(self) -> Self:
        if self.vpc_cidr and self.existing:
            raise ValueError("give a VPC CIDR for a new VPC or an existing VPC, not both")
        return self


class StorageInput(Input):
    bucket: BucketNameOrNone = ""
    """Existing bucket to share; empty: one is made for the cluster."""
    claim: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")] = "shared"


class ClusterInput(Input):
    """Everything has a default but the name."""

    name: Name
    account: Annotated[str, StringConstraints(max_length=40)] = ""
    """Name of an AWS account that was added (/api/v1/accounts/). Empty: that of the installation's own credentials."""
    region: RegionOrDefault = ""
    """Empty: the region of the control plane's settings."""
    kubernetes_version: str = ""
    """Empty: the newest that EKS offers in standard support and HyperPod documents."""
    availability_zones: Annotated[list[str], Field(max_length=2)] = Field(default_factory=list)
    """AZ names. First: where the nodes go; both carry EKS' subnets. Empty: chosen among those that offer the instance type."""
    network: NetworkInput = Field(default_factory=NetworkInput)
    group: GroupInput = Field(default_factory=GroupInput)
    groups: Annotated[list[GroupInput], Field(max_length=99)] = Field(default_factory=list)
    """Groups besides the first, created with it in the same subnet."""
    deep_health_checks: list[DeepHealthCheck] = Field(default_factory=list)
    storage: StorageInput = Field(default_factory=StorageInput)
    fsx: bool = False
    kuberay: bool = False
    deletion_protection: bool = False
    tags: Annotated[dict[TagKey, Tag], Field(max_length=40)] = Field(default_factory=dict)

    @property
    def all_groups(self) -> tuple[GroupInput, ...]:
        return self.group, *self.groups


def group_path(index: int) -> str:
    """Where the input has the group of that index among all: "group" for the first, then "groups.0" …"""
    return "group" if index == 0 else f"groups.{index - 1}"
