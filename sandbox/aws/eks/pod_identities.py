"""Pod identity associations: kind `eks.pod-identity-association`, key cluster/association id. One a service account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws import roles
from sandbox.aws.eks.cluster import find, find_active
from sandbox.aws.eks.errors import in_use, invalid_parameter, not_found
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

KIND = "eks.pod-identity-association"
_SERVICE = "pods.eks.amazonaws.com"
_SUMMARY = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId", "ownerArn")


def associations(context: Context, cluster: str) -> list[dict[str, Any]]:
    return [row for row in context.world.store.list(KIND, context.scope) if row["clusterName"] == cluster]


def forget(context: Context, cluster: str) -> None:
    for row in associations(context, cluster):
        context.world.store.delete(KIND, context.scope, f"{cluster}/{row['associationId']}")


def release(context: Context, arns: list[str]) -> None:
    """Delete the associations that an add-on owned."""
    for row in context.world.store.list(KIND, context.scope):
        if row["associationArn"] in arns:
            context.world.store.delete(KIND, context.scope, f"{row['clusterName']}/{row['associationId']}")


def add(
    context: Context,
    cluster: str,
    namespace: str,
    service_account: str,
    role_arn: str,
    *,
    owner: str = "",
    token: str = "",
    details: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Check the role and the place, and store the association."""
    _check_role(context, role_arn)
    if any(row["namespace"] == namespace and row["serviceAccount"] == service_account for row in associations(context, cluster)):
        raise in_use(f"Association already exists: {service_account} in namespace {namespace}", clusterName=cluster)
    now = context.timestamp
    identifier = context.new_id("a")
    row = {
        "clusterName": cluster,
        "namespace": namespace,
        "serviceAccount": service_account,
        "roleArn": role_arn,
        "associationArn": context.arn("eks", f"podidentityassociation/{cluster}/{identifier}"),
        "associationId": identifier,
        "tags": {},
        "createdAt": now,
        "modifiedAt": now,
        "_token": token,
        **(details or {}),
    }
    if owner:
        row["ownerArn"] = owner
    context.world.store.put(KIND, context.scope, f"{cluster}/{identifier}", row)
    return row


def _check_role(context: Context, arn: str) -> None:
    role = roles.find_role(context, arn)
    if role is None:
        raise invalid_parameter(f"Role {arn} does not exist or is not in this account")
    if not roles.trusts(role, _SERVICE):
        raise invalid_parameter(f"Trust policy of role {arn} does not allow {_SERVICE} to assume it")
    roles.check_pass(context, arn)


def _view(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_")}


def _find(context: Context, cluster: str, identifier: str) -> dict[str, Any]:
    find(context, cluster)
    row = context.world.store.get(KIND, context.scope, f"{cluster}/{identifier}")
    if row is None:
        raise not_found(f"No pod identity association found for id: {identifier}", clusterName=cluster)
    return row


@operation("eks", "CreatePodIdentityAssociation")
def create_pod_identity_association(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster, token = params["clusterName"], params.get("clientRequestToken", "")
    find_active(context, cluster)
    for row in associations(context, cluster):
        if token and row["_token"] == token:
            return {"association": _view(row)}
    details = {member: params[member] for member in ("disableSessionTags", "targetRoleArn", "policy", "tags") if params.get(member)}
    made = add(context, cluster, params["namespace"], params["serviceAccount"], params["roleArn"], token=token, details=details)
    return {"association": _view(made)}


@operation("eks", "DescribePodIdentityAssociation")
def describe_pod_identity_association(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"association": _view(_find(context, params["clusterName"], params["associationId"]))}


@operation("eks", "ListPodIdentityAssociations")
def list_pod_identity_associations(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    cluster = params["clusterName"]
    find(context, cluster)
    wanted = [(member, params[member]) for member in ("namespace", "serviceAccount") if params.get(member)]
    rows = [row for row in associations(context, cluster) if all(row[member] == value for member, value in wanted)]
    return {"associations": [{member: row[member] for member in _SUMMARY if member in row} for row in rows]}


@operation("eks", "UpdatePodIdentityAssociation")
def update_pod_identity_association(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    row = _find(context, params["clusterName"], params["associationId"])
    if params.get("roleArn"):
        _check_role(context, params["roleArn"])
    for member in ("roleArn", "disableSessionTags", "targetRoleArn", "policy"):
        if member in params:
            row[member] = params[member]
    row["modifiedAt"] = context.timestamp
    context.world.store.put(KIND, context.scope, f"{row['clusterName']}/{row['associationId']}", row)
    return {"association": _view(row)}


@operation("eks", "DeletePodIdentityAssociation")
def delete_pod_identity_association(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    row = _find(context, params["clusterName"], params["associationId"])
    context.world.store.delete(KIND, context.scope, f"{row['clusterName']}/{row['associationId']}")
    return {"association": _view(row)}
