"""A cluster's life: CREATING → ACTIVE (or FAILED), DELETING → gone, with what EKS makes and takes back on the way."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from sandbox.agenda import agenda_handler
from sandbox.aws.eks import access_entries, access_policies, addons, bookkeeping, control_plane_logs, network, pod_identities, updates
from sandbox.aws.eks.cluster import KIND, Cluster, key, lookup, save
from sandbox.aws.errors import AWSError
from sandbox.durations import duration
from sandbox.spread import hex_id, spread

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_BACKEND_RETRY = 15.0  # virtual seconds between looks at a control plane binary that is still being built
_HEALTH_CODES = {
    "InvalidSubnetID.NotFound": "Ec2SubnetNotFound",
    "InsufficientFreeAddressesInSubnet": "InsufficientFreeAddresses",
    "InvalidGroup.NotFound": "Ec2SecurityGroupNotFound",
    "InvalidVpcID.NotFound": "VpcNotFound",
    "UnauthorizedOperation": "AccessDenied",
}


def begin(context: Context, cluster: Cluster) -> None:
    reference = {"name": cluster["name"], "arn": cluster["arn"], "created": cluster["createdAt"]}
    service = context.as_source("service")
    service.schedule(context.now + duration("eks.cluster.network"), "eks.cluster.network", reference)
    service.schedule(context.now + duration("eks.cluster.create"), "eks.cluster.ready", reference)


def begin_deletion(context: Context, cluster: Cluster) -> None:
    reference = {"name": cluster["name"], "arn": cluster["arn"], "created": cluster["createdAt"]}
    longest = duration("eks.cluster.delete")
    context.as_source("service").schedule(context.now + spread(cluster["arn"], longest * 0.6, longest), "eks.cluster.gone", reference)


def _referred(context: Context, reference: dict[str, Any], *statuses: str) -> Cluster | None:
    """The very cluster an event was meant for (not a later one of its name), when it is in one of the statuses."""
    cluster = lookup(context, reference["name"])
    if cluster is None or cluster["createdAt"] != reference["created"] or cluster["status"] not in statuses:
        return None
    return cluster


@agenda_handler("eks.cluster.network")
def make_network(context: Context, reference: dict[str, Any]) -> None:
    """Cluster security group and network interfaces; a failure ends the creation as EKS ends it, by a health issue."""
    cluster = _referred(context, reference, "CREATING")
    if cluster is None:
        return
    settings = cluster["resourcesVpcConfig"]
    try:
        subnets = context.call("ec2", "DescribeSubnets", {"SubnetIds": settings["subnetIds"]})["Subnets"]
        settings["clusterSecurityGroupId"] = network.make_security_group(context, cluster)
        cluster["_interfaces"] = network.make_interfaces(context, cluster, subnets)
    except AWSError as error:
        cluster["status"] = "FAILED"
        cluster["health"] = {
            "issues": [{"code": _HEALTH_CODES.get(error.code, "Other"), "message": error.message, "resourceIds": settings["subnetIds"]}]
        }
    save(context, cluster)


@agenda_handler("eks.cluster.ready")
def become_active(context: Context, reference: dict[str, Any]) -> None:
    """ACTIVE, but only once a control plane could start: while its binary is being built the cluster stays CREATING."""
    cluster = _referred(context, reference, "CREATING")
    if cluster is None:
        return
    backend = context.world.kube
    if backend is not None and not backend.available():
        # in the background: how long a build takes is not virtual time, so nothing can be fast-forwarded to its end
        context.schedule(context.now + _BACKEND_RETRY, "eks.cluster.ready", reference, background=True)
        return
    identifier = hex_id(f"{cluster['arn']}/{cluster['createdAt']}", 32).upper()
    if backend is None:  # AWS alone is simulated: the endpoint is one that nothing answers
        endpoint = f"https://{identifier}.gr7.{context.region}.eks.amazonaws.com"
        authority, issuer = "", f"https://oidc.eks.{context.region}.amazonaws.com/id/{identifier}"
    else:
        reserved = backend.reserve(key(context.account, context.region, cluster["name"]))
        endpoint, authority, issuer = reserved.endpoint, reserved.ca_pem, reserved.oidc_issuer
    cluster["endpoint"] = endpoint
    cluster["certificateAuthority"] = {"data": base64.b64encode(authority.encode()).decode()}
    cluster["identity"] = {"oidc": {"issuer": issuer}}
    cluster["status"] = "ACTIVE"
    save(context, cluster)
    control_plane_logs.write(context, cluster, f"Control plane of {cluster['name']} started")
    admit_creator(context, cluster)


def admit_creator(context: Context, cluster: Cluster) -> None:
    """An access entry for who made the cluster, when it was asked for: at the beginning, or when entries begin to be read. Before,
    under CONFIG_MAP alone, sign-in admits the creator without one."""
    access = cluster["accessConfig"]
    if not access["bootstrapClusterCreatorAdminPermissions"] or access["authenticationMode"] == "CONFIG_MAP":
        return
    creator = cluster["_creator"]
    if access_entries.lookup(context, cluster["name"], creator) is None:
        now = context.timestamp
        everywhere = {"type": "cluster", "namespaces": []}
        policy = {"policyArn": access_policies.CLUSTER_ADMIN, "accessScope": everywhere, "associatedAt": now, "modifiedAt": now}
        access_entries.add(context, cluster["name"], creator, policies=[policy])


@agenda_handler("eks.cluster.gone")
def become_gone(context: Context, reference: dict[str, Any]) -> None:
    """The cluster and all that lives in it; its interfaces and security group follow a little later."""
    cluster = _referred(context, reference, "DELETING")
    if cluster is None:
        return
    name = cluster["name"]
    # the last lines reach CloudWatch late: they make the group anew when somebody deleted it before the cluster was gone
    control_plane_logs.write(context, cluster, f"Control plane of {name} stopped")
    for entry in access_entries.entries(context, name):
        context.world.store.delete(access_entries.KIND, context.scope, f"{name}/{entry['principalArn']}")
    addons.forget(context, name)
    bookkeeping.forget(context, name)
    pod_identities.forget(context, name)
    updates.forget(context, name)
    context.world.store.delete(KIND, context.scope, name)
    if context.world.kube is not None:
        context.world.kube.release(key(context.account, context.region, name))
    leftovers = {"interfaces": cluster["_interfaces"], "group": cluster["resourcesVpcConfig"].get("clusterSecurityGroupId", "")}
    context.schedule(context.now + duration("eks.cluster.network.delete"), "eks.network.gone", leftovers)


@agenda_handler("eks.network.gone")
def remove_network(context: Context, leftovers: dict[str, Any]) -> None:
    network.remove(context, leftovers["interfaces"], leftovers["group"])
