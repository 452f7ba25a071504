"""The stored EKS cluster: kind `eks.cluster`, scope account/region, key the name; members as DescribeCluster gives them.

Members of our own start with an underscore and leave the store only through `/_sandbox/state`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.errors import invalid_request, not_found

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.cluster"

Cluster = dict[str, Any]


def lookup(context: Context, name: str) -> Cluster | None:
    return context.world.store.get(KIND, context.scope, name)


def find(context: Context, name: str) -> Cluster:
    """The cluster, or EKS's ResourceNotFoundException."""
    cluster = lookup(context, name)
    if cluster is None:
        raise not_found(f"No cluster found for name: {name}.", clusterName=name)
    return cluster


def find_active(context: Context, name: str) -> Cluster:
    """The cluster when it can take add-ons and access entries; else InvalidRequestException, as while it is CREATING."""
    cluster = find(context, name)
    if cluster["status"] not in ("ACTIVE", "UPDATING"):
        raise invalid_request(f"Cluster '{name}' is not in a valid state: it is {cluster['status']}, not ACTIVE.", clusterName=name)
    return cluster


def save(context: Context, cluster: Cluster) -> None:
    context.world.store.put(KIND, context.scope, cluster["name"], cluster)


def view(cluster: Cluster) -> Cluster:
    """What the API shows: without our own members."""
    return {name: value for name, value in cluster.items() if not name.startswith("_")}


def key(account: str, region: str, name: str) -> str:
    """The name the Kubernetes backend knows the cluster by."""
    return f"{account}/{region}/{name}"
