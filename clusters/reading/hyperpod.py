"""HyperPod clusters, groups, nodes and events, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from clusters.spec import Capacity
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError

KUBERNETES_NAME_PREFIX = "hyperpod-"
GROUP_RESOURCE, NODE_RESOURCE = "HyperPod instance group", "HyperPod instance"
"""What plans and lists of resources call them."""
EVENTS_PER_LOOK = 100


def kubernetes_name(instance_id: str) -> str:
    """What Kubernetes calls the node; "" while there is no instance."""
    return f"{KUBERNETES_NAME_PREFIX}{instance_id}" if instance_id else ""


@dataclass(frozen=True)
class GroupReading:
    name: str
    instance_type: str
    capacity: Capacity
    status: str
    current_count: int
    target_count: int
    min_count: int | None
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class HyperPodReading:
    name: str
    arn: str
    status: str
    failure: str
    groups: tuple[GroupReading, ...]
    created_at: datetime | None
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def cluster_id(self) -> str:
        """The last part of the ARN, which names the log group."""
        return self.arn.rsplit("/", 1)[-1]

    @property
    def continuous(self) -> bool:
        """Whether single nodes can be added and deleted, and come one by one."""
        return self.raw.get("NodeProvisioningMode") == "Continuous"

    def group(self, name: str) -> GroupReading | None:
        return next((group for group in self.groups if group.name == name), None)

    @property
    def outline(self) -> list[Any]:
        """What moves when instances come, go or fail: JSON, to be compared with another's."""
        return [self.arn, self.status, [[one.name, one.status, one.current_count, one.target_count] for one in self.groups]]

    @property
    def target_count(self) -> int:
        return sum(group.target_count for group in self.groups)


@dataclass(frozen=True)
class InstanceReading:
    """One node in HyperPod's list; `instance_id` is "" while it has none, then `logical_id` names it."""

    instance_id: str
    logical_id: str
    group_name: str
    instance_type: str
    status: str
    message: str
    private_dns: str
    launched_at: datetime | None
    image_release: str = ""

    @property
    def key(self) -> str:
        return self.instance_id or self.logical_id

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "launched_at": self.launched_at.isoformat() if self.launched_at else None}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> InstanceReading:
        at = kept["launched_at"]
        return cls(**{**kept, "launched_at": datetime.fromisoformat(at) if at else None})

    @property
    def kubernetes_name(self) -> str:
        return kubernetes_name(self.instance_id)


@dataclass(frozen=True)
class EventReading:
    event_id: str
    at: datetime
    level: str
    resource_type: str
    group_name: str
    instance_id: str
    description: str


def _capacity(group: Mapping[str, Any]) -> Capacity:
    if group.get("TrainingPlanArn"):
        return Capacity.TRAINING_PLAN
    return Capacity.SPOT if "Spot" in (group.get("CapacityRequirements") or {}) else Capacity.ON_DEMAND


def _instance_type(group: Mapping[str, Any]) -> str:
    if group.get("InstanceType"):
        return str(group["InstanceType"])
    return ", ".join((group.get("InstanceRequirements") or {}).get("CurrentInstanceTypes") or ())


def read_hyperpod(aws: Aws, name: str) -> HyperPodReading | None:
    """The HyperPod cluster, None when AWS says that there is none. CloudError when it can't be read."""
    try:
        cluster = aws.read("sagemaker", "describe_cluster", ClusterName=name)
    except CloudError as error:
        if error.missing:
            return None
        raise
    return hyperpod_of(cluster)


def hyperpod_of(cluster: Mapping[str, Any]) -> HyperPodReading:
    """What DescribeCluster answered, in our words."""
    return HyperPodReading(
        name=cluster["ClusterName"],
        arn=cluster["ClusterArn"],
        status=cluster["ClusterStatus"],
        failure=cluster.get("FailureMessage", ""),
        groups=tuple(
            GroupReading(
                name=group["InstanceGroupName"],
                instance_type=_instance_type(group),
                capacity=_capacity(group),
                status=group.get("Status", ""),
                current_count=group.get("CurrentCount", 0),
                target_count=group.get("TargetCount", 0),
                min_count=group.get("MinCount"),
                raw=group,
            )
            for group in cluster.get("InstanceGroups", [])
        ),
        created_at=cluster.get("CreationTime"),
        raw=cluster,
    )


def read_instances(aws: Aws, name: str) -> list[InstanceReading]:
    """Every node, those without an instance id included; [] when there is no cluster."""
    try:
        found = list(aws.pages("sagemaker", "list_cluster_nodes", "ClusterNodeSummaries", ClusterName=name, IncludeNodeLogicalIds=True))
    except CloudError as error:
        if error.missing:
            return []
        raise
    return [
        InstanceReading(
            instance_id=item.get("InstanceId") or "",
            logical_id=item.get("NodeLogicalId") or "",
            group_name=item["InstanceGroupName"],
            instance_type=item.get("InstanceType", ""),
            status=item["InstanceStatus"]["Status"],
            message=item["InstanceStatus"].get("Message") or "",
            private_dns=item.get("PrivateDnsHostname") or "",
            launched_at=item.get("LaunchTime"),
            image_release=item.get("CurrentImageReleaseVersion") or "",
        )
        for item in found
    ]


def read_events(aws: Aws, name: str, after: datetime | None = None) -> list[EventReading]:
    """The newest events, newest first, at most EVENTS_PER_LOOK; [] when there is no cluster."""
    since = {"EventTimeAfter": after} if after else {}
    try:
        found = aws.read(
            "sagemaker",
            "list_cluster_events",
            ClusterName=name,
            SortBy="EventTime",
            SortOrder="Descending",
            MaxResults=EVENTS_PER_LOOK,
            **since,
        )
    except CloudError as error:
        if error.missing:
            return []
        raise
    return [
        EventReading(
            event_id=item["EventId"],
            at=item["EventTime"],
            level=item.get("EventLevel", "Info"),
            resource_type=item["ResourceType"],
            group_name=item.get("InstanceGroupName") or "",
            instance_id=item.get("InstanceId") or "",
            description=item.get("Description") or "",
        )
        for item in found.get("Events", [])
    ]
