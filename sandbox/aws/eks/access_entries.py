"""Access entries: which IAM principal may sign in to a cluster, as whom. Kind `eks.access-entry`, key cluster/principal ARN.

The API server's sign-in webhook reads the same rows, so an association is kept inside its entry (`policies`).
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sandbox.aws.eks import access_policies
from sandbox.aws.eks.cluster import Cluster, find
from sandbox.aws.eks.errors import in_use, invalid_parameter, invalid_request, not_found
from sandbox.aws.eks.principals import check_principal
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.access-entry"
STANDARD = "STANDARD"
NODE_GROUPS = {
    "EC2_LINUX": ["system:nodes"],
    "EC2_WINDOWS": ["system:nodes", "eks:kube-proxy-windows"],
    "FARGATE_LINUX": ["system:nodes", "system:bootstrappers", "system:node-proxier"],
    "EC2": ["system:nodes"],
    "HYBRID_LINUX": ["system:nodes"],
    "HYPERPOD_LINUX": ["system:nodes"],
}


def _cluster(context: Context, name: str) -> Cluster:
    cluster = find(context, name)
    if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise invalid_request(
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.", clusterName=name
        )
    return cluster


def entries(context: Context, cluster: str) -> list[dict[str, Any]]:
    return [entry for entry in context.world.store.list(KIND, context.scope) if entry["clusterName"] == cluster]


def lookup(context: Context, cluster: str, principal_arn: str) -> dict[str, Any] | None:
    return context.world.store.get(KIND, context.scope, f"{cluster}/{principal_arn}")


def _find(context: Context, cluster: str, principal_arn: str) -> dict[str, Any]:
    entry = lookup(context, cluster, principal_arn)
    if entry is None:
        raise not_found(
            "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
            clusterName=cluster,
        )
    return entry


def add(
    context: Context,
    cluster: str,
    principal_arn: str,
    *,
    kind: str = STANDARD,
    groups: list[str] | None = None,
    username: str = "",
    tags: dict[str, str] | None = None,
    token: str = "",
    policies: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Store an entry that has passed the checks."""
    now = context.timestamp
    identifier = str(uuid.uuid4())
    kind_of, _, name = principal_arn.split(":", 5)[5].partition("/")
    entry = {
        "clusterName": cluster,
        "principalArn": principal_arn,
        "kubernetesGroups": NODE_GROUPS.get(kind) or groups or [],
        "accessEntryArn": context.arn("eks", f"access-entry/{cluster}/{kind_of}/{context.account}/{name}/{identifier}"),
        "createdAt": now,
        "modifiedAt": now,
        "tags": tags or {},
        "username": username or _username(kind, principal_arn),
        "type": kind,
        "policies": policies or [],
        "_token": token,
    }
    context.world.store.put(KIND, context.scope, f"{cluster}/{principal_arn}", entry)
    return entry


def _username(kind: str, principal_arn: str) -> str:
    if kind in ("EC2_LINUX", "EC2_WINDOWS", "EC2"):
        return "system:node:{{EC2PrivateDNSName}}"
    if kind in ("HYPERPOD_LINUX", "HYBRID_LINUX", "FARGATE_LINUX"):
        return "system:node:{{SessionName}}"
    prefix, resource = principal_arn.rsplit(":", 1)
    if resource.startswith("role/"):
        account = prefix.split(":")[4]
        return f"{prefix.split(':')[0]}:{prefix.split(':')[1]}:sts::{account}:assumed-role/{resource.rsplit('/', 1)[1]}/{{{{SessionName}}}}"
    return principal_arn


def _view(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if not name.startswith("_") and name != "policies"}


@operation("eks", "CreateAccessEntry")
def create_access_entry(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, principal, kind = params["clusterName"], params["principalArn"], params.get("type", STANDARD)
    _cluster(context, name)
    groups = params.get("kubernetesGroups", [])
    if kind != STANDARD and kind not in NODE_GROUPS:
        raise invalid_parameter(
            f"The specified type is invalid: {kind}. It must be one of {', '.join([STANDARD, *NODE_GROUPS])}.", clusterName=name
        )
    if kind != STANDARD and (groups or params.get("username")):
        raise invalid_parameter(
            f"The following parameters are not allowed for the type {kind}: kubernetesGroups, username", clusterName=name
        )
    if any(group.startswith("system:") for group in groups):
        raise invalid_parameter("The kubernetes group name must not begin with system:", clusterName=name)
    if params.get("username", "").startswith(("system:", "eks:", "aws:", "amazon:", "iam:")):
        raise invalid_parameter("The username must not begin with system:, eks:, aws:, amazon: or iam:", clusterName=name)
    check_principal(context, principal)
    existing = lookup(context, name, principal)
    token = params.get("clientRequestToken", "")
    if existing is not None:
        if token and existing["_token"] == token:
            return {"accessEntry": _view(existing)}
        raise in_use("The specified access entry resource is already in use on this cluster.", clusterName=name)
    entry = add(
        context, name, principal, kind=kind, groups=groups, username=params.get("username", ""), tags=params.get("tags"), token=token
    )
    return {"accessEntry": _view(entry)}


@operation("eks", "DescribeAccessEntry")
def describe_access_entry(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    _cluster(context, params["clusterName"])
    return {"accessEntry": _view(_find(context, params["clusterName"], params["principalArn"]))}


@operation("eks", "UpdateAccessEntry")
def update_access_entry(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["clusterName"]
    _cluster(context, name)
    entry = _find(context, name, params["principalArn"])
    if entry["type"] != STANDARD:
        raise invalid_request(f"Access entries of the type {entry['type']} cannot be updated.", clusterName=name)
    for member in ("kubernetesGroups", "username"):
        if member in params:
            entry[member] = params[member]
    entry["modifiedAt"] = context.timestamp
    context.world.store.put(KIND, context.scope, f"{name}/{params['principalArn']}", entry)
    return {"accessEntry": _view(entry)}


@operation("eks", "DeleteAccessEntry")
def delete_access_entry(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["clusterName"]
    _cluster(context, name)
    _find(context, name, params["principalArn"])
    context.world.store.delete(KIND, context.scope, f"{name}/{params['principalArn']}")
    return {}


@operation("eks", "ListAccessEntries")
def list_access_entries(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["clusterName"]
    _cluster(context, name)
    wanted = params.get("associatedPolicyArn")
    return {
        "accessEntries": [
            entry["principalArn"]
            for entry in entries(context, name)
            if wanted is None or any(policy["policyArn"] == wanted for policy in entry["policies"])
        ]
    }


@operation("eks", "AssociateAccessPolicy")
def associate_access_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, policy_arn, scope = params["clusterName"], params["policyArn"], params["accessScope"]
    _cluster(context, name)
    entry = _find(context, name, params["principalArn"])
    if not access_policies.known(policy_arn):
        raise invalid_parameter(f"The policyArn {policy_arn} does not exist.", clusterName=name)
    if entry["type"] != STANDARD:
        raise invalid_request(f"Access policies cannot be associated with an access entry of the type {entry['type']}.", clusterName=name)
    namespaces = scope.get("namespaces", [])
    if (scope.get("type") == "namespace") != bool(namespaces):
        raise invalid_parameter("namespaces are required for the access scope type namespace, and only for it.", clusterName=name)
    now = context.timestamp
    before = next((policy for policy in entry["policies"] if policy["policyArn"] == policy_arn), None)
    associated = {
        "policyArn": policy_arn,
        "accessScope": {"type": scope.get("type", "cluster"), "namespaces": namespaces},
        "associatedAt": before["associatedAt"] if before else now,
        "modifiedAt": now,
    }
    entry["policies"] = [policy for policy in entry["policies"] if policy["policyArn"] != policy_arn] + [associated]
    context.world.store.put(KIND, context.scope, f"{name}/{params['principalArn']}", entry)
    return {"clusterName": name, "principalArn": params["principalArn"], "associatedAccessPolicy": associated}


@operation("eks", "DisassociateAccessPolicy")
def disassociate_access_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, policy_arn = params["clusterName"], params["policyArn"]
    _cluster(context, name)
    entry = _find(context, name, params["principalArn"])
    kept = [policy for policy in entry["policies"] if policy["policyArn"] != policy_arn]
    if len(kept) == len(entry["policies"]):
        raise not_found(f"The policyArn {policy_arn} is not associated with the access entry.", clusterName=name)
    entry["policies"] = kept
    context.world.store.put(KIND, context.scope, f"{name}/{params['principalArn']}", entry)
    return {}


@operation("eks", "ListAssociatedAccessPolicies")
def list_associated_access_policies(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["clusterName"]
    _cluster(context, name)
    entry = _find(context, name, params["principalArn"])
    return {"clusterName": name, "principalArn": params["principalArn"], "associatedAccessPolicies": entry["policies"]}
