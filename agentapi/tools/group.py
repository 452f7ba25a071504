"""Instance groups: what there is, and adding, scaling, changing and deleting one."""

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

GroupName = ClusterName
REACHED = Verify("group_get", {"cluster": "{cluster}", "group": "{group}"}, "current_count is {count} and status is InService")
SETTINGS = ("volume_gb", "threads_per_core", "deep_health_checks", "minimum", "labels", "taints")


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A group in one line."""
    return {
        "group": found["name"],
        "type": found["instance_type"],
        "capacity": found["capacity"],
        "current_count": found["current_count"],
        "target_count": found["target_count"],
        "missing": found["missing"] or "",
        "status": known(found["status"]),
        "price_each": money(found["price_per_hour"]),
        "seen": ago(found["observed_at"]),
    }


async def list_groups(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/groups/", asked, row, "group", said=taken.said)


class GetGroup(OnCluster, Chosen):
    """group: its name."""

    group: GroupName


class GroupOne(One):
    """One group. reasons: why nodes are missing, newest first. settings: as HyperPod has them."""

    group: str
    type: str
    capacity: str
    current_count: int
    target_count: int
    status: str
    seen: str
    reasons: list[dict[str, Any]]
    settings: dict[str, Any]


async def get_group(call: Call, asked: GetGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/groups/{asked.group}/"
    if asked.fields:
        found = await call.rest.get(path, {"fields": ",".join(asked.fields)})
        return Answer(f"{asked.group}.", {**taken.said, **outside_all(found)})
    found = await call.rest.get(path)
    reasons = [
        slim({"at": ago(one["at"]), "code": one["code"], "text": outside(one["description"]), "fix": one["hint"]})
        for one in found["reasons"]
    ]
    data = {**taken.said, **slim({**row(found), "missing": found["missing"], "reasons": reasons, "settings": outside_all(found["facts"])})}
    return Answer(f"{asked.group} has {found['current_count']} of {found['target_count']} nodes.", data)


class AddGroup(ClusterChange):
    """A new group. more: further members of the group, such as volume_gb, labels, taints."""

    group: GroupName
    instance_type: Text
    count: Annotated[int, Field(ge=0, le=6758)]
    capacity: Annotated[Text | None, Field(description="on-demand, spot or training-plan")] = None
    training_plan_arn: Text | None = None
    availability_zone: Text | None = None
    subnet: Annotated[Text | None, Field(description="shared, dedicated or subnet-…")] = None
    volume_gb: int | None = None
    more: dict[str, Any] | None = None


async def add_group(call: Call, asked: AddGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    fields = given(asked, "instance_type", "count", "capacity", "training_plan_arn", "availability_zone", "subnet", "volume_gb")
    body = {"groups": [{**(asked.more or {}), "name": asked.group, **fields}]}
    values = {"cluster": taken.name, "group": asked.group, "count": asked.count}
    return await change(call, asked, "POST", f"clusters/{taken.name}/groups/", body=body, values=values, said=taken.said)


class ScaleGroup(ClusterChange):
    """count: how many nodes it is to have. disrupt: although something runs on those that go."""

    group: GroupName
    count: Annotated[int, Field(ge=0, le=6758)]
    disrupt: bool = False


async def scale_group(call: Call, asked: ScaleGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    body = given(asked, "count", "disrupt")
    values = {"cluster": taken.name, "group": asked.group, "count": asked.count}
    return await change(call, asked, "PATCH", f"clusters/{taken.name}/groups/{asked.group}/", body=body, values=values, said=taken.said)


class UpdateGroup(ClusterChange):
    """Only what is given changes."""

    group: GroupName
    volume_gb: int | None = None
    threads_per_core: int | None = None
    deep_health_checks: list[Text] | None = None
    minimum: int | None = None
    labels: dict[str, str] | None = None
    taints: list[dict[str, str]] | None = None


async def update_group(call: Call, asked: UpdateGroup) -> Answer:
    taken = await call.cluster(asked.cluster)
    values = {"cluster": taken.name, "group": asked.group}
    path = f"clusters/{taken.name}/groups/{asked.group}/"
    # An empty settings change must not be taken for a scaling without a count.
    body = given(asked, *SETTINGS) or {"labels": None}
    return await change(call, asked, "PATCH", path, body=body, values=values, said=taken.said)


class ReplaceGroup(Changing):
    """What is to be different of the group that takes its place."""

    cluster: ClusterName
    group: GroupName
    new_name: GroupName
    instance_type: Text | None = None
    count: Annotated[int | None, Field(ge=0, le=6758)] = None
    capacity: Annotated[Text | None, Field(description="on-demand, spot or training-plan")] = None
    training_plan_arn: Text | None = None
    availability_zone: Text | None = None
    subnet: Annotated[Text | None, Field(description="shared, dedicated or subnet-…")] = None
    disrupt: bool = False


async def replace_group(call: Call, asked: ReplaceGroup) -> Answer:
    fields = ("new_name", "instance_type", "count", "capacity", "training_plan_arn", "availability_zone", "subnet", "disrupt")
    body = {"confirm": asked.group, **given(asked, *fields)}
    values = {"cluster": asked.cluster, "group": asked.new_name}
    path = f"clusters/{asked.cluster}/groups/{asked.group}/replacement/"
    return await change(call, asked, "POST", path, body=body, values=values, said={"cluster": asked.cluster})


class DeleteGroup(Changing):
    """Both named in full. disrupt: although something runs on its nodes."""

    cluster: ClusterName
    group: GroupName
    disrupt: bool = False


async def delete_group(call: Call, asked: DeleteGroup) -> Answer:
    body = {"confirm": asked.group, **given(asked, "disrupt")}
    values = {"cluster": asked.cluster, "group": asked.group}
    path = f"clusters/{asked.cluster}/groups/{asked.group}/"
    return await change(call, asked, "DELETE", path, body=body, values=values, said={"cluster": asked.cluster})


class UpdateSoftware(ClusterChange):
    """groups: left out, all. release: left out, the newest. batch_percent of a group at a time, wait_seconds between."""

    groups: list[Segment] | None = None
    release: Text | None = None
    image_id: Text | None = None
    batch_percent: int | None = None
    wait_seconds: int | None = None
    alarms: list[Text] | None = None
    disrupt: bool = False


async def update_software(call: Call, asked: UpdateSoftware) -> Answer:
    taken = await call.cluster(asked.cluster)
    body = given(asked, "groups", "release", "image_id", "batch_percent", "wait_seconds", "alarms", "disrupt")
    path = f"clusters/{taken.name}/software-updates/"
    return await change(call, asked, "POST", path, body=body, values={"cluster": taken.name}, said=taken.said)


TOOLS = (
    Tool(
        "group_list",
        "List instance groups",
        "Instance groups of a cluster. where: instance_type, capacity, status.",
        "groups",
        ClusterListing,
        Page,
        list_groups,
    ),
    Tool(
        "group_get",
        "Look at an instance group",
        "One group: counts, status, why nodes are missing, settings.",
        "groups",
        GetGroup,
        GroupOne,
        get_group,
    ),
    Tool(
        "group_add",
        "Add an instance group",
        "Add a group to a cluster that is there. Costs: plan first; check quota_fit.",
        "groups",
        AddGroup,
        Change,
        add_group,
        REACHED,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "group_scale",
        "Scale an instance group",
        "Set its number of nodes. Down, nodes go with their disks: a person approves.",
        "groups",
        ScaleGroup,
        Change,
        scale_group,
        REACHED,
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "group_update",
        "Change an instance group",
        "Change settings of a group; type, capacity, subnet stay as they were made.",
        "groups",
        UpdateGroup,
        Change,
        update_group,
        Verify("group_get", {"cluster": "{cluster}", "group": "{group}"}, "status is InService"),
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "group_replace",
        "Replace an instance group",
        "For what can't be changed (type, capacity, zone): add a group like it, then drain and delete it. A person approves.",
        "groups",
        ReplaceGroup,
        Change,
        replace_group,
        Verify("group_get", {"cluster": "{cluster}", "group": "{group}"}, "status is InService"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "group_delete",
        "Delete an instance group",
        "Delete a group and its nodes. A person approves.",
        "groups",
        DeleteGroup,
        Change,
        delete_group,
        Verify("group_get", {"cluster": "{cluster}", "group": "{group}"}, "error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "cluster_update_software",
        "Update software",
        "Update the software (AMI) of all groups or some; nodes restart in batches.",
        "groups",
        UpdateSoftware,
        Change,
        update_software,
        DONE,
        idempotent=True,
        open_world=True,
    ),
)
