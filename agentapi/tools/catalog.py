"""The catalogue: what can be had in a region."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agentapi.call import Call
from agentapi.inputs import Listing, Text
from agentapi.listing import Row, shown
from agentapi.outputs import Page
from agentapi.outside import outside
from agentapi.tool import Answer, Tool
from agentapi.words import ago, money


class CatalogPage(Page):
    """region: what was asked, or the installation's own. read: how long ago AWS said it."""

    region: str
    read: str


class InRegion(Listing):
    """A list of one region and account."""

    region: Text | None = None
    account: Text | None = None


class Named(InRegion):
    """name: only those whose name contains it."""

    name: Text | None = None


class Types(Named):
    """zone: only those offered there."""

    zone: Text | None = None


def reader(path: str, noun: str, row: Row, *parameters: str) -> Callable[[Call, Any], Awaitable[Answer]]:
    """The coroutine of a tool that reads one list of the catalogue."""

    async def run(call: Call, asked: InRegion) -> Answer:
        found = await call.rest.get(path, {name: getattr(asked, name) for name in ("region", "account", *parameters)})
        said = {"region": found["region"], "read": f"{ago(found['read_at'])}"}
        return shown(call, found["results"], asked, row, noun, said)

    return run


def _type(found: dict[str, Any]) -> dict[str, Any]:
    accelerators = f"{found['accelerators']}x {found['accelerator']}" if found["accelerators"] else "none"
    return {
        "name": found["name"],
        "accelerators": accelerators,
        "gb_each": found["accelerator_gb"],
        "vcpus": found["vcpus"],
        "memory": f"{found['memory_gib']:g} GiB",
        "efa": found["efa"],
        "price": money(found["price_per_hour"]),
        "zones": found["zones"],
    }


def _version(found: dict[str, Any]) -> dict[str, Any]:
    kept = ("version", "support", "preferred", "standard_until", "hyperpod")
    return {name: found[name] for name in kept}


def _plan(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "arn": found["arn"],
        "name": outside(found["name"]),
        "status": found["status"],
        "types": found["instance_types"],
        "zones": found["zones"],
        "available": f"{found['available']}/{found['total']}",
        "starts": ago(found["starts"]),
        "ends": ago(found["ends"]),
    }


TOOLS = (
    Tool(
        "catalog_instance_types",
        "List instance types",
        "Types with accelerators, price and offering zones. where: family, accelerator, accelerators.",
        "core",
        Types,
        CatalogPage,
        reader("catalog/instance-types/", "instance type", _type, "name", "zone"),
        open_world=True,
    ),
    Tool(
        "catalog_zones",
        "List zones",
        "Availability Zones, names and ids.",
        "core",
        InRegion,
        CatalogPage,
        reader("catalog/zones/", "zone", dict),
        open_world=True,
    ),
    Tool(
        "catalog_regions",
        "List regions",
        "AWS regions that can be used.",
        "governance",
        InRegion,
        CatalogPage,
        reader("catalog/regions/", "region", dict),
        open_world=True,
    ),
    Tool(
        "catalog_kubernetes_versions",
        "List Kubernetes versions",
        "Versions that EKS offers, newest first, and the one preferred.",
        "core",
        InRegion,
        CatalogPage,
        reader("catalog/kubernetes-versions/", "version", _version),
        open_world=True,
    ),
    Tool(
        "catalog_training_plans",
        "List training plans",
        "The account's training plans: type, zones, what is available, when.",
        "core",
        InRegion,
        CatalogPage,
        reader("catalog/training-plans/", "training plan", _plan),
        open_world=True,
    ),
)
