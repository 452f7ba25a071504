"""How much of each quota is in use: counted here, since Service Quotas does not tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from clusters.catalog import quotas
from clusters.checks.facts import count_instances
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError

Key = tuple[str, str]
"""Service and name of a quota."""
COUNTED: dict[str, tuple[str, ...]] = {
    "sagemaker": (quotas.INSTANCES_PER_CLUSTER, quotas.INSTANCES_ALL_CLUSTERS, quotas.SPOT_ALL_CLUSTERS),
    "vpc": (quotas.VPCS, quotas.INTERNET_GATEWAYS, quotas.NAT_GATEWAYS),
    "ec2": (quotas.ADDRESSES,),
    "eks": (quotas.EKS_CLUSTERS,),
}
"""Quotas of no instance type, by service."""
_OF_TYPE = re.compile(
    r"^(?:(?P<kind>ml\.\S+) for cluster (?P<spot>spot instance )?usage"
    r"|Number of (?P<reserved>ml\.\S+) instances in reserved capacity across training plans per Region)$"
)


def relevant(service: str, name: str) -> bool:
    return name in COUNTED[service] or bool(service == "sagemaker" and _OF_TYPE.match(name))


def instance_type(name: str) -> str:
    """The type that a quota is about, "" for none."""
    found = _OF_TYPE.match(name)
    return (found["kind"] or found["reserved"]) if found else ""


class Used:
    """What is in use in the region; None for what could not be read."""

    def __init__(self, aws: Aws) -> None:
        self.aws = aws
        self._single: dict[Key, float] = {}
        self._of_type: dict[str, Counter[str]] | None = None
        self.troubles: list[CloudError] = []
        for count in (self._instances, self._reserved, self._vpcs, self._gateways, self._nat, self._addresses, self._eks):
            self._try(count)

    def of(self, service: str, name: str) -> float | None:
        found = _OF_TYPE.match(name) if service == "sagemaker" else None
        if found is None:
            return self._single.get((service, name))
        kind = "reserved" if found["reserved"] else "spot" if found["spot"] else "on_demand"
        counts = (self._of_type or {}).get(kind)
        return None if counts is None else float(counts[found["kind"] or found["reserved"]])

    def _try(self, count: Callable[[], None]) -> None:
        try:
            count()
        except CloudError as error:
            self.troubles.append(error)

    def _keep(self, kind: str, counts: dict[str, int]) -> None:
        self._of_type = {**(self._of_type or {}), kind: Counter(counts)}

    def _instances(self) -> None:
        on_demand: dict[str, int] = {}
        spot: dict[str, int] = {}
        largest = 0
        total = 0
        for item in list(self.aws.pages("sagemaker", "list_clusters", "ClusterSummaries")):
            try:
                cluster = self.aws.read("sagemaker", "describe_cluster", ClusterName=item["ClusterName"])
            except CloudError as error:
                if error.missing:
                    continue  # deleted meanwhile
                raise
            count = count_instances(cluster.get("InstanceGroups", []), on_demand, spot)
            largest, total = max(largest, count), total + count
        self._keep("on_demand", on_demand)
        self._keep("spot", spot)
        self._single["sagemaker", quotas.INSTANCES_PER_CLUSTER] = largest
        self._single["sagemaker", quotas.INSTANCES_ALL_CLUSTERS] = total
        self._single["sagemaker", quotas.SPOT_ALL_CLUSTERS] = sum(spot.values())

    def _reserved(self) -> None:
        counts: Counter[str] = Counter()
        for plan in self.aws.pages("sagemaker", "list_training_plans", "TrainingPlanSummaries"):
            if plan.get("Status") in ("Expired", "Failed"):
                continue
            for part in plan.get("ReservedCapacitySummaries", []):
                counts[part["InstanceType"]] += int(part.get("TotalInstanceCount", 0))
        self._keep("reserved", dict(counts))

    def _vpcs(self) -> None:
        self._single["vpc", quotas.VPCS] = sum(1 for _ in self.aws.pages("ec2", "describe_vpcs", "Vpcs"))

    def _gateways(self) -> None:
        self._single["vpc", quotas.INTERNET_GATEWAYS] = sum(
            1 for _ in self.aws.pages("ec2", "describe_internet_gateways", "InternetGateways")
        )

    def _nat(self) -> None:
        """Of the zone that has the most: the quota is one of a zone."""
        states = [{"Name": "state", "Values": ["pending", "available", "deleting"]}]
        subnets = [item["SubnetId"] for item in self.aws.pages("ec2", "describe_nat_gateways", "NatGateways", Filter=states)]
        zones: dict[str, str] = {}
        if subnets:
            zones = {item["SubnetId"]: item["AvailabilityZone"] for item in self.aws.pages("ec2", "describe_subnets", "Subnets")}
        by_zone = Counter(zones.get(subnet, "") for subnet in subnets)
        self._single["vpc", quotas.NAT_GATEWAYS] = max(by_zone.values(), default=0)

    def _addresses(self) -> None:
        self._single["ec2", quotas.ADDRESSES] = len(self.aws.read("ec2", "describe_addresses")["Addresses"])

    def _eks(self) -> None:
        self._single["eks", quotas.EKS_CLUSTERS] = sum(1 for _ in self.aws.pages("eks", "list_clusters", "clusters"))
