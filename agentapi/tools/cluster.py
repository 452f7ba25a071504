"""Clusters: what there is, one in detail, making one, deleting one."""

from __future__ import annotations

from itertools import count
from typing import Annotated, Any

from pydantic import Field

from agentapi.call import Call
from agentapi.change import change
from agentapi.errors import ToolError
from agentapi.inputs import Changing, Chosen, ClusterChange, ClusterListing, ClusterName, Listing, OnCluster, Text, ToolInput, given
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.words import UNKNOWN, ago, money, slim, span

STEM = "hyperpod"
READY = Verify("cluster_get", {"cluster": "{cluster}"}, "state is ready")


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A cluster in one line."""
    groups = [f"{one['current_count']}/{one['target_count']} {one['instance_type']}" for one in found.get("groups", ())]
    return {
        "name": found["name"],
        "state": found["state"],
        "region": found["region"],
        "nodes_ready": f"{found['ready_node_count']}/{found['node_count']}",
        "groups": groups[:4],
        "cost": money(found["cost_per_hour"]),
        "seen": seen(found),
        "doing": found.get("operation_kind") if found.get("operation_state") in ("recorded", "running", "cancelling") else "",
    }


def seen(found: dict[str, Any]) -> str:
    """The age of a reading, and whether it is stale."""
    return f"{ago(found.get('observed_at'))}{', stale' if found.get('stale') else ''}"


async def list_clusters(call: Call, asked: Listing) -> Answer:
    preferred = call.me.get("preferred_cluster")
    return await page(call, "clusters/", asked, row, "cluster", said={"preferred": preferred} if preferred else {})


class ClusterPage(Page):
    """preferred: the one meant where a call names none."""

    preferred: str


class GetCluster(OnCluster, Chosen):
    """One cluster."""


class ClusterOne(One):
    """One cluster. Of a phase that is not ready: what is wrong, and what it waits for."""

    state: str
    message: str
    region: str
    kubernetes_version: str
    seen: str
    cost: str
    nodes_ready: str
    protected: bool
    phases: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    operation: dict[str, Any]
    unreadable: str


async def get_cluster(call: Call, asked: GetCluster) -> Answer:
    taken = await call.cluster(asked.cluster)
    if asked.fields:
        found = await call.rest.get(f"clusters/{taken.name}/", {"fields": ",".join(asked.fields)})
        return Answer(f"{taken.name}.", {**taken.said, **outside_all(found)})
    found = await call.rest.get(f"clusters/{taken.name}/")
    ended = found["operation_state"] not in ("awaiting_approval", "recorded", "running", "cancelling")
    operation = {"id": str(found["operation_id"]), "kind": found["operation_kind"], "state": found["operation_state"]}
    data = {
        **taken.said,
        "state": found["state"],
        "message": outside_sentence(found["message"]),
        "region": found["region"],
        "kubernetes_version": found["kubernetes_version"],
        "seen": seen(found),
        "cost": money(found["cost_per_hour"]),
        "nodes_ready": f"{found['ready_node_count']}/{found['node_count']}",
        "protected": found["deletion_protection"],
        "phases": [phase(one) for one in found["phases"]],
        "groups": [group(one) for one in found["groups"]],
        "operation": operation if found["operation_id"] and not ended else {},
        "unreadable": outside(found["unreadable"]),
    }
    return Answer(f"{taken.name} is {found['state']}, seen {data['seen']}.", slim(data))


def phase(found: dict[str, Any]) -> dict[str, Any]:
    """A phase; when it is not ready, with its trouble and the usual duration."""
    if found["state"] == "ready":
        return {"name": found["name"], "state": "ready"}
    faults = [f"{one['code']}: {outside(one['message'], 160)} {one['hint']}".strip() for one in found["faults"][:3]]
    typical = span(found["typical_seconds"])
    return slim(
        {
            "name": found["name"],
            "state": found["state"],
            "message": outside_sentence(found["message"]),
            "faults": faults,
            "typical": typical,
        }
    )


def group(found: dict[str, Any]) -> dict[str, Any]:
    """An instance group in one line."""
    return {
        "name": found["name"],
        "type": found["instance_type"],
        "capacity": found["capacity"],
        "count": f"{found['current_count']}/{found['target_count']}",
        "status": found["status"] or UNKNOWN,
    }


def outside_sentence(text: Any) -> str:
    """A message that may repeat what AWS said."""
    return outside(text, 200)


class CreateCluster(Changing):
    """A new cluster, or a half-made one of that name gone on with."""

    name: Annotated[ClusterName | None, Field(description="Left out of a dry run: a free one is taken")] = None
    instance_type: Annotated[Text | None, Field(description="ml.…; see catalog_instance_types")] = None
    count: Annotated[int | None, Field(ge=0, le=6758)] = None
    capacity: Annotated[Text | None, Field(description="on-demand, spot or training-plan")] = None
    training_plan_arn: Text | None = None
    zone: Annotated[Text | None, Field(description="Availability Zone of the nodes; left out: chosen")] = None
    region: Text | None = None
    account: Text | None = None
    vpc_cidr: Text | None = None
    more: Annotated[dict[str, Any] | None, Field(description="Other members of POST /clusters/")] = None


async def free_name(call: Call) -> str:
    """hyperpod-1, or the next that no cluster here has; the plan looks whether AWS has it."""
    found = await call.rest.get("clusters/", {"name_contains": STEM, "fields": "name", "limit": 200})
    taken = {one["name"] for one in found["results"]}
    return next(name for name in (f"{STEM}-{number}" for number in count(1)) if name not in taken)


async def create_cluster(call: Call, asked: CreateCluster) -> Answer:
    if asked.name is None and not asked.dry_run:
        raise ToolError("name_missing", "What is made needs its name.", "Give the name that the plan took.")
    name = asked.name or await free_name(call)
    body: dict[str, Any] = {"name": name, **(asked.more or {}), **given(asked, "region", "account")}
    group = given(asked, "instance_type", "count", "capacity", "training_plan_arn")
    if group:
        body["group"] = {**dict(body.get("group") or {}), **group}
    if asked.zone:
        body["availability_zones"] = [asked.zone]
    if asked.vpc_cidr:
        body["network"] = {**dict(body.get("network") or {}), "vpc_cidr": asked.vpc_cidr}
    return await change(call, asked, "POST", "clusters/", body=body, values={"cluster": name}, said={"cluster": name})


class DeleteCluster(Changing):
    """Named in full: no preference stands in."""

    cluster: ClusterName
    empty_bucket: Annotated[bool, Field(description="Delete people's files in its bucket too")] = False


async def delete_cluster(call: Call, asked: DeleteCluster) -> Answer:
    body = {"confirm": asked.cluster, "empty_bucket": asked.empty_bucket}
    said = {"cluster": asked.cluster}
    return await change(call, asked, "DELETE", f"clusters/{asked.cluster}/", body=body, values=said, said=said)


async def prefer_cluster(call: Call, asked: ClusterChange) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await change(call, asked, "POST", f"clusters/{taken.name}/prefer/", values={"cluster": taken.name}, said=taken.said)


class ProtectCluster(ClusterChange):
    """enabled: it can't be deleted."""

    enabled: bool


async def protect_cluster(call: Call, asked: ProtectCluster) -> Answer:
    taken = await call.cluster(asked.cluster)
    body, values = {"enabled": asked.enabled}, {"cluster": taken.name, "enabled": str(asked.enabled).lower()}
    return await change(call, asked, "PUT", f"clusters/{taken.name}/protection/", body=body, values=values, said=taken.said)


def dependency(found: dict[str, Any]) -> dict[str, Any]:
    """A dependency in one line."""
    return {
        "name": found["name"],
        "kind": found["kind"],
        "state": found["state"],
        "version": found["version"],
        "pods_ready": f"{found['ready_pods']}/{found['pods']}",
        "message": outside(found["message"], 120),
        "faults": [f"{one['code']}: {outside(one['message'], 120)} {one['hint']}".strip() for one in found["faults"][:2]],
        "seen": ago(found["observed_at"]),
    }


async def list_dependencies(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/dependencies/", asked, dependency, "dependency", said=taken.said)


def event(found: dict[str, Any]) -> dict[str, Any]:
    """One of HyperPod's events in one line."""
    return {
        "at": ago(found["at"]),
        "level": found["level"],
        "group": found["group_name"],
        "node": found["instance_id"],
        "text": outside(found["description"], 160),
        "code": found["code"],
        "fix": found["hint"],
    }


async def list_events(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/events/", asked, event, "event", said=taken.said)


class Cost(ToolInput):
    """Left out: all clusters."""

    cluster: ClusterName | None = None
    owner: Text | None = None


class CostOne(One):
    """total: of all that is shown. unknown: what has no known price."""

    total: str
    known: str
    unknown: list[str]
    clusters: list[dict[str, Any]]
    owners: list[dict[str, Any]]


async def cost(call: Call, asked: Cost) -> Answer:
    found = await call.rest.get("cost/", {"cluster": asked.cluster, "owner": asked.owner})
    clusters = [
        slim(
            {
                "cluster": one["name"],
                "total": money(one["total"]["per_hour"]),
                "parts": [f"{part['name']} {part['what']}: {money(part['per_hour'])}" for part in one["parts"][:6]]
                if asked.cluster
                else [],
                "seen": ago(one["observed_at"]),
            }
        )
        for one in found["clusters"]
    ]
    owners = [{"owner": one["owner"] or UNKNOWN, "total": money(one["total"]["per_hour"])} for one in found["owners"]]
    total = found["total"]
    data = {
        "total": money(total["per_hour"]),
        "known": money(total["known_per_hour"]),
        "unknown": total["unknown"][:10],
        "clusters": clusters,
        "owners": owners,
    }
    return Answer(f"What runs costs {data['total']}.", slim(data))


TOOLS = (
    Tool(
        "cluster_list",
        "List clusters",
        "Clusters with state, nodes, cost, age. where: state, name_contains, region, instance_type.",
        "core",
        Listing,
        ClusterPage,
        list_clusters,
    ),
    Tool(
        "cluster_get",
        "Look at a cluster",
        "One cluster: state, phases, what is wrong, groups, cost, the operation under way.",
        "core",
        GetCluster,
        ClusterOne,
        get_cluster,
    ),
    Tool(
        "cluster_create",
        "Create a cluster",
        "Create a cluster phase by phase, or resume the half-made one of that name. Costs: plan first.",
        "core",
        CreateCluster,
        Change,
        create_cluster,
        READY,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "cluster_delete",
        "Delete a cluster",
        "Delete a cluster and all that was made for it. A person approves.",
        "core",
        DeleteCluster,
        Change,
        delete_cluster,
        Verify("cluster_get", {"cluster": "{cluster}"}, "error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "cluster_prefer",
        "Prefer a cluster",
        "Make it the one meant where a call names none.",
        "core",
        ClusterChange,
        Change,
        prefer_cluster,
        Verify("cluster_list", {}, "preferred is {cluster}"),
        idempotent=True,
    ),
    Tool(
        "cluster_protect",
        "Protect a cluster",
        "Whether it can be deleted at all.",
        "governance",
        ProtectCluster,
        Change,
        protect_cluster,
        Verify("cluster_get", {"cluster": "{cluster}"}, "protected is {enabled}"),
        idempotent=True,
    ),
    Tool(
        "cluster_dependencies",
        "List dependencies",
        "What the cluster needs inside (add-ons, charts) and its state. where: state, kind.",
        "core",
        ClusterListing,
        Page,
        list_dependencies,
    ),
    Tool(
        "cluster_events",
        "List events",
        "HyperPod's events, newest first, with cause and fix where known. where: level, group, instance_id, since.",
        "operations",
        ClusterListing,
        Page,
        list_events,
    ),
    Tool(
        "cluster_cost",
        "Look at the cost",
        "What runs costs an hour, by cluster and owner; one cluster by its groups.",
        "governance",
        Cost,
        CostOne,
        cost,
    ),
)
