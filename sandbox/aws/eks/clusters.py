"""CreateCluster, DescribeCluster, ListClusters, DeleteCluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import cluster_checks, cluster_life, control_plane_logs, node_groups, versions
from sandbox.aws.eks.cluster import KIND, find, lookup, save, view
from sandbox.aws.eks.errors import in_use, invalid_parameter, invalid_request, limit_exceeded
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_QUOTA = 100  # "Clusters" per region, EKS's default


@operation("eks", "CreateCluster")
def create_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, network, access = params["name"], params["resourcesVpcConfig"], params.get("accessConfig") or {}
    cluster_checks.check_name(name)
    existing = lookup(context, name)
    token = params.get("clientRequestToken", "")
    if existing is not None:
        if token and existing["_token"] == token:
            return {"cluster": view(existing)}
        raise in_use(f"Cluster already exists with name: {name}", clusterName=name)
    if params.get("outpostConfig") or (params.get("computeConfig") or {}).get("enabled"):
        raise invalid_parameter("Local clusters on Outposts and Auto Mode are not simulated by this sandbox.", clusterName=name)
    version = versions.runnable(params.get("version") or versions.DEFAULT.minor)
    if version is None:
        raise invalid_parameter(f"unsupported Kubernetes version {params['version']}", clusterName=name)
    mode = access.get("authenticationMode", "CONFIG_MAP")
    bootstrap = access.get("bootstrapClusterCreatorAdminPermissions", True)
    if context.world.store.count(KIND, context.scope) >= _QUOTA:
        raise limit_exceeded(f"Cluster limit exceeded for account. You may have up to {_QUOTA} clusters.", clusterName=name)
    cluster_checks.check_role(context, params["roleArn"], "eks.amazonaws.com")
    subnets = cluster_checks.subnets_of(context, network.get("subnetIds", []))
    vpc_id = subnets[0]["VpcId"]
    cluster_checks.check_security_groups(context, network.get("securityGroupIds", []), vpc_id)
    endpoint_access = cluster_checks.access_of(network)
    asked = params.get("kubernetesNetworkConfig") or {}
    service_cidr = cluster_checks.service_network(context, asked.get("serviceIpv4Cidr"), vpc_id)
    cluster = {
        "name": name,
        "arn": context.arn("eks", f"cluster/{name}"),
        "createdAt": context.timestamp,
        "version": version.minor,
        "platformVersion": version.platform,
        "roleArn": params["roleArn"],
        "status": "CREATING",
        "resourcesVpcConfig": {
            "subnetIds": network.get("subnetIds", []),
            "securityGroupIds": network.get("securityGroupIds", []),
            "vpcId": vpc_id,
            **endpoint_access,
        },
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": service_cidr,
            "ipFamily": asked.get("ipFamily", "ipv4"),
            "elasticLoadBalancing": {"enabled": False},
        },
        "logging": control_plane_logs.normalised(params.get("logging")),
        "certificateAuthority": {},
        "tags": params.get("tags") or {},
        "encryptionConfig": params.get("encryptionConfig") or [],
        "health": {"issues": []},
        "accessConfig": {"bootstrapClusterCreatorAdminPermissions": bootstrap, "authenticationMode": mode},
        "upgradePolicy": {"supportType": (params.get("upgradePolicy") or {}).get("supportType", "EXTENDED")},
        "zonalShiftConfig": params.get("zonalShiftConfig") or {"enabled": False},
        "deletionProtection": params.get("deletionProtection", False),
        "_token": token,
        "_creator": context.principal.identity_arn,
        "_interfaces": [],
    }
    save(context, cluster)
    cluster_life.begin(context, cluster)
    return {"cluster": view(cluster)}


@operation("eks", "DescribeCluster")
def describe_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"cluster": view(find(context, params["name"]))}


@operation("eks", "ListClusters")
def list_clusters(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"clusters": sorted(context.world.store.keys(KIND, context.scope))}


@operation("eks", "DeleteCluster")
def delete_cluster(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["name"]
    cluster = find(context, name)
    if cluster["deletionProtection"]:
        raise invalid_request(
            f"Cluster {name} has deletion protection enabled. Disable deletion protection before you delete the cluster.", clusterName=name
        )
    if node_groups.names(context, name):
        raise in_use("Cluster has nodegroups attached", clusterName=name)
    if cluster["status"] == "DELETING":
        return {"cluster": view(cluster)}
    if cluster["status"] in ("CREATING", "UPDATING"):
        raise in_use(f"Cluster {name} cannot be deleted while it is {cluster['status']}", clusterName=name)
    cluster["status"] = "DELETING"
    save(context, cluster)
    cluster_life.begin_deletion(context, cluster)
    return {"cluster": view(cluster)}
