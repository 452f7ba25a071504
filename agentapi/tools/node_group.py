"""EKS node groups, for CPU work beside HyperPod: what there is, and making, scaling and deleting one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, Chosen, ClusterChange, ClusterListing, ClusterName, OnCluster, Segment, Text, given
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.tools.operation import DONE
from agentapi.words import ago, known, money, slim

ONE = {"cluster": "{cluster}", "node_group": "{node_group}"}
COUNTS = ("minimum", "desired", "maximum")
Nodes = Annotated[int | None, Field(ge=0, le=450)]


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A node group in one line."""
    return {
        "node_group": outside_all(found["name"]),
        "types": outside_all(found["instance_types"]),
        "capacity": found["capacity"],
        "minimum": found["minimum"],
        "desired": found["desired"],
        "maximum": found["maximum"],
        "ready": known(found["ready_count"]),
        "status": known(found["status"]),
        "ours": found["ours"],
        "price_each": money(found["price_per_hour"]),
        "seen": ago(found["observed_at"]),
    }


async def list_node_groups(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/node-groups/", asked, row, "node group", said=taken.said)


class GetNodeGroup(OnCluster, Chosen):
    """node_group: its name."""

    node_group: Segment


class NodeGroupOne(One):
    """One EKS node group. issues: in EKS's words."""

    node_group: str
    status: str
    minimum: int
    desired: int
    maximum: int
    issues: list[dict[str, Any]]
    nodes: list[dict[str, Any]]


async def get_node_group(call: Call, asked: GetNodeGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/node-groups/{asked.node_group}/"
    if asked.fields:
        found = await call.rest.get(path, {"fields": ",".join(asked.fields)})
        return Answer(f"{asked.node_group}.", {**taken.said, **outside_all(found)})
    found = await call.rest.get(path)
    issues = [{"code": one["code"], "text": outside(one["message"])} for one in found["issues"]]
    nodes = [
        slim({"node": outside(one["name"]), "zone": one["zone"], "ready": one["ready"], "work": outside_all(one["work"])})
        for one in found["nodes"] or ()
    ]
    data = {**taken.said, **slim({**row(found), "issues": issues, "labels": outside_all(found["labels"]), "nodes": nodes})}
    ready = "an unknown number of" if found["ready_count"] is None else found["ready_count"]
    return Answer(f"{asked.node_group} has {ready} of {found['desired']} nodes ready.", data)


class CreateNodeGroup(ClusterChange):
    """more: labels, taints, subnets, volume_gb, efa, capacity_reservation."""

    node_group: Segment
    instance_types: Annotated[list[Text] | None, Field(description="EC2's, as m5.xlarge")] = None
    minimum: Nodes = None
    desired: Nodes = None
    maximum: Nodes = None
    capacity: Annotated[Text | None, Field(description="on-demand, spot or capacity-block")] = None
    more: dict[str, Any] | None = None


async def create_node_group(call: Call, asked: CreateNodeGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    body = {**(asked.more or {}), **given(asked, "node_group", "instance_types", "capacity", *COUNTS)}
    values = {"cluster": taken.name, "node_group": asked.node_group}
    return await change(call, asked, "POST", f"clusters/{taken.name}/node-groups/", body=body, values=values, said=taken.said)


class ScaleNodeGroup(ClusterChange):
    """disrupt: although something runs on those that go."""

    node_group: Segment
    minimum: Nodes = None
    desired: Nodes = None
    maximum: Nodes = None
    disrupt: bool = False


async def scale_node_group(call: Call, asked: ScaleNodeGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    body = given(asked, "disrupt", *COUNTS)
    values = {"cluster": taken.name, "node_group": asked.node_group}
    path = f"clusters/{taken.name}/node-groups/{asked.node_group}/"
    return await change(call, asked, "PATCH", path, body=body, values=values, said=taken.said)


class DeleteNodeGroup(Changing):
    """Both named in full. disrupt: although something runs on its nodes."""

    cluster: ClusterName
    node_group: Segment
    disrupt: bool = False


async def delete_node_group(call: Call, asked: DeleteNodeGroup) -> Answer:
    body = {"confirm": asked.node_group, **given(asked, "disrupt")}
    values = {"cluster": asked.cluster, "node_group": asked.node_group}
    path = f"clusters/{asked.cluster}/node-groups/{asked.node_group}/"
    return await change(call, asked, "DELETE", path, body=body, values=values, said={"cluster": asked.cluster})


TOOLS = (
    Tool(
        "node_group_list",
        "List EKS node groups",
        "EKS node groups (CPU work beside HyperPod). where: status, capacity.",
        "groups",
        ClusterListing,
        Page,
        list_node_groups,
    ),
    Tool(
        "node_group_get",
        "Look at an EKS node group",
        "One EKS node group: counts, health, nodes.",
        "groups",
        GetNodeGroup,
        NodeGroupOne,
        get_node_group,
    ),
    Tool(
        "node_group_create",
        "Create an EKS node group",
        "Create EC2 nodes for CPU work. Costs: plan first.",
        "groups",
        CreateNodeGroup,
        Change,
        create_node_group,
        Verify("node_group_get", ONE, "status is ACTIVE"),
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "node_group_scale",
        "Scale an EKS node group",
        "Set its counts; what is left out stays. Down, nodes go with their disks: a person approves.",
        "groups",
        ScaleNodeGroup,
        Change,
        scale_node_group,
        DONE,
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "node_group_delete",
        "Delete an EKS node group",
        "Delete one and its nodes. A person approves.",
        "groups",
        DeleteNodeGroup,
        Change,
        delete_node_group,
        Verify("node_group_get", ONE, "error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
