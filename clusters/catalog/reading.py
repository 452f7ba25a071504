"""What AWS offers in a region: zones, instance types by zone, Kubernetes versions, training plans, quotas. All reads, all kept briefly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from clusters.catalog.kept import Kept, kept
from clusters.catalog.versions import KubernetesVersion, described
from clusters.resolved import Zone
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.regions import offered_regions

T = TypeVar("T")
SECONDS = 300.0
"""How long the catalogue is kept."""


@dataclass(frozen=True)
class Quota:
    """One service quota. service: Service Quotas' code ("sagemaker", "vpc", "ec2", "eks"). applied: False for AWS's default value."""

    service: str
    name: str
    code: str
    value: float
    adjustable: bool
    applied: bool = True


@dataclass(frozen=True)
class TrainingPlan:
    """One training plan. zones: names of its reserved capacity's zones; zone_ids likewise. starts, ends: None when AWS gives none."""

    arn: str
    name: str
    status: str
    instance_types: tuple[str, ...]
    zones: tuple[str, ...]
    zone_ids: tuple[str, ...]
    total: int
    available: int
    in_use: int
    starts: datetime | None
    ends: datetime | None
    targets: tuple[str, ...]


def _kept(aws: Aws, what: str, load: Callable[[], T], *, seconds: float = SECONDS) -> Kept[T]:
    return kept((aws.surroundings.key, aws.region, what), seconds, load)


def regions(aws: Aws) -> Kept[list[str]]:
    """Regions that the account has switched on and where both EKS and SageMaker have an endpoint, sorted. CloudError."""

    def load() -> list[str]:
        switched_on = {item["RegionName"] for item in aws.read("ec2", "describe_regions")["Regions"]}
        return sorted(switched_on & offered_regions("sagemaker") & offered_regions("eks"))

    return _kept(aws, "regions", load)


def zones(aws: Aws) -> Kept[list[Zone]]:
    """The region's availability zones that are available, by name. CloudError."""

    def load() -> list[Zone]:
        said = aws.read("ec2", "describe_availability_zones")["AvailabilityZones"]
        usable = [item for item in said if item.get("State", "available") == "available"]
        usable = [item for item in usable if item.get("ZoneType", "availability-zone") == "availability-zone"]
        return sorted((Zone(name=item["ZoneName"], id=item["ZoneId"]) for item in usable), key=lambda zone: zone.name)

    return _kept(aws, "zones", load)


def offerings(aws: Aws, instance_type: str) -> Kept[frozenset[str]]:
    """Names of the zones where EC2 offers the type ("ml.g5.8xlarge"); none when the region doesn't have it. CloudError."""
    ec2_name = instance_type.removeprefix("ml.")

    def load() -> frozenset[str]:
        found = aws.pages(
            "ec2",
            "describe_instance_type_offerings",
            "InstanceTypeOfferings",
            LocationType="availability-zone",
            Filters=[{"Name": "instance-type", "Values": [ec2_name]}],
        )
        return frozenset(item["Location"] for item in found)

    return _kept(aws, f"offerings:{ec2_name}", load)


def all_offerings(aws: Aws) -> Kept[dict[str, list[str]]]:
    """EC2 name → names of the zones that offer it, for the whole region. CloudError."""

    def load() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for item in aws.pages("ec2", "describe_instance_type_offerings", "InstanceTypeOfferings", LocationType="availability-zone"):
            found.setdefault(item["InstanceType"], []).append(item["Location"])
        return {name: sorted(places) for name, places in found.items()}

    return _kept(aws, "offerings", load)


def kubernetes_versions(aws: Aws) -> Kept[list[KubernetesVersion]]:
    """What EKS offers, newest first, beside HyperPod's documented list. CloudError."""

    def load() -> list[KubernetesVersion]:
        return described(list(aws.pages("eks", "describe_cluster_versions", "clusterVersions")))

    return _kept(aws, "kubernetes-versions", load)


def addon_versions(aws: Aws, addon: str, kubernetes_version: str) -> Kept[list[str]]:
    """Versions of an EKS add-on for that Kubernetes version, EKS' default first, then as EKS lists them; empty when none. CloudError."""

    def load() -> list[str]:
        try:
            found = list(aws.pages("eks", "describe_addon_versions", "addons", addonName=addon, kubernetesVersion=kubernetes_version))
        except CloudError as error:
            if error.missing or error.code == "InvalidParameterException":
                return []  # EKS answers so for a name that it does not know for this version
            raise
        rows = [row for item in found if item.get("addonName") == addon for row in item.get("addonVersions", [])]
        fits = [row for row in rows if any(entry.get("clusterVersion") == kubernetes_version for entry in row.get("compatibilities", []))]
        fits.sort(key=lambda row: not _is_default(row, kubernetes_version))
        return [str(row["addonVersion"]) for row in fits]

    return _kept(aws, f"addon:{addon}:{kubernetes_version}", load)


def _is_default(row: dict[str, Any], kubernetes_version: str) -> bool:
    return any(
        entry.get("clusterVersion") == kubernetes_version and entry.get("defaultVersion") for entry in row.get("compatibilities", [])
    )


def training_plans(aws: Aws) -> Kept[list[TrainingPlan]]:
    """The account's training plans in the region, by name. CloudError."""
    return _kept(aws, "training-plans", lambda: training_plans_now(aws), seconds=30.0)


def training_plans_now(aws: Aws) -> list[TrainingPlan]:
    """The same, as they are at this moment."""
    plans = [_training_plan(item) for item in aws.pages("sagemaker", "list_training_plans", "TrainingPlanSummaries")]
    return sorted(plans, key=lambda plan: plan.name)


def _training_plan(item: dict[str, Any]) -> TrainingPlan:
    reserved = item.get("ReservedCapacitySummaries", [])
    return TrainingPlan(
        arn=item["TrainingPlanArn"],
        name=item.get("TrainingPlanName", ""),
        status=item.get("Status", ""),
        instance_types=tuple(sorted({part["InstanceType"] for part in reserved})),
        zones=tuple(sorted({part["AvailabilityZone"] for part in reserved if part.get("AvailabilityZone")})),
        zone_ids=tuple(sorted({part["AvailabilityZoneId"] for part in reserved if part.get("AvailabilityZoneId")})),
        total=int(item.get("TotalInstanceCount", 0)),
        available=int(item.get("AvailableInstanceCount", 0)),
        in_use=int(item.get("InUseInstanceCount", 0)),
        starts=item.get("StartTime"),
        ends=item.get("EndTime"),
        targets=tuple(item.get("TargetResources", [])),
    )


def quotas(aws: Aws, service: str) -> Kept[dict[str, Quota]]:
    """Name → quota of one service, applied values before AWS's defaults. CloudError."""
    return _kept(aws, f"quotas:{service}", lambda: quotas_now(aws, service))


def quotas_now(aws: Aws, service: str) -> dict[str, Quota]:
    """The same, as it is at this moment.

    By name, never by code: lists of codes disagree with one another (reference/aws.md §8).
    """
    found: dict[str, Quota] = {}
    for operation, applied in (("list_aws_default_service_quotas", False), ("list_service_quotas", True)):
        for item in aws.pages("service-quotas", operation, "Quotas", ServiceCode=service):
            name = str(item["QuotaName"])
            found[name] = Quota(service, name, str(item.get("QuotaCode", "")), float(item["Value"]), bool(item.get("Adjustable")), applied)
    return found
