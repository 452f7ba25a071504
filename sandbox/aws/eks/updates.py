"""Updates of a cluster, a node group or an add-on: kept as bookkeeping `_eks.update`, key cluster/update id; status by the clock."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.cluster import find
from sandbox.aws.eks.errors import not_found
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "_eks.update"


def start(
    context: Context, cluster: str, kind: str, parameters: dict[str, str], *, addon: str = "", nodegroup: str = "", token: str = ""
) -> dict[str, Any]:
    """Store an update InProgress and give it as the API shows it. `finish` ends it."""
    update = {
        "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{context.scope}/{cluster}/{context.new_id('update')}")),
        "status": "InProgress",
        "type": kind,
        "params": [{"type": name, "value": value} for name, value in parameters.items()],
        "createdAt": context.timestamp,
        "errors": [],
        "_cluster": cluster,
        "_addon": addon,
        "_nodegroup": nodegroup,
        "_token": token,
    }
    context.world.store.put(KIND, context.scope, f"{cluster}/{update['id']}", update)
    return view(update)


def by_token(context: Context, cluster: str, token: str) -> dict[str, Any] | None:
    """The update that this client token started, as the API shows it."""
    found = (one for one in context.world.store.list(KIND, context.scope) if one["_cluster"] == cluster and one.get("_token") == token)
    return next((view(one) for one in found), None)


def _about(update: dict[str, Any], params: dict[str, Any]) -> bool:
    """Whether it is an update of what the request names: an add-on, a node group, or the cluster itself."""
    return bool(update["_addon"] == params.get("addonName", "") and update.get("_nodegroup", "") == params.get("nodegroupName", ""))


def finish(
    context: Context, cluster: str, update_id: str, *, status: str = "Successful", errors: list[dict[str, Any]] | None = None
) -> None:
    update = context.world.store.get(KIND, context.scope, f"{cluster}/{update_id}")
    if update is not None:
        context.world.store.put(KIND, context.scope, f"{cluster}/{update_id}", {**update, "status": status, "errors": errors or []})


def forget(context: Context, cluster: str) -> None:
    """Drop the updates of a cluster that is gone."""
    for update in context.world.store.list(KIND, context.scope):
        if update["_cluster"] == cluster:
            context.world.store.delete(KIND, context.scope, f"{cluster}/{update['id']}")


def view(update: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in update.items() if not name.startswith("_")}


@operation("eks", "DescribeUpdate")
def describe_update(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, update_id = params["name"], params["updateId"]
    find(context, name)
    update = context.world.store.get(KIND, context.scope, f"{name}/{update_id}")
    if update is None or not _about(update, params):
        raise not_found(f"No update found for ID: {update_id}", clusterName=name)
    return {"update": view(update)}


@operation("eks", "ListUpdates")
def list_updates(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["name"]
    find(context, name)
    return {
        "updateIds": [
            update["id"]
            for update in context.world.store.list(KIND, context.scope)
            if update["_cluster"] == name and _about(update, params)
        ]
    }
