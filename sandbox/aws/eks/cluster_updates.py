"""UpdateClusterConfig and UpdateClusterVersion: one kind of change a call, the cluster UPDATING meanwhile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.eks import cluster_checks, cluster_life, control_plane_logs, updates
from sandbox.aws.eks.cluster import Cluster, find, lookup, save
from sandbox.aws.eks.errors import in_use, invalid_parameter
from sandbox.aws.registry import operation
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")  # the way is one-way
_ENDPOINT_MEMBERS = ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs")
_CHANGES = ("resourcesVpcConfig", "logging", "accessConfig", "upgradePolicy", "zonalShiftConfig", "deletionProtection")


def _ready(context: Context, name: str) -> Cluster:
    cluster = find(context, name)
    if cluster["status"] != "ACTIVE":
        raise in_use(f"Cannot update the cluster {name}: it is {cluster['status']}", clusterName=name)
    return cluster


@operation("eks", "UpdateClusterConfig")
def update_cluster_config(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["name"]
    cluster = _ready(context, name)
    asked = [member for member in _CHANGES if params.get(member) is not None]
    unknown = sorted(set(params) - {"name", "clientRequestToken", *_CHANGES})
    if unknown:
        raise invalid_parameter(f"This sandbox does not simulate an update of {', '.join(unknown)}.", clusterName=name)
    if len(asked) != 1:
        raise invalid_parameter("Only one type of update can be allowed.", clusterName=name)
    kind, values, changed = _CHANGERS[asked[0]](context, cluster, params[asked[0]])
    return {"update": _begin(context, cluster, kind, values, changed)}


@operation("eks", "UpdateClusterVersion")
def update_cluster_version(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, version = params["name"], params["version"]
    cluster = _ready(context, name)
    cluster_checks.check_version(version)
    if version == cluster["version"]:
        raise invalid_parameter(f"Unsupported Kubernetes minor version update from {version} to {version}", clusterName=name)
    values = {"Version": version, "PlatformVersion": cluster["platformVersion"]}
    return {"update": _begin(context, cluster, "VersionUpdate", values, {"version": version})}


def _begin(context: Context, cluster: Cluster, kind: str, values: dict[str, str], changed: dict[str, Any]) -> dict[str, Any]:
    update = updates.start(context, cluster["name"], kind, values)
    if kind == "DeletionProtectionUpdate":  # takes effect at once
        save(context, {**cluster, **changed})
        updates.finish(context, cluster["name"], update["id"])
        return {**update, "status": "Successful"}
    save(context, {**cluster, "status": "UPDATING"})
    payload = {"name": cluster["name"], "created": cluster["createdAt"], "update": update["id"], "changed": changed}
    context.as_source("service").schedule(context.now + duration("eks.cluster.update"), "eks.cluster.updated", payload)
    return update


@agenda_handler("eks.cluster.updated")
def become_updated(context: Context, payload: dict[str, Any]) -> None:
    cluster = lookup(context, payload["name"])
    if cluster is None or cluster["createdAt"] != payload["created"] or cluster["status"] != "UPDATING":
        return
    cluster.update(payload["changed"], status="ACTIVE")
    save(context, cluster)
    updates.finish(context, payload["name"], payload["update"])
    if "logging" in payload["changed"]:
        control_plane_logs.write(context, cluster, f"Logging of {cluster['name']} changed")
    if "accessConfig" in payload["changed"]:
        cluster_life.admit_creator(context, cluster)


_Change = tuple[str, dict[str, str], dict[str, Any]]  # update type, its parameters, the members to put into the cluster


def _network(context: Context, cluster: Cluster, asked: dict[str, Any]) -> _Change:
    current = cluster["resourcesVpcConfig"]
    endpoint = {member: asked[member] for member in _ENDPOINT_MEMBERS if member in asked}
    placed = {member: asked[member] for member in ("subnetIds", "securityGroupIds") if member in asked}
    if bool(endpoint) == bool(placed):
        raise invalid_parameter(
            "Endpoint access and subnets or security groups cannot be updated in one call.", clusterName=cluster["name"]
        )
    if endpoint:
        access = cluster_checks.access_of({**{member: current[member] for member in _ENDPOINT_MEMBERS}, **endpoint})
        if all(access[member] == current[member] for member in _ENDPOINT_MEMBERS):
            raise invalid_parameter("Cluster is already at the desired configuration with " + _spelled(access), clusterName=cluster["name"])
        values = {
            "EndpointPublicAccess": json.dumps(access["endpointPublicAccess"]),
            "EndpointPrivateAccess": json.dumps(access["endpointPrivateAccess"]),
            "PublicAccessCidrs": json.dumps(access["publicAccessCidrs"]),
        }
        return "EndpointAccessUpdate", values, {"resourcesVpcConfig": {**current, **access}}
    subnets = cluster_checks.subnets_of(context, placed.get("subnetIds", current["subnetIds"]))
    if subnets[0]["VpcId"] != current["vpcId"]:
        raise invalid_parameter("Provided subnets belong to a different VPC from the cluster's", clusterName=cluster["name"])
    cluster_checks.check_security_groups(context, placed.get("securityGroupIds", []), current["vpcId"])
    values = {"Subnets": json.dumps(placed.get("subnetIds", [])), "SecurityGroups": json.dumps(placed.get("securityGroupIds", []))}
    return "VpcConfigUpdate", values, {"resourcesVpcConfig": {**current, **placed}}


def _spelled(access: dict[str, Any]) -> str:
    return ", ".join(f"{member}={access[member]}" for member in _ENDPOINT_MEMBERS)


def _logging(context: Context, cluster: Cluster, asked: dict[str, Any]) -> _Change:
    enabled = set(control_plane_logs.enabled_types(cluster))
    for setup in asked.get("clusterLogging", []):
        enabled = enabled | set(setup.get("types", [])) if setup.get("enabled") else enabled - set(setup.get("types", []))
    changed = control_plane_logs.normalised({"clusterLogging": [{"types": sorted(enabled), "enabled": True}]})
    if changed == cluster["logging"]:
        raise invalid_parameter("No changes needed for the logging config provided", clusterName=cluster["name"])
    return "LoggingUpdate", {"ClusterLogging": json.dumps(asked)}, {"logging": changed}


def _access(context: Context, cluster: Cluster, asked: dict[str, Any]) -> _Change:
    current = cluster["accessConfig"]
    mode = asked.get("authenticationMode", current["authenticationMode"])
    if _MODES.index(mode) <= _MODES.index(current["authenticationMode"]):
        raise invalid_parameter(
            f"Unsupported authentication mode update from {current['authenticationMode']} to {mode}", clusterName=cluster["name"]
        )
    return "AccessConfigUpdate", {"AuthenticationMode": mode}, {"accessConfig": {**current, "authenticationMode": mode}}


def _upgrade_policy(context: Context, cluster: Cluster, asked: dict[str, Any]) -> _Change:
    return "UpgradePolicyUpdate", {"UpgradePolicy": json.dumps(asked)}, {"upgradePolicy": asked}


def _zonal_shift(context: Context, cluster: Cluster, asked: dict[str, Any]) -> _Change:
    return "ZonalShiftConfigUpdate", {"ZonalShiftConfig": json.dumps(asked)}, {"zonalShiftConfig": asked}


def _deletion_protection(context: Context, cluster: Cluster, asked: bool) -> _Change:
    return "DeletionProtectionUpdate", {"DeletionProtection": json.dumps(asked)}, {"deletionProtection": asked}


_CHANGERS: dict[str, Any] = {
    "resourcesVpcConfig": _network,
    "logging": _logging,
    "accessConfig": _access,
    "upgradePolicy": _upgrade_policy,
    "zonalShiftConfig": _zonal_shift,
    "deletionProtection": _deletion_protection,
}
