"""What the checks look at: every read of AWS starts at once in a few threads, and is made once for all checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from clusters import names, tags
from clusters.catalog import addons, reading
from clusters.catalog.reading import Quota, TrainingPlan
from clusters.catalog.versions import KubernetesVersion
from clusters.resolved import ResolvedSpec, Zone
from clusters.spec import Capacity, ClusterInput
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity
from instantstart.cloud.public_address import own_public_address

T = TypeVar("T")
_THREADS = 12
_MOST_CLUSTERS = 50
ROLLED_BACK = ("ROLLBACK_COMPLETE",)
"""Statuses of a stack that has no resources any more."""


@dataclass(frozen=True)
class Usage:
    """Instances that HyperPod clusters of the region have or want. clusters_left_out: clusters too many to read. of_cluster: those of
    the cluster in question."""

    on_demand: Mapping[str, int]
    spot: Mapping[str, int]
    clusters_left_out: int
    of_cluster: int = 0

    @property
    def total(self) -> int:
        return sum(self.on_demand.values()) + sum(self.spot.values())


class Facts:
    """Reads of one plan. Every property waits for its read and raises the CloudError it ended with. Use as a context manager."""

    def __init__(self, aws: Aws, spec: ClusterInput) -> None:
        self.aws = aws
        self.spec = spec
        self._pool = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="plan")
        self._reads: dict[str, Future[Any]] = {}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def start(self) -> None:
        """Begins what needs no other read. A read that waits for another is begun after it, so the threads can't all wait."""
        for name in ("identity", "stack", "vpcs", "zones", "offerings", "versions", "eks", "hyperpod"):
            getattr(self, f"_begin_{name}")()
        for service in ("sagemaker", "vpc", "ec2", "eks"):
            self._begin(f"quotas:{service}", lambda service=service: reading.quotas(self.aws, service).value)  # type: ignore[misc]
        if self.spec.network.existing is None:
            self._begin("addresses", lambda: self.aws.read("ec2", "describe_addresses")["Addresses"])
            self._begin("internet_gateways", lambda: list(self.aws.pages("ec2", "describe_internet_gateways", "InternetGateways")))
            self._begin("nat_gateways", self._read_nat_gateways)
        else:
            self._begin("network", self._read_network)
        for kind in {group.instance_type for group in self.spec.groups} - {self.spec.group.instance_type}:
            self._begin(f"offerings:{kind}", lambda kind=kind: reading.offerings(self.aws, kind).value)  # type: ignore[misc]
        if any(group.capacity is Capacity.TRAINING_PLAN for group in self.spec.all_groups):
            self._begin("training_plans", lambda: reading.training_plans(self.aws).value)
        self._begin("eks_clusters", lambda: list(self.aws.pages("eks", "list_clusters", "clusters")))
        self._begin("log_group", self._read_log_group)
        self._begin("public_address", own_public_address)
        self._begin("usage", self._read_usage)
        self._begin("template", self._read_template)
        self._begin("roles", self._read_roles)
        self._begin("bucket", self._read_bucket)
        if self.spec.storage.bucket:
            self._begin("shared_bucket", lambda: self._head(self.spec.storage.bucket))

    def begin_addons(self, kubernetes_version: str) -> None:
        """Begins reading which versions the add-ons have for that Kubernetes version."""
        for addon in addons.wanted(fsx=self.spec.fsx):
            self._begin(f"addon:{addon}", lambda addon=addon: reading.addon_versions(self.aws, addon, kubernetes_version).value)  # type: ignore[misc]

    def begin(self, name: str, read: Callable[[], Any]) -> None:
        """Begins a read of a check's own, to be had by `wait`."""
        self._begin(name, read)

    def wait(self, name: str) -> Any:
        """The outcome of a read. CloudError."""
        return self._reads[name].result()

    def unreadable(self, name: str) -> CloudError | None:
        """Why a read failed, None when it did not."""
        try:
            self.wait(name)
        except CloudError as error:
            return error
        return None

    # --- what was read ---

    @property
    def identity(self) -> Identity:
        return cast(Identity, self.wait("identity"))

    @property
    def zones(self) -> list[Zone]:
        return cast("list[Zone]", self.wait("zones"))

    @property
    def offerings(self) -> frozenset[str]:
        """Zones that offer the first group's instance type."""
        return cast("frozenset[str]", self.wait("offerings"))

    def offered(self, instance_type: str) -> frozenset[str]:
        """Zones that offer the type of one of the groups."""
        first = instance_type == self.spec.group.instance_type
        return self.offerings if first else cast("frozenset[str]", self.wait(f"offerings:{instance_type}"))

    @property
    def versions(self) -> list[KubernetesVersion]:
        return cast("list[KubernetesVersion]", self.wait("versions"))

    @property
    def vpcs(self) -> list[dict[str, Any]]:
        return cast("list[dict[str, Any]]", self.wait("vpcs"))

    @property
    def eks(self) -> dict[str, Any] | None:
        """The EKS cluster of this name."""
        return cast("dict[str, Any] | None", self.wait("eks"))

    @property
    def hyperpod(self) -> dict[str, Any] | None:
        """The HyperPod cluster of this name."""
        return cast("dict[str, Any] | None", self.wait("hyperpod"))

    @property
    def stack(self) -> dict[str, Any] | None:
        """The control plane's stack of this name."""
        return cast("dict[str, Any] | None", self.wait("stack"))

    @property
    def stack_is_ours(self) -> bool:
        """Whether that stack carries our tag with this cluster's name."""
        found = self.stack
        return found is not None and tags.as_dict(found.get("Tags")).get(tags.CLUSTER) == self.spec.name

    @property
    def previous(self) -> ResolvedSpec | None:
        """The specification that a half-made attempt's stack was made of, None when there is none that can be read."""
        return cast("ResolvedSpec | None", self.wait("template"))

    @property
    def usage(self) -> Usage:
        return cast(Usage, self.wait("usage"))

    @property
    def training_plans(self) -> list[TrainingPlan]:
        return cast("list[TrainingPlan]", self.wait("training_plans"))

    def quotas(self, service: str) -> dict[str, Quota]:
        return cast("dict[str, Quota]", self.wait(f"quotas:{service}"))

    # --- reads ---

    def _begin(self, name: str, read: Callable[[], T]) -> None:
        if name not in self._reads:
            self._reads[name] = self._pool.submit(read)

    def _begin_identity(self) -> None:
        self._begin("identity", self.aws.identity)

    def _begin_zones(self) -> None:
        self._begin("zones", lambda: reading.zones(self.aws).value)

    def _begin_offerings(self) -> None:
        self._begin("offerings", lambda: reading.offerings(self.aws, self.spec.group.instance_type).value)

    def _begin_versions(self) -> None:
        self._begin("versions", lambda: reading.kubernetes_versions(self.aws).value)

    def _begin_vpcs(self) -> None:
        self._begin("vpcs", lambda: list(self.aws.pages("ec2", "describe_vpcs", "Vpcs")))

    def _begin_eks(self) -> None:
        self._begin("eks", lambda: self._or_none(lambda: self.aws.read("eks", "describe_cluster", name=self.spec.name)["cluster"]))

    def _begin_hyperpod(self) -> None:
        self._begin("hyperpod", lambda: self._or_none(lambda: self.aws.read("sagemaker", "describe_cluster", ClusterName=self.spec.name)))

    def _begin_stack(self) -> None:
        stack_name = names.stack(self.spec.name)
        self._begin(
            "stack", lambda: self._or_none(lambda: self.aws.read("cloudformation", "describe_stacks", StackName=stack_name)["Stacks"][0])
        )

    @staticmethod
    def _or_none(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except CloudError as error:
            if error.missing:
                return None
            raise

    def _read_nat_gateways(self) -> list[dict[str, Any]]:
        states = ["pending", "available", "deleting"]
        found = list(self.aws.pages("ec2", "describe_nat_gateways", "NatGateways", Filter=[{"Name": "state", "Values": states}]))
        subnets = (
            {item["SubnetId"]: item["AvailabilityZone"] for item in self.aws.pages("ec2", "describe_subnets", "Subnets")} if found else {}
        )
        return [{**gateway, "AvailabilityZone": subnets.get(gateway.get("SubnetId", ""), "")} for gateway in found]

    def _read_network(self) -> dict[str, Any]:
        """The existing network: vpc (None when missing), subnets by id, route tables, endpoints, DNS attributes."""
        existing = self.spec.network.existing
        if existing is None:
            return {}
        in_vpc = [{"Name": "vpc-id", "Values": [existing.vpc_id]}]
        read: dict[str, Callable[[], Any]] = {
            "vpcs": lambda: self._or_none(lambda: self.aws.read("ec2", "describe_vpcs", VpcIds=[existing.vpc_id])["Vpcs"]) or [],
            "subnets": lambda: list(self.aws.pages("ec2", "describe_subnets", "Subnets", Filters=in_vpc)),
            "route_tables": lambda: list(self.aws.pages("ec2", "describe_route_tables", "RouteTables", Filters=in_vpc)),
            "endpoints": lambda: list(self.aws.pages("ec2", "describe_vpc_endpoints", "VpcEndpoints", Filters=in_vpc)),
        }
        with ThreadPoolExecutor(max_workers=len(read)) as pool:
            futures = {name: pool.submit(function) for name, function in read.items()}
            found = {name: future.result() for name, future in futures.items()}
        if found["vpcs"]:
            for attribute, member in (("enableDnsSupport", "EnableDnsSupport"), ("enableDnsHostnames", "EnableDnsHostnames")):
                said = self.aws.read("ec2", "describe_vpc_attribute", VpcId=existing.vpc_id, Attribute=attribute)
                found[attribute] = bool(said.get(member, {}).get("Value"))
        return {**found, "vpc": next(iter(found["vpcs"]), None), "subnets": {item["SubnetId"]: item for item in found["subnets"]}}

    def _read_log_group(self) -> dict[str, Any] | None:
        name = names.eks_log_group(self.spec.name)
        found = self.aws.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=name)
        return next((group for group in found if group["logGroupName"] == name), None)

    def _read_usage(self) -> Usage:
        listed = [item["ClusterName"] for item in self.aws.pages("sagemaker", "list_clusters", "ClusterSummaries")]
        others = [name for name in listed if name != self.spec.name]
        on_demand: dict[str, int] = {}
        spot: dict[str, int] = {}
        with ThreadPoolExecutor(max_workers=6) as pool:
            read = pool.map(
                lambda name: self._or_none(lambda: self.aws.read("sagemaker", "describe_cluster", ClusterName=name)),
                others[:_MOST_CLUSTERS],
            )
            for cluster in read:
                count_instances((cluster or {}).get("InstanceGroups", []), on_demand, spot)
        return Usage(on_demand, spot, max(0, len(others) - _MOST_CLUSTERS))

    def _read_template(self) -> ResolvedSpec | None:
        if not self.stack_is_ours:
            return None
        from clusters.template.metadata import specification_in

        said = self._or_none(lambda: self.aws.read("cloudformation", "get_template", StackName=names.stack(self.spec.name)))
        return specification_in(said["TemplateBody"]) if said is not None else None

    def _read_roles(self) -> list[str]:
        """Names of roles of this cluster that are there without its stack, or with one that was rolled back."""
        if self.stack is not None and self.stack.get("StackStatus") not in ROLLED_BACK:
            return []
        wanted = [names.eks_role(self.spec.name), names.execution_role(self.spec.name), names.s3_csi_role(self.spec.name)]
        if self.spec.fsx:
            wanted.append(names.fsx_csi_role(self.spec.name))
        with ThreadPoolExecutor(max_workers=len(wanted)) as pool:
            found = pool.map(lambda name: self._or_none(lambda: self.aws.read("iam", "get_role", RoleName=name)), wanted)
            return [name for name, role in zip(wanted, found, strict=True) if role is not None]

    def _read_bucket(self) -> dict[str, Any]:
        return self._head(names.bucket(self.spec.name, self.identity.account, self.aws.region))

    def _head(self, bucket: str) -> dict[str, Any]:
        """name, status (200; 404: no such bucket; 403: somebody else's, or not allowed; 301: of another region), region."""
        try:
            said = self.aws.read("s3", "head_bucket", Bucket=bucket)
            return {"name": bucket, "status": 200, "region": said.get("BucketRegion", "")}
        except CloudError as error:
            if error.status in (301, 403, 404):
                return {"name": bucket, "status": error.status, "region": ""}
            raise


def count_instances(groups: Iterable[Mapping[str, Any]], on_demand: dict[str, int], spot: dict[str, int]) -> int:
    """Adds what the groups have or want to the counts by type; how many they are in all."""
    total = 0
    for group in groups:
        wanted = max(int(group.get("TargetCount", 0)), int(group.get("CurrentCount", 0)))
        total += wanted
        if group.get("TrainingPlanArn"):
            continue  # reserved capacity has a quota of its own
        counted = spot if "Spot" in (group.get("CapacityRequirements") or {}) else on_demand
        kind = str(group.get("InstanceType", ""))
        counted[kind] = counted.get(kind, 0) + wanted
    return total
