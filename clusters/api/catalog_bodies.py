"""Bodies of the catalogue's answers: each says for which region and when AWS was read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class Body(BaseModel):
    model_config = ConfigDict(frozen=True)


class Read(Body, Generic[T]):
    """region: what was asked, or the control plane's own. read_at: when AWS said it. age_seconds: how long ago that is."""

    region: str
    read_at: datetime
    age_seconds: float
    results: list[T]


class RegionBody(Body):
    name: str
    default: bool = Field(description="Whether it is the control plane's own.")


class ZoneBody(Body):
    name: str = Field(description="This account's name for the zone.")
    id: str = Field(description="The zone's id, the same in all accounts.")


class InstanceTypeBody(Body):
    name: str
    family: str
    vcpus: int
    memory_gib: float
    accelerator: str
    accelerators: int | None
    accelerator_gb: int | None
    efa: int = Field(description="EFA interfaces.")
    addresses: int = Field(description="IPv4 addresses that one node takes.")
    threads_per_core: int
    arm: bool
    price_per_hour: float | None = Field(description="US dollars, null when not known.")
    price_region: str
    price_date: str
    zones: list[str] = Field(description="Zones of the region that offer it.")


class KubernetesVersionBody(Body):
    version: str
    support: str = Field(description="standard, extended or unsupported.")
    default: bool = Field(description="EKS' own default.")
    preferred: bool = Field(description="What is chosen here when none is given.")
    standard_until: date | None
    extended_until: date | None
    hyperpod: str = Field(description="documented, older, newer or unlisted in HyperPod's documentation.")


class TrainingPlanBody(Body):
    arn: str
    name: str
    status: str
    instance_types: list[str]
    zones: list[str]
    zone_ids: list[str]
    total: int
    available: int
    in_use: int
    starts: datetime | None
    ends: datetime | None
    targets: list[str]


class QuotaBody(Body):
    service: str
    name: str
    code: str
    value: float
    adjustable: bool
    applied: bool = Field(description="False: AWS's default, since no value of this account's is told.")


class RegionList(Read[RegionBody]):
    pass


class ZoneList(Read[ZoneBody]):
    pass


class InstanceTypeList(Read[InstanceTypeBody]):
    pass


class KubernetesVersionList(Read[KubernetesVersionBody]):
    pass


class TrainingPlanList(Read[TrainingPlanBody]):
    pass


class QuotaList(Read[QuotaBody]):
    pass


def at(seconds: float) -> datetime:
    """Seconds since the epoch as a moment in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
