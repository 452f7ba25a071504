"""Roles: who may assume them (trust policy), for how long, and the service-linked ones that AWS services make for themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.iam import documents, principals
from sandbox.aws.iam.entities import INSTANCE_PROFILES, ROLES, Record, conflict, exists_already, limit_exceeded, merge_tags, path_of, wire
from sandbox.aws.registry import operation
from sandbox.aws.service_quotas.values import value_of
from sandbox.identity import stable_id

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_QUOTA = 1000
"""Roles of an account. Source: IAM quotas."""

_LINKED = {
    "eks.amazonaws.com": ("AWSServiceRoleForAmazonEKS", "AmazonEKSServiceRolePolicy"),
    "eks-nodegroup.amazonaws.com": ("AWSServiceRoleForAmazonEKSNodegroup", "AWSServiceRoleForAmazonEKSNodegroup"),
    "hyperpod.sagemaker.amazonaws.com": ("AWSServiceRoleForSageMakerHyperPod", "AmazonSageMakerHyperPodServiceRolePolicy"),
    "elasticloadbalancing.amazonaws.com": ("AWSServiceRoleForElasticLoadBalancing", "AWSElasticLoadBalancingServiceRolePolicy"),
    "nat-gateway.vpc.amazonaws.com": ("AWSServiceRoleForNATGateway", "AWSNATGatewayServiceRolePolicy"),
}


def view(record: Record) -> Record:
    answer = wire(record)
    answer["AssumeRolePolicyDocument"] = documents.encoded(record["trust"])
    answer.setdefault("RoleLastUsed", {})
    return answer


def _make(context: Context, name: str, path: str, trust: str, **more: Any) -> Record:
    record: Record = {
        "RoleName": name,
        "Path": path,
        "RoleId": stable_id("AROA", context.account, name, context.new_id("")),
        "Arn": context.arn("iam", f"role{path}{name}"),
        "CreateDate": context.timestamp,
        "MaxSessionDuration": 3600,
        "Tags": [],
        "trust": trust,
        "policies": {},
        "attached": [],
        **more,
    }
    ROLES.put(context, record)
    return record


@operation("iam", "CreateRole")
def create_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = params["RoleName"]
    path = path_of(params)
    if path.startswith("/aws-service-role/"):
        raise AWSError("ValidationError", "The path /aws-service-role/ is reserved for service-linked roles: use CreateServiceLinkedRole.")
    documents.check_trust(context, params["AssumeRolePolicyDocument"])
    if ROLES.find(context, name) is not None:
        raise exists_already(f"Role with name {name} already exists.")
    quota = int(value_of(context, "iam", "L-FE177D64") or _QUOTA)
    reached = context.world.faults.scenario("quota_reached", name="Roles per account") is not None
    if reached or context.world.store.count(ROLES.kind, context.account) >= quota:
        raise limit_exceeded(f"Cannot exceed quota for RolesPerAccount: {quota}")
    more: Record = {"Tags": merge_tags([], params.get("Tags") or []), "MaxSessionDuration": params.get("MaxSessionDuration") or 3600}
    if params.get("Description") is not None:
        more["Description"] = params["Description"]
    if params.get("PermissionsBoundary"):
        more["PermissionsBoundary"] = principals.boundary(context, params["PermissionsBoundary"])
    return {"Role": view(_make(context, name, path, params["AssumeRolePolicyDocument"], **more))}


@operation("iam", "GetRole")
def get_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Role": view(ROLES.get(context, params["RoleName"]))}


@operation("iam", "ListRoles")
def list_roles(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Without tags, boundary and last use, as IAM lists them."""
    roles = [view(record) for record in ROLES.under(context, params)]
    hidden = ("Tags", "PermissionsBoundary", "RoleLastUsed")
    return {"Roles": [{name: value for name, value in role.items() if name not in hidden} for role in roles], "IsTruncated": False}


@operation("iam", "UpdateRole")
def update_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = _changeable(context, params)
    for member in ("Description", "MaxSessionDuration"):
        if params.get(member) is not None:
            record[member] = params[member]
    ROLES.put(context, record)
    return {}


@operation("iam", "UpdateRoleDescription")
def update_role_description(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = _changeable(context, params)
    record["Description"] = params["Description"]
    ROLES.put(context, record)
    return {"Role": view(record)}


@operation("iam", "UpdateAssumeRolePolicy")
def update_assume_role_policy(context: Context, params: dict[str, Any]) -> None:
    record = _changeable(context, params)
    documents.check_trust(context, params["PolicyDocument"])
    record["trust"] = params["PolicyDocument"]
    ROLES.put(context, record)


def _changeable(context: Context, params: dict[str, Any]) -> Record:
    record = ROLES.get(context, params["RoleName"])
    if record.get("linked"):
        raise AWSError(
            "UnmodifiableEntity",
            f"Cannot perform the operation on the protected role '{record['RoleName']}' - this role is only modifiable by AWS",
        )
    return record


@operation("iam", "DeleteRole")
def delete_role(context: Context, params: dict[str, Any]) -> None:
    """Errors: DeleteConflict while it has policies or is in an instance profile."""
    record = _changeable(context, params)
    if any(record["RoleName"] in profile["roles"] for profile in INSTANCE_PROFILES.all(context)):
        raise conflict("Cannot delete entity, must remove roles from instance profile first.")
    if record["attached"]:
        raise conflict("Cannot delete entity, must detach all policies first.")
    if record["policies"]:
        raise conflict("Cannot delete entity, must delete policies first.")
    ROLES.delete(context, record["RoleName"])


def ensure_service_linked_role(context: Context, service: str) -> Record:
    """The role a service makes for itself at its first use in an account. It stays, as on AWS, so the ledger does not tell of it."""
    name, policy = _LINKED[service]
    found = ROLES.find(context, name)
    if found is not None:
        return found
    trust = json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}]}
    )
    arn = f"arn:aws:iam::aws:policy/aws-service-role/{policy}"
    return _make(context, name, f"/aws-service-role/{service}/", trust, attached=[arn], linked=service, seeded=True)


@operation("iam", "CreateServiceLinkedRole")
def create_service_linked_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    service = params["AWSServiceName"]
    if service not in _LINKED:
        raise AWSError(
            "InvalidInput", f"Service role creation is not supported for service {service} by the sandbox; it knows {', '.join(_LINKED)}."
        )
    name = _LINKED[service][0]
    if ROLES.find(context, name) is not None:
        raise AWSError("InvalidInput", f"Service role name {name} has been taken in this account, please try a different suffix.")
    return {"Role": view(ensure_service_linked_role(context, service))}


@operation("iam", "DeleteServiceLinkedRole")
def delete_service_linked_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = ROLES.get(context, params["RoleName"])
    if not record.get("linked"):
        raise AWSError("InvalidInput", f"{record['RoleName']} is not a service-linked role.")
    ROLES.delete(context, record["RoleName"])
    return {"DeletionTaskId": f"task/aws-service-role/{record['linked']}/{record['RoleName']}/{context.request_id}"}


@operation("iam", "GetServiceLinkedRoleDeletionStatus")
def get_service_linked_role_deletion_status(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Status": "SUCCEEDED"}
