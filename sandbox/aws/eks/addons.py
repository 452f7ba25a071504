"""Add-ons of a cluster: kind `eks.addon`, key cluster/add-on. What they bring into Kubernetes is the controllers' work."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import yaml

from sandbox.agenda import agenda_handler
from sandbox.aws import roles
from sandbox.aws.eks import addon_health, addon_versions, bookkeeping, pod_identities, updates
from sandbox.aws.eks.addon_catalog import ADDONS, Addon
from sandbox.aws.eks.addon_health import KIND
from sandbox.aws.eks.cluster import find, find_active
from sandbox.aws.eks.errors import in_use, invalid_parameter, not_found
from sandbox.aws.registry import operation
from sandbox.durations import duration
from sandbox.spread import spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def installed(context: Context, cluster: str) -> list[dict[str, Any]]:
    return [row for row in context.world.store.list(KIND, context.scope) if row["clusterName"] == cluster]


def forget(context: Context, cluster: str) -> None:
    """Drop the add-ons of a cluster that is gone."""
    for row in installed(context, cluster):
        context.world.store.delete(KIND, context.scope, f"{cluster}/{row['addonName']}")


def view(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_")}


def _find(context: Context, cluster: str, name: str) -> dict[str, Any]:
    find(context, cluster)
    row = addon_health.assess(context, cluster, name)
    if row is None:
        raise not_found(f"No addon: {name} found in cluster: {cluster}", clusterName=cluster, addonName=name)
    return row


@operation("eks", "CreateAddon")
def create_addon(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["addonName"]
    cluster = find_active(context, cluster_name)
    addon = ADDONS.get(name)
    if addon is None:
        raise invalid_parameter(f"Addon {name} specified is not supported", clusterName=cluster_name, addonName=name)
    existing = context.world.store.get(KIND, context.scope, f"{cluster_name}/{name}")
    token = params.get("clientRequestToken", "")
    if existing is not None:
        if token and existing["_token"] == token:
            return {"addon": view(existing)}
        raise in_use("Addon already exists.", clusterName=cluster_name, addonName=name)
    version = addon_versions.check_version(addon, params.get("addonVersion"), cluster["version"])
    _check_configuration(addon, params.get("configurationValues", ""))
    _check_role(context, params.get("serviceAccountRoleArn"))
    now = context.timestamp
    row = {
        "addonName": name,
        "clusterName": cluster_name,
        "status": "CREATING",
        "addonVersion": version,
        "health": {"issues": []},
        "addonArn": context.arn("eks", f"addon/{cluster_name}/{name}/{uuid.uuid4()}"),
        "createdAt": now,
        "modifiedAt": now,
        "tags": params.get("tags") or {},
        "publisher": addon.publisher,
        "owner": addon.owner,
        "namespaceConfig": {"namespace": (params.get("namespaceConfig") or {}).get("namespace") or addon.namespace},
        "podIdentityAssociations": [],
        "_token": token,
        "_settles_at": context.now + _settling(context, cluster_name, name, "eks.addon.create"),
        "_preserve": False,
    }
    for member in ("serviceAccountRoleArn", "configurationValues"):
        if params.get(member):
            row[member] = params[member]
    row["podIdentityAssociations"] = _associate(context, row, params.get("podIdentityAssociations") or [])
    context.world.store.put(KIND, context.scope, f"{cluster_name}/{name}", row)
    context.as_source("service").schedule(row["_settles_at"], "eks.addon.settled", {"cluster": cluster_name, "addon": name})
    return {"addon": view(row)}


def _settling(context: Context, cluster: str, name: str, what: str) -> float:
    """60 to 180 s around the table's 90: decided by the add-on's name, so the same in every run."""
    base = duration(what)
    return spread(f"{cluster}/{name}", base * 0.7, base * 1.6)


@agenda_handler("eks.addon.settled")
def settle_addon(context: Context, payload: dict[str, Any]) -> None:
    addon_health.assess(context, payload["cluster"], payload["addon"])


@operation("eks", "DescribeAddon")
def describe_addon(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"addon": view(_find(context, params["clusterName"], params["addonName"]))}


@operation("eks", "ListAddons")
def list_addons(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(context, params["clusterName"])
    return {"addons": sorted(row["addonName"] for row in installed(context, params["clusterName"]))}


@operation("eks", "UpdateAddon")
def update_addon(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["addonName"]
    row = _find(context, cluster_name, name)
    if row["status"] in ("CREATING", "UPDATING", "DELETING"):
        raise in_use(
            f"Addon {name} cannot be updated as it is currently in {row['status']} state", clusterName=cluster_name, addonName=name
        )
    addon = ADDONS[name]
    values: dict[str, str] = {"ResolveConflicts": params.get("resolveConflicts", "NONE")}
    if params.get("addonVersion"):
        row["addonVersion"] = addon_versions.check_version(addon, params["addonVersion"], find(context, cluster_name)["version"])
        values["AddonVersion"] = row["addonVersion"]
    if "configurationValues" in params:
        _check_configuration(addon, params["configurationValues"])
        row["configurationValues"] = values["ConfigurationValues"] = params["configurationValues"]
    if params.get("serviceAccountRoleArn"):
        _check_role(context, params["serviceAccountRoleArn"])
        row["serviceAccountRoleArn"] = values["ServiceAccountRoleArn"] = params["serviceAccountRoleArn"]
    if "podIdentityAssociations" in params:
        pod_identities.release(context, row["podIdentityAssociations"])
        row["podIdentityAssociations"] = _associate(context, row, params["podIdentityAssociations"])
        values["PodIdentityAssociations"] = json.dumps(params["podIdentityAssociations"])
    update = updates.start(context, cluster_name, "AddonUpdate", values, addon=name)
    row.update(status="UPDATING", modifiedAt=context.timestamp)
    row["_settles_at"] = context.now + _settling(context, cluster_name, name, "eks.addon.update")
    context.world.store.put(KIND, context.scope, f"{cluster_name}/{name}", row)
    payload = {"cluster": cluster_name, "addon": name, "update": update["id"]}
    context.as_source("service").schedule(row["_settles_at"], "eks.addon.updated", payload)
    return {"update": update}


@agenda_handler("eks.addon.updated")
def finish_update(context: Context, payload: dict[str, Any]) -> None:
    addon_health.assess(context, payload["cluster"], payload["addon"])
    updates.finish(context, payload["cluster"], payload["update"])


@operation("eks", "DeleteAddon")
def delete_addon(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster_name, name = params["clusterName"], params["addonName"]
    row = _find(context, cluster_name, name)
    if row["status"] != "DELETING":
        row.update(status="DELETING", modifiedAt=context.timestamp, _preserve=bool(params.get("preserve")))
        context.world.store.put(KIND, context.scope, f"{cluster_name}/{name}", row)
        payload = {"cluster": cluster_name, "addon": name, "arn": row["addonArn"]}
        context.as_source("service").schedule(context.now + duration("eks.addon.delete"), "eks.addon.gone", payload)
    return {"addon": view(row)}


@agenda_handler("eks.addon.gone")
def remove_addon(context: Context, payload: dict[str, Any]) -> None:
    key = f"{payload['cluster']}/{payload['addon']}"
    row = context.world.store.get(KIND, context.scope, key)
    if row is None or row["addonArn"] != payload["arn"]:
        return
    pod_identities.release(context, row["podIdentityAssociations"])
    context.world.store.delete(KIND, context.scope, key)
    if row["_preserve"]:  # its objects stay in the cluster: there is nothing that controllers should take back
        context.world.store.delete(bookkeeping.ADDON_APPLIED, context.scope, key)
    context.world.store.delete(bookkeeping.ADDON_HEALTH, context.scope, key)


def _check_configuration(addon: Addon, text: str) -> None:
    if not text:
        return
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise invalid_parameter("ConfigurationValue is neither valid JSON nor valid YAML", addonName=addon.name) from error
    if not isinstance(values, dict):
        raise invalid_parameter("ConfigurationValue must be an object", addonName=addon.name)
    unknown = sorted(set(values) - set(addon_versions.schema(addon)["properties"]))
    if unknown:
        raise invalid_parameter(
            f"ConfigurationValue provided in request is not supported: Json schema validation failed with error: "
            f"[$.{unknown[0]}: is not defined in the schema and the schema does not allow additional properties]",
            addonName=addon.name,
        )


def _check_role(context: Context, arn: str | None) -> None:
    if not arn:
        return
    if roles.find_role(context, arn) is None:
        raise invalid_parameter(f"The role with ARN {arn} does not exist")
    roles.check_pass(context, arn)


def _associate(context: Context, row: dict[str, Any], wanted: list[dict[str, Any]]) -> list[str]:
    """Pod identity associations that the add-on owns; their ARNs."""
    return [
        pod_identities.add(
            context, row["clusterName"], row["namespaceConfig"]["namespace"], one["serviceAccount"], one["roleArn"], owner=row["addonArn"]
        )["associationArn"]
        for one in wanted
    ]
