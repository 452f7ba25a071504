"""Clusters made elsewhere: found, imported, adopted, forgotten."""

from __future__ import annotations

from typing import Any

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Changing, ClusterName, Listing, Text, given
from agentapi.listing import page
from agentapi.outputs import Change, Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.tools.operation import DONE
from agentapi.words import ago, known


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A cluster that was found, in one line."""
    return {
        "eks_name": outside_all(found["eks_name"]),
        "region": found["region"],
        "account": found["account"],
        "hyperpod_name": outside_all(found["hyperpod_name"]),
        "status": found["hyperpod_status"] or found["status"],
        "nodes": known(found["node_count"]),
        "imported_as": found["imported_as"],
        "doubt": outside(found["doubt"]),
        "seen": ago(found["read_at"]),
    }


async def list_found(call: Call, asked: Listing) -> Answer:
    return await page(call, "imports/clusters/", asked, row, "cluster")


class Search(Changing):
    """regions: left out, all that the account has switched on."""

    regions: list[Text] | None = None
    account: Text | None = None


async def search(call: Call, asked: Search) -> Answer:
    return await change(call, asked, "POST", "imports/", body=given(asked, "regions", "account"))


class ImportCluster(Changing):
    """eks_name, region: as import_list shows them. alias: another name here."""

    eks_name: Text
    region: Text
    account: Text | None = None
    alias: ClusterName | None = None


async def import_cluster(call: Call, asked: ImportCluster) -> Answer:
    chosen = given(asked, "eks_name", "region", "account", "alias")
    return await change(call, asked, "POST", "imports/clusters/", body={"clusters": [chosen]})


class Named(Changing):
    """Named in full."""

    cluster: ClusterName


async def adopt_cluster(call: Call, asked: Named) -> Answer:
    said = {"cluster": asked.cluster}
    return await change(call, asked, "POST", f"clusters/{asked.cluster}/adopt/", values=said, said=said)


async def forget_cluster(call: Call, asked: Named) -> Answer:
    said = {"cluster": asked.cluster}
    return await change(call, asked, "POST", f"clusters/{asked.cluster}/forget/", values=said, said=said)


TOOLS = (
    Tool(
        "import_list",
        "List clusters found",
        "EKS clusters found by import_search, with HyperPod. where: region, account, status.",
        "governance",
        Listing,
        Page,
        list_found,
    ),
    Tool(
        "import_search",
        "Search for clusters",
        "Search regions for clusters made elsewhere; reads alone.",
        "governance",
        Search,
        Change,
        search,
        DONE,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "cluster_import",
        "Import a cluster",
        "Observe a found cluster from here; nothing in AWS changes.",
        "governance",
        ImportCluster,
        Change,
        import_cluster,
        DONE,
        idempotent=True,
    ),
    Tool(
        "cluster_adopt",
        "Adopt an imported cluster",
        "Tag it, so that it can be changed from here.",
        "governance",
        Named,
        Change,
        adopt_cluster,
        DONE,
        idempotent=True,
        open_world=True,
    ),
    Tool(
        "cluster_forget",
        "Forget an imported cluster",
        "Off the list; its resources stay.",
        "governance",
        Named,
        Change,
        forget_cluster,
        Verify("cluster_get", {"cluster": "{cluster}"}, "error.code is not_found"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
