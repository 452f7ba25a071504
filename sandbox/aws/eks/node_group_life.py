"""A node group's life: CREATING → ACTIVE or CREATE_FAILED, UPDATING → ACTIVE or DEGRADED, DELETING → gone, and its machines.

One event, `eks.nodegroup.tend`, does what an Auto Scaling group and EKS do together: launch what is missing, end what is too much,
let machines join, and say in the group's health what keeps it from being as it should be.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws import roles
from sandbox.aws.ec2 import instances
from sandbox.aws.eks import access_entries, addon_health, node_group, updates
from sandbox.aws.eks.cluster import lookup as lookup_cluster
from sandbox.aws.errors import AWSError
from sandbox.durations import duration
from sandbox.spread import hex_id, spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Group = dict[str, Any]
_SERVICE = "eks-nodegroup.amazonaws.com"
_SERVICE_ROLE = "AWSServiceRoleForAmazonEKSNodegroup"
_CODES = {
    "InvalidSubnetID.NotFound": "Ec2SubnetNotFound",
    "InsufficientFreeAddressesInSubnet": "InsufficientFreeAddresses",
    "InvalidGroup.NotFound": "Ec2SecurityGroupNotFound",
    "UnauthorizedOperation": "AccessDenied",
}
_JOIN_FAILED = "Instances failed to join the kubernetes cluster"
_UNHEALTHY = "Unhealthy nodes in the kubernetes cluster"


def begin(context: Context, group: Group) -> None:
    linked = f"arn:{context.partition}:iam::{context.account}:role/aws-service-role/{_SERVICE}/{_SERVICE_ROLE}"
    if roles.find_role(context, linked) is None:
        context.call("iam", "CreateServiceLinkedRole", {"AWSServiceName": _SERVICE})
    digits = hex_id(group["nodegroupArn"], 32)
    name = f"eks-{group['nodegroupName']}-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
    group["resources"] = {"autoScalingGroups": [{"name": name}]}
    group["_gives_up_at"] = context.now + duration("eks.nodegroup.give-up")
    node_group.save(context, group)
    _admit(context, group)
    _plan(context, group, "eks.nodegroup.tend", duration("eks.nodegroup.launch"))


def _admit(context: Context, group: Group) -> None:
    """EKS lets the nodes in by an access entry of their role, where the cluster has access entries."""
    cluster = lookup_cluster(context, group["clusterName"])
    if cluster is None or cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        return
    if access_entries.lookup(context, cluster["name"], group["nodeRole"]) is None:
        access_entries.add(context, cluster["name"], group["nodeRole"], kind="EC2_LINUX")


def begin_update(context: Context, group: Group, update: str) -> None:
    group.update(status="UPDATING", modifiedAt=context.timestamp)
    node_group.save(context, group)
    _plan(context, group, "eks.nodegroup.tend", 0)
    _plan(context, group, "eks.nodegroup.updated", duration("eks.nodegroup.update"), update=update)


def begin_deletion(context: Context, group: Group) -> None:
    group.update(status="DELETING", modifiedAt=context.timestamp)
    node_group.save(context, group)
    for node in node_group.nodes(context, group):
        node_group.save_node(context, {**node, "joined": False, "joins_at": None})
    longest = duration("eks.nodegroup.delete")
    _plan(context, group, "eks.nodegroup.gone", spread(group["nodegroupArn"], longest * 0.6, longest))


def _plan(context: Context, group: Group, what: str, seconds: float, *, background: bool = False, **more: str) -> None:
    reference = {"cluster": group["clusterName"], "group": group["nodegroupName"], "arn": group["nodegroupArn"], **more}
    context.as_source("service").schedule(context.now + seconds, what, reference, background=background)


def _referred(context: Context, reference: dict[str, Any]) -> Group | None:
    """The very group an event was meant for, not a later one of its name."""
    group = node_group.lookup(context, reference["cluster"], reference["group"])
    return group if group is not None and group["nodegroupArn"] == reference["arn"] else None


@agenda_handler("eks.nodegroup.tend")
def tend(context: Context, reference: dict[str, Any]) -> None:
    group = _referred(context, reference)
    if group is None or group["status"] in ("DELETING", "CREATE_FAILED"):
        return
    problem = _launch_missing(context, group) or _let_join(context, group)
    _end_surplus(context, group)
    group["health"] = {"issues": [problem] if problem else []}
    present = node_group.nodes(context, group)
    whole = len(present) == group["scalingConfig"]["desiredSize"] and all(node["joined"] for node in present)
    if group["status"] == "CREATING" and problem and context.now >= group["_gives_up_at"]:
        group["status"] = "CREATE_FAILED"
        node_group.save(context, group)
        return
    if group["status"] == "CREATING" and whole:
        group["status"] = "ACTIVE"
    elif group["status"] in ("ACTIVE", "DEGRADED"):
        group["status"] = "DEGRADED" if problem else "ACTIVE"
    node_group.save(context, group)
    if problem:
        # what may never end keeps nobody from waiting until all else has settled
        _plan(context, group, "eks.nodegroup.tend", duration("eks.nodegroup.retry"), background=group["status"] == "DEGRADED")
    joining = [node["joins_at"] for node in present if not node["joined"] and node["joins_at"] > context.now]
    if joining:
        _plan(context, group, "eks.nodegroup.tend", min(joining) - context.now)


def _launch_missing(context: Context, group: Group) -> dict[str, Any] | None:
    """The issue that keeps machines from being launched, None when none does."""
    missing = group["scalingConfig"]["desiredSize"] - len(node_group.nodes(context, group))
    for _ in range(missing):
        try:
            _launch(context, group)
        except AWSError as error:
            code = _CODES.get(error.code, "AsgInstanceLaunchFailures")
            said = f"Could not launch {_market(group)} Instances. {error.code} - {error.message} Launching EC2 instance failed."
            text = said if code == "AsgInstanceLaunchFailures" else error.message
            return {"code": code, "message": text, "resourceIds": [group["resources"]["autoScalingGroups"][0]["name"]]}
    return None


def _market(group: Group) -> str:
    return {"SPOT": "Spot", "CAPACITY_BLOCK": "Capacity Block"}.get(group["capacityType"], "On-Demand")


def _launch(context: Context, group: Group) -> None:
    """One machine, in the subnet that has the fewest; another type or zone where one has no capacity. Raises the last error."""
    service = context.as_source("service")
    cluster = lookup_cluster(context, group["clusterName"])
    assert cluster is not None  # noqa: S101 (a cluster with node groups is not deleted)
    counts = Counter(node["zone"] for node in node_group.nodes(context, group))
    where = service.call("ec2", "DescribeSubnets", {"SubnetIds": group["subnets"]})["Subnets"]
    where.sort(key=lambda subnet: counts[subnet["AvailabilityZone"]])
    trouble: AWSError | None = None
    for instance_type in group["_types"]:
        for subnet in where:
            try:
                made = instances.launch(
                    service,
                    instance_type,
                    subnet["SubnetId"],
                    [cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]],
                    market=group["capacityType"],
                    template=(group["_template"] or {}).get("data"),
                    instance_tags={
                        "eks:cluster-name": group["clusterName"],
                        "eks:nodegroup-name": group["nodegroupName"],
                        f"kubernetes.io/cluster/{group['clusterName']}": "owned",
                        "aws:autoscaling:groupName": group["resources"]["autoScalingGroups"][0]["name"],
                    },
                )
            except AWSError as error:
                trouble = error
                continue
            took = duration("eks.nodegroup.create")
            node = {
                "cluster": group["clusterName"],
                "group": group["nodegroupName"],
                "arn": group["nodegroupArn"],
                "instance_id": made["InstanceId"],
                "instance_type": instance_type,
                "zone": subnet["AvailabilityZone"],
                "zone_id": subnet["AvailabilityZoneId"],
                "ip": made["PrivateIpAddress"],
                "dns": made["PrivateDnsName"],
                "cidr": subnet["CidrBlock"],
                "joins_at": context.now + spread(made["InstanceId"], took * 0.5, took * 1.2),
                "joined": False,
            }
            node_group.save_node(context, node)
            return
    if trouble is not None:
        raise trouble


def _let_join(context: Context, group: Group) -> dict[str, Any] | None:
    """Machines whose time has come join; the issue that keeps them from it, None when none does."""
    waiting = [node for node in node_group.nodes(context, group) if not node["joined"] and node["joins_at"] <= context.now]
    if not waiting:
        return None
    ids = [node["instance_id"] for node in waiting]
    if roles.find_role(context, group["nodeRole"]) is None:
        return {"code": "IamNodeRoleNotFound", "message": f"The node role {group['nodeRole']} could not be found", "resourceIds": ids}
    cluster = lookup_cluster(context, group["clusterName"])
    config_map = cluster is not None and cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
    if not config_map and access_entries.lookup(context, group["clusterName"], group["nodeRole"]) is None:
        return {"code": "NodeCreationFailure", "message": _JOIN_FAILED, "resourceIds": ids}
    if addon_health.assess(context, group["clusterName"], "vpc-cni") is None:
        return {"code": "NodeCreationFailure", "message": _UNHEALTHY, "resourceIds": ids}
    for node in waiting:
        node_group.save_node(context, {**node, "joined": True})
    _tell_addons(context, group)
    return None


def _end_surplus(context: Context, group: Group) -> None:
    """The youngest go first: what AWS chooses depends on its termination policy."""
    for node in node_group.nodes(context, group)[group["scalingConfig"]["desiredSize"] :]:
        _end(context, node)


def _end(context: Context, node: dict[str, Any]) -> None:
    node_group.forget_node(context, node)
    instances.terminate(context, node["instance_id"])


def _tell_addons(context: Context, group: Group) -> None:
    """Without a Kubernetes backend the add-ons' health follows from the nodes alone."""
    if context.world.kube is None:
        addon_health.assess_all(context, group["clusterName"])


@agenda_handler("eks.nodegroup.updated")
def end_update(context: Context, reference: dict[str, Any]) -> None:
    """An update of the configuration has worked once the Auto Scaling group knows it; what then fails to launch is health."""
    group = _referred(context, reference)
    if group is None or group["status"] != "UPDATING":
        return
    group["status"] = "DEGRADED" if group["health"]["issues"] else "ACTIVE"
    node_group.save(context, group)
    updates.finish(context, group["clusterName"], reference["update"])


@agenda_handler("eks.nodegroup.gone")
def become_gone(context: Context, reference: dict[str, Any]) -> None:
    group = _referred(context, reference)
    if group is None or group["status"] != "DELETING":
        return
    for node in node_group.nodes(context, group):
        _end(context, node)
    cluster = group["clusterName"]
    context.world.store.delete(node_group.KIND, context.scope, node_group.key(cluster, group["nodegroupName"]))
    if all(other["nodeRole"] != group["nodeRole"] for other in node_group.of_cluster(context, cluster)):
        context.world.store.delete(access_entries.KIND, context.scope, f"{cluster}/{group['nodeRole']}")
    _tell_addons(context, group)
