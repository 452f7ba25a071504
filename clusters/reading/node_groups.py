"""EKS node groups and the launch templates they are made with, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusters import tags
from clusters.reading.eks import Issue
from clusters.reading.plain import plain
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError

NODE_GROUP_RESOURCE, TEMPLATE_RESOURCE = "AWS::EKS::Nodegroup", "AWS::EC2::LaunchTemplate"
LABEL = "eks.amazonaws.com/nodegroup"
"""On every node of a node group."""
CAPACITIES = {"ON_DEMAND": "on-demand", "SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}
SETTLED = ("ACTIVE", "DEGRADED", "CREATE_FAILED", "DELETE_FAILED")


@dataclass(frozen=True)
class NodeGroupReading:
    """raw: as DescribeNodegroup tells it, as JSON."""

    raw: Mapping[str, Any] = field(repr=False)

    @property
    def name(self) -> str:
        return str(self.raw["nodegroupName"])

    @property
    def arn(self) -> str:
        return str(self.raw["nodegroupArn"])

    @property
    def status(self) -> str:
        return str(self.raw.get("status", ""))

    @property
    def settled(self) -> bool:
        """Whether nothing is under way."""
        return self.status in SETTLED

    @property
    def capacity(self) -> str:
        """As people choose it here: on-demand, spot, capacity-block."""
        return CAPACITIES.get(str(self.raw.get("capacityType", "ON_DEMAND")), "on-demand")

    @property
    def instance_types(self) -> list[str]:
        """[] where its launch template names the type."""
        return list(self.raw.get("instanceTypes") or ())

    @property
    def counts(self) -> dict[str, int]:
        """minimum, maximum, desired."""
        said = self.raw.get("scalingConfig") or {}
        return {"minimum": said.get("minSize", 0), "maximum": said.get("maxSize", 0), "desired": said.get("desiredSize", 0)}

    @property
    def issues(self) -> tuple[Issue, ...]:
        return tuple(Issue(one.get("code", ""), one.get("message", "")) for one in (self.raw.get("health") or {}).get("issues") or ())

    @property
    def tags(self) -> Mapping[str, str]:
        return self.raw.get("tags") or {}

    @property
    def operation(self) -> str:
        """Id of the operation of ours that made it, "" when it was another hand."""
        return str(self.tags.get(tags.OPERATION, ""))

    @property
    def template(self) -> str:
        """Id of its launch template, "" for none."""
        return str((self.raw.get("launchTemplate") or {}).get("id", ""))


@dataclass(frozen=True)
class TemplateReading:
    template_id: str
    name: str
    tags: Mapping[str, str]


def read_node_group(aws: Aws, cluster: str, name: str) -> NodeGroupReading | None:
    """None when EKS knows no such group, or no such cluster. CloudError when it can't be read."""
    try:
        return NodeGroupReading(plain(aws.read("eks", "describe_nodegroup", clusterName=cluster, nodegroupName=name)["nodegroup"]))
    except CloudError as error:
        if error.missing:
            return None
        raise


def read_node_groups(aws: Aws, cluster: str) -> list[NodeGroupReading]:
    """All of the cluster; [] when there is no such cluster. CloudError when they can't be read."""
    try:
        names = list(aws.pages("eks", "list_nodegroups", "nodegroups", clusterName=cluster))
    except CloudError as error:
        if error.missing:
            return []
        raise
    readings = (read_node_group(aws, cluster, name) for name in names)
    return [one for one in readings if one is not None]


def read_templates(aws: Aws, filter_name: str, value: str) -> list[TemplateReading]:
    """Launch templates by one of EC2's filters: by filter, so that none is no error."""
    found = aws.pages("ec2", "describe_launch_templates", "LaunchTemplates", Filters=[{"Name": filter_name, "Values": [value]}])
    return [TemplateReading(one["LaunchTemplateId"], one["LaunchTemplateName"], tags.as_dict(one.get("Tags"))) for one in found]
