"""BatchAdd-, BatchDelete-, BatchReboot- and BatchReplaceClusterNodes (aws.md §1.4): each item succeeds or fails by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import node as nodes
from sandbox.aws.sagemaker import node_life, provisioning, quotas
from sandbox.aws.sagemaker.cluster import Cluster, find, group_of, save
from sandbox.aws.sagemaker.errors import conflict, invalid
from sandbox.aws.sagemaker.group import instance_types, network_of
from sandbox.aws.sagemaker.network import subnets

if TYPE_CHECKING:
    from collections.abc import Callable

    from sandbox.aws.context import Context

_TOKENS = "_sagemaker.batch-add"
_TOKEN_SECONDS = 8 * 3600.0
_MOST_ADDED = 50
_ALIVE = ("Running", "Failure", "Pending", "DeepHealthCheckInProgress")


@operation("sagemaker", "BatchAddClusterNodes")
def batch_add_cluster_nodes(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = find(context, params["ClusterName"])
    if not cluster["continuous"]:
        raise invalid("BatchAddClusterNodes is supported only for clusters with NodeProvisioningMode Continuous.")
    if cluster["status"] != "InService":
        raise conflict(f"Cluster {cluster['name']} is {cluster['status']}.")
    if sum(item["IncrementTargetCountBy"] for item in params["NodesToAdd"]) > _MOST_ADDED:
        raise invalid(f"At most {_MOST_ADDED} nodes can be added in one request.")
    token = params.get("ClientToken", "")
    key = f"{cluster['id']}/{token}"
    replay = context.world.store.get(_TOKENS, context.scope, key) if token else None
    if replay is not None and context.now - replay["at"] < _TOKEN_SECONDS:
        return _replayed(context, cluster, replay["answer"])
    service = context.as_source("service")
    successful: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    increments: dict[str, int] = {}
    accepted = []
    for item in params["NodesToAdd"]:
        problem = _problem(service, cluster, item)
        if problem is None:
            accepted.append(item)
            increments[item["InstanceGroupName"]] = increments.get(item["InstanceGroupName"], 0) + item["IncrementTargetCountBy"]
            continue
        code, message = problem
        place = {member: item[member] for member in ("AvailabilityZones", "InstanceTypes") if item.get(member)}
        count = item["IncrementTargetCountBy"]
        failed.append(
            {"InstanceGroupName": item["InstanceGroupName"], "ErrorCode": code, "FailedCount": count, "Message": message, **place}
        )
    wanted = [(group["spec"], group["target"] + increments.get(group["name"], 0)) for group in cluster["groups"]]
    quotas.check(context, cluster["name"], wanted)
    for item in accepted:
        group = group_of(cluster, item["InstanceGroupName"])
        assert group is not None  # noqa: S101
        group["target"] += item["IncrementTargetCountBy"]
        for _ in range(item["IncrementTargetCountBy"]):
            kind = next(iter(item.get("InstanceTypes") or []), "")
            node = provisioning.ask(service, cluster, group, kind, item.get("AvailabilityZones"))
            successful.append({"NodeLogicalId": node["logical_id"], "InstanceGroupName": group["name"], "Status": "Pending"})
    save(context, cluster)
    answer = {"Successful": successful, "Failed": failed}
    if token:
        context.world.store.put(_TOKENS, context.scope, key, {"at": context.now, "answer": answer})
    return answer


def _problem(context: Context, cluster: Cluster, item: dict[str, Any]) -> tuple[str, str] | None:
    name = item["InstanceGroupName"]
    group = group_of(cluster, name)
    if group is None:
        return "InstanceGroupNotFound", f"Instance group {name} does not exist."
    if group["status"] != "InService":
        return "InvalidInstanceGroupStatus", f"Instance group {name} is {group['status']}."
    zones = item.get("AvailabilityZones") or []
    if zones:
        offered = {
            subnet[member]
            for subnet in subnets(context, network_of(group, cluster))
            for member in ("AvailabilityZone", "AvailabilityZoneId")
        }
        if not set(zones) <= offered:
            return "IncompatibleAvailabilityZones", f"Instance group {name} has no subnet in {', '.join(sorted(set(zones) - offered))}."
    types = item.get("InstanceTypes") or []
    if not set(types) <= set(instance_types(group["spec"])):
        return "IncompatibleInstanceTypes", f"Instance group {name} does not use {', '.join(types)}."
    return None


def _replayed(context: Context, cluster: Cluster, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer of the first request with the nodes' present states; a node that is gone is NotFound."""
    successful = []
    for item in answer["Successful"]:
        node = nodes.get(context, cluster["id"], item["NodeLogicalId"])
        successful.append({**item, "Status": node["status"] if node else "NotFound"})
    return {**answer, "Successful": successful}


@operation("sagemaker", "BatchDeleteClusterNodes")
def batch_delete_cluster_nodes(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    for group in find(context, params["ClusterName"])["groups"]:
        if group["status"] in ("Creating", "Updating"):  # until it has its minimum (aws.md §11)
            raise conflict(f"Instance group {group['name']} is {group['status']}.")

    def delete(service: Context, cluster: Cluster, node: dict[str, Any]) -> None:
        group = group_of(cluster, node["group"])
        if group is not None:
            group["target"] = max(0, group["target"] - 1)
            group["minimum"] = min(group["minimum"], group["target"])
            save(service, cluster)
        node_life.shut_down(service, cluster, node)

    codes = {"missing": "NodeIdNotFound", "status": "InvalidNodeStatus", "member": "Code"}
    return _each(context, params, delete, codes, _ALIVE)


@operation("sagemaker", "BatchRebootClusterNodes")
def batch_reboot_cluster_nodes(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    codes = {"missing": "InstanceIdNotFound", "status": "InvalidInstanceStatus", "member": "ErrorCode"}
    return _each(context, params, node_life.reboot, codes, ("Running",))


@operation("sagemaker", "BatchReplaceClusterNodes")
def batch_replace_cluster_nodes(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    def replace(service: Context, cluster: Cluster, node: dict[str, Any]) -> None:
        node_life.replace(service, cluster, node, "a replacement was requested.")

    codes = {"missing": "InstanceIdNotFound", "status": "InvalidInstanceStatus", "member": "ErrorCode"}
    return _each(context, params, replace, codes, ("Running", "Failure", "DeepHealthCheckInProgress"))


def _each(
    context: Context,
    params: dict[str, Any],
    act: Callable[[Context, Cluster, dict[str, Any]], None],
    codes: dict[str, str],
    statuses: tuple[str, ...],
) -> dict[str, Any]:
    """Do something to each node named; the answer lists what worked and what did not, by instance id and by logical id."""
    cluster = find(context, params["ClusterName"])
    instance_ids, logical_ids = params.get("NodeIds") or [], params.get("NodeLogicalIds") or []
    if not instance_ids and not logical_ids:
        raise invalid("NodeIds or NodeLogicalIds must be given.")
    if logical_ids and not cluster["continuous"]:
        raise invalid("NodeLogicalIds is supported only for clusters with NodeProvisioningMode Continuous.")
    if cluster["status"] not in ("InService", "Failed"):
        raise conflict(f"Cluster {cluster['name']} is {cluster['status']}.")
    service = context.as_source("service")
    answer: dict[str, Any] = {"Successful": [], "Failed": []}
    if logical_ids:
        answer |= {"SuccessfulNodeLogicalIds": [], "FailedNodeLogicalIds": []}
    wanted = [("instance_id", "NodeId", "", one) for one in dict.fromkeys(instance_ids)]
    wanted += [("logical_id", "NodeLogicalId", "NodeLogicalIds", one) for one in dict.fromkeys(logical_ids)]
    for member, shown, suffix, identifier in wanted:
        node = next((one for one in nodes.of_cluster(context, cluster) if one[member] == identifier), None)
        if node is None:
            failure = {codes["member"]: codes["missing"], "Message": f"Node {identifier} could not be found."}
        elif node["status"] not in statuses:
            failure = {codes["member"]: codes["status"], "Message": f"Node {identifier} is {node['status']}."}
        else:
            act(service, cluster, node)
            answer[f"Successful{suffix}"].append(identifier)
            continue
        answer[f"Failed{suffix}"].append({shown: identifier, **failure})
    return answer
