"""Nodes: what there is, which accelerators are free, one in detail, and what can be done to one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import StringConstraints

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, Chosen, ClusterChange, ClusterListing, ClusterName, OnCluster
from agentapi.listing import page
from agentapi.outputs import Change, One, Output, Page
from agentapi.outside import outside, outside_all
from agentapi.rest import cursor_of
from agentapi.tool import Answer, Tool, Verify
from agentapi.words import UNKNOWN, ago, known, slim

NodeKey = Annotated[str, StringConstraints(pattern=r"^(hyperpod-)?[A-Za-z0-9](-*[A-Za-z0-9]){0,127}$")]
WELL = ("", "Schedulable")
"""HyperPod's health of a node that pods are let to; another one's accelerators are not free, whatever Kubernetes counts."""
SHOWN = 12
"""Nodes and events that an answer names."""


def key_of(node: str) -> str:
    """The instance id, also of a node that is called by its Kubernetes name."""
    return node.removeprefix("hyperpod-")


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A node in one line."""
    return {
        "node": found["key"],
        "group": found["group_name"],
        "type": found["instance_type"],
        "status": found["status"],
        "ready": known(found["ready"]),
        "schedulable": known(found["schedulable"]),
        "health": outside_all(found["health"]),
        "gpus_used": f"{found['gpus_used']}/{found['gpus']}" if found["gpus"] is not None else UNKNOWN,
        "message": outside(found["message"], 120),
        "doing": (found["operation"] or {}).get("kind", ""),
        "seen": ago(found["observed_at"]),
    }


async def list_nodes(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/nodes/", asked, row, "node", said=taken.said)


class GetNode(OnCluster, Chosen):
    """node: its instance id."""

    node: NodeKey


class NodeOne(One):
    """One node. next_steps: what to do for one that is not well, in order. work: what of people's runs on it."""

    node: str
    group: str
    status: str
    ready: bool | str
    schedulable: bool | str
    work: list[str]
    busy: bool
    events: list[dict[str, Any]]
    next_steps: list[dict[str, Any]]


async def get_node(call: Call, asked: GetNode) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/nodes/{key_of(asked.node)}/"
    if asked.fields:
        return Answer(
            f"{asked.node}.", {**taken.said, **outside_all(await call.rest.get(path, {"fields": ",".join(asked.fields)}), words=False)}
        )
    found = await call.rest.get(path)
    events = [
        slim(
            {"at": ago(one["at"]), "level": one["level"], "text": outside(one["description"], 160), "code": one["code"], "fix": one["hint"]}
        )
        for one in found["events"][:SHOWN]
    ]
    steps = [{"action": one["action"], "reason": outside(one["reason"])} for one in found["next_steps"]]
    data = {
        **row(found),
        "kubernetes_name": outside(found["kubernetes_name"]),
        "zone": found["zone"],
        "launched": ago(found["launched_at"]),
        "image_release": found["image_release"],
        "last_reboot": ago(found["last_reboot"]) if found["last_reboot"] else "",
        "last_replacement": ago(found["last_replacement"]) if found["last_replacement"] else "",
        "work": [outside(str(one), 80) for one in found["work"][:SHOWN]],
        "busy": bool(found["work"]),
        "events": events,
        "next_steps": steps,
    }
    return Answer(f"{found['key']} {_condition(found, steps)}.", {**taken.said, **slim(data)})


def _condition(found: dict[str, Any], steps: list[dict[str, Any]]) -> str:
    """The headline: well only when HyperPod and Kubernetes both say so."""
    if steps:
        return f"is not well; next: {steps[0]['action']}"
    if found["status"] != "Running":
        return f"is {found['status']}"
    if found["ready"] is None:
        return "runs, says HyperPod; whether it is Ready in Kubernetes is unknown"
    return "is well" if found["ready"] else "is not Ready"


class FreeAccelerators(Output):
    """By group: how many accelerators pods may have, have, and could still get on nodes that take pods. free_on: nodes with most free."""

    groups: list[dict[str, Any]]
    free: int
    free_on: list[dict[str, Any]]
    unknown_nodes: int


async def free_accelerators(call: Call, asked: OnCluster) -> Answer:
    taken = await call.cluster(asked.cluster)
    fields = "key,group_name,instance_type,ready,schedulable,health,gpus,gpus_used"
    nodes: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        found = await call.rest.get(f"clusters/{taken.name}/nodes/", {"fields": fields, "limit": 200, "cursor": cursor})
        nodes += found["results"]
        cursor = cursor_of(found["next"])
        if cursor is None:
            break
    sums: dict[str, dict[str, Any]] = defaultdict(lambda: {"nodes": 0, "ready": 0, "gpus": 0, "used": 0, "free": 0})
    free_on, untold = [], 0
    for node in nodes:
        group = sums[node["group_name"]]
        group["type"] = node["instance_type"]
        group["nodes"] += 1
        group["ready"] += bool(node["ready"])
        if node["gpus"] is None:
            untold += 1
            continue
        takes = node["ready"] and node["schedulable"] and node["health"] in WELL
        free = max(0, node["gpus"] - (node["gpus_used"] or 0)) if takes else 0
        group["gpus"] += node["gpus"]
        group["used"] += node["gpus_used"] or 0
        group["free"] += free
        if free:
            free_on.append({"node": node["key"], "group": node["group_name"], "free": free})
    free_on.sort(key=lambda one: -one["free"])
    total = sum(group["free"] for group in sums.values())
    groups = [{"group": name, **group} for name, group in sorted(sums.items())]
    data = {**taken.said, "free": total, "groups": groups, "free_on": free_on[:SHOWN], "unknown_nodes": untold}
    return Answer(f"{total} accelerators are free on {len(free_on)} nodes.", slim(data))


class OneNode(ClusterChange):
    """node: its instance id. disrupt: although something runs on it."""

    node: NodeKey
    disrupt: bool = False


class NamedNode(Changing):
    """The cluster named in full."""

    cluster: ClusterName
    node: NodeKey
    disrupt: bool = False


class CordonNode(ClusterChange):
    """enabled: no new pods come to it; false lets them come again."""

    node: NodeKey
    enabled: bool = True


def doing(verb: str) -> Callable[[Call, Any], Awaitable[Answer]]:
    """The coroutine of a tool that does this to one node."""

    async def run(call: Call, asked: OneNode | NamedNode) -> Answer:
        taken = await call.cluster(asked.cluster)
        node = key_of(asked.node)
        values = {"cluster": taken.name, "node": node}
        body = {"disrupt": True} if asked.disrupt else {}
        return await change(call, asked, "POST", f"clusters/{taken.name}/nodes/{node}/{verb}/", body=body, values=values, said=taken.said)

    return run


async def cordon_node(call: Call, asked: CordonNode) -> Answer:
    taken = await call.cluster(asked.cluster)
    node, verb = key_of(asked.node), "cordon" if asked.enabled else "uncordon"
    values = {"cluster": taken.name, "node": node, "schedulable": str(not asked.enabled).lower()}
    return await change(call, asked, "POST", f"clusters/{taken.name}/nodes/{node}/{verb}/", body={}, values=values, said=taken.said)


async def replace_node(call: Call, asked: NamedNode) -> Answer:
    node = key_of(asked.node)
    found = await call.rest.get(f"clusters/{asked.cluster}/nodes/{node}/", {"fields": "group_name"})
    values = {"cluster": asked.cluster, "group": found["group_name"]}
    body = {"disrupt": True} if asked.disrupt else {}
    path = f"clusters/{asked.cluster}/nodes/{node}/replace/"
    return await change(call, asked, "POST", path, body=body, values=values, said={"cluster": asked.cluster})


def _node(until: str) -> Verify:
    return Verify("node_get", {"cluster": "{cluster}", "node": "{node}"}, until)


TOOLS = (
    Tool(
        "node_list",
        "List nodes",
        "Nodes: status, ready, health, accelerators used. where: group, status, ready, health, instance_type, zone.",
        "nodes",
        ClusterListing,
        Page,
        list_nodes,
    ),
    Tool(
        "node_get",
        "Look at a node",
        "One node: state, work on it, events, and what to do next when it is not well.",
        "nodes",
        GetNode,
        NodeOne,
        get_node,
    ),
    Tool(
        "node_gpus",
        "Find free accelerators",
        "Accelerators by group: all, used, free, and the nodes with most free.",
        "nodes",
        OnCluster,
        FreeAccelerators,
        free_accelerators,
    ),
    Tool(
        "node_cordon",
        "Cordon a node",
        "Let no new pods come to it, or with enabled false let them come again.",
        "nodes",
        CordonNode,
        Change,
        cordon_node,
        _node("schedulable is {schedulable}"),
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "node_drain",
        "Drain a node",
        "Cordon it and evict its pods, as disruption budgets allow.",
        "nodes",
        OneNode,
        Change,
        doing("drain"),
        _node("schedulable is false and busy is false"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "node_reboot",
        "Reboot a node",
        "Restart it; its disks stay.",
        "nodes",
        OneNode,
        Change,
        doing("reboot"),
        _node("status is Running and ready is true"),
        destructive=True,
        open_world=True,
    ),
    Tool(
        "node_replace",
        "Replace a node",
        "Give the node new hardware; its disks are lost. A person approves. Analyse and reboot first.",
        "nodes",
        NamedNode,
        Change,
        replace_node,
        Verify("group_get", {"cluster": "{cluster}", "group": "{group}"}, "missing is 0 and status is InService"),
        destructive=True,
        open_world=True,
    ),
    Tool(
        "node_delete",
        "Delete a node",
        "Delete it and lower its group's count by one. A person approves.",
        "nodes",
        NamedNode,
        Change,
        doing("delete"),
        _node("error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
