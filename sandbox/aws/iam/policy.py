"""Managed policies and their versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.iam import aws_managed, documents
from sandbox.aws.iam.entities import (
    POLICIES,
    ROLES,
    USERS,
    Record,
    conflict,
    exists_already,
    limit_exceeded,
    merge_tags,
    no_such,
    path_of,
    wire,
    without_tags,
)
from sandbox.aws.registry import operation
from sandbox.identity import stable_id

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_VERSIONS_LIMIT = 5


def get(context: Context, arn: str) -> Record:
    """The policy, AWS's own included."""
    if arn in aws_managed.POLICIES:
        return aws_managed.record(arn)
    record = POLICIES.find(context, arn)
    if record is None:
        raise no_such(f"Policy {arn} was not found.")
    return record


def _own(context: Context, arn: str) -> Record:
    if arn in aws_managed.POLICIES:
        raise AWSError("AccessDenied", f"Policy {arn} is managed by AWS and cannot be changed.", 403)
    return get(context, arn)


def attached_to(context: Context, arn: str) -> list[Record]:
    return [entity for entities in (ROLES, USERS) for entity in entities.all(context) if arn in entity["attached"]]


def view(context: Context, record: Record) -> Record:
    return {**wire(record), "AttachmentCount": len(attached_to(context, record["Arn"]))}


def _version(record: Record, identifier: str) -> Record:
    version = record["versions"].get(identifier)
    if version is None:
        raise no_such(f"Policy {record['Arn']} version {identifier} does not exist or is not attachable.")
    return {
        "VersionId": identifier,
        "IsDefaultVersion": identifier == record["DefaultVersionId"],
        "CreateDate": version["CreateDate"],
        "Document": documents.encoded(version["Document"]),
    }


def _check(document: str) -> None:
    documents.check_identity(document)
    if documents.size(document) > documents.MANAGED_LIMIT:
        raise limit_exceeded(f"Cannot exceed quota for PolicySize: {documents.MANAGED_LIMIT}")


@operation("iam", "CreatePolicy")
def create_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, path = params["PolicyName"], path_of(params)
    _check(params["PolicyDocument"])
    if any(record["PolicyName"] == name for record in POLICIES.all(context)):
        raise exists_already(f"A policy called {name} already exists. Duplicate names are not allowed.")
    record: Record = {
        "PolicyName": name,
        "PolicyId": stable_id("ANPA", context.account, name, context.new_id("")),
        "Arn": context.arn("iam", f"policy{path}{name}"),
        "Path": path,
        "DefaultVersionId": "v1",
        "PermissionsBoundaryUsageCount": 0,
        "IsAttachable": True,
        "CreateDate": context.timestamp,
        "UpdateDate": context.timestamp,
        "Tags": merge_tags([], params.get("Tags") or []),
        "versions": {"v1": {"Document": params["PolicyDocument"], "CreateDate": context.timestamp}},
        "next_version": 2,
    }
    if params.get("Description"):
        record["Description"] = params["Description"]
    POLICIES.put(context, record)
    return {"Policy": view(context, record)}


@operation("iam", "GetPolicy")
def get_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Policy": view(context, get(context, params["PolicyArn"]))}


@operation("iam", "ListPolicies")
def list_policies(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    scope = params.get("Scope") or "All"
    records: list[Record] = []
    if scope in ("All", "Local"):
        records += POLICIES.all(context)
    if scope in ("All", "AWS"):
        records += [aws_managed.record(arn) for arn in aws_managed.POLICIES]
    prefix = params.get("PathPrefix") or "/"
    views = [view(context, record) for record in records if record["Path"].startswith(prefix)]
    if params.get("OnlyAttached"):
        views = [one for one in views if one["AttachmentCount"]]
    for one in views:
        one.pop("Tags", None)
        one.pop("Description", None)
    return {"Policies": views, "IsTruncated": False}


@operation("iam", "DeletePolicy")
def delete_policy(context: Context, params: dict[str, Any]) -> None:
    """Errors: DeleteConflict while it is attached or has other versions than its default one."""
    record = _own(context, params["PolicyArn"])
    if attached_to(context, record["Arn"]):
        raise conflict("Cannot delete a policy attached to entities.")
    if len(record["versions"]) > 1:
        raise conflict("This policy has more than one version. Before you delete a policy, you must delete the policy's versions.")
    POLICIES.delete(context, record["Arn"])


@operation("iam", "CreatePolicyVersion")
def create_policy_version(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = _own(context, params["PolicyArn"])
    _check(params["PolicyDocument"])
    if len(record["versions"]) >= _VERSIONS_LIMIT:
        raise limit_exceeded(
            f"A managed policy can have up to {_VERSIONS_LIMIT} versions. "
            "Before you create a new version, you must delete an existing version."
        )
    identifier = f"v{record['next_version']}"
    record["next_version"] += 1
    record["versions"][identifier] = {"Document": params["PolicyDocument"], "CreateDate": context.timestamp}
    record["UpdateDate"] = context.timestamp
    if params.get("SetAsDefault"):
        record["DefaultVersionId"] = identifier
    POLICIES.put(context, record)
    version = _version(record, identifier)
    del version["Document"]
    return {"PolicyVersion": version}


@operation("iam", "GetPolicyVersion")
def get_policy_version(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"PolicyVersion": _version(get(context, params["PolicyArn"]), params["VersionId"])}


@operation("iam", "ListPolicyVersions")
def list_policy_versions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = get(context, params["PolicyArn"])
    versions = [_version(record, identifier) for identifier in reversed(record["versions"])]
    for version in versions:
        del version["Document"]
    return {"Versions": versions, "IsTruncated": False}


@operation("iam", "SetDefaultPolicyVersion")
def set_default_policy_version(context: Context, params: dict[str, Any]) -> None:
    record = _own(context, params["PolicyArn"])
    record["DefaultVersionId"] = _version(record, params["VersionId"])["VersionId"]
    POLICIES.put(context, record)


@operation("iam", "DeletePolicyVersion")
def delete_policy_version(context: Context, params: dict[str, Any]) -> None:
    record = _own(context, params["PolicyArn"])
    version = _version(record, params["VersionId"])
    if version["IsDefaultVersion"]:
        raise conflict("Cannot delete the default version of a policy.")
    del record["versions"][params["VersionId"]]
    POLICIES.put(context, record)


@operation("iam", "ListEntitiesForPolicy")
def list_entities_for_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    arn = get(context, params["PolicyArn"])["Arn"]
    roles = [{"RoleName": role["RoleName"], "RoleId": role["RoleId"]} for role in ROLES.all(context) if arn in role["attached"]]
    users = [{"UserName": user["UserName"], "UserId": user["UserId"]} for user in USERS.all(context) if arn in user["attached"]]
    return {"PolicyRoles": roles, "PolicyUsers": users, "PolicyGroups": [], "IsTruncated": False}


@operation("iam", "TagPolicy")
def tag_policy(context: Context, params: dict[str, Any]) -> None:
    record = _own(context, params["PolicyArn"])
    record["Tags"] = merge_tags(record["Tags"], params["Tags"])
    POLICIES.put(context, record)


@operation("iam", "UntagPolicy")
def untag_policy(context: Context, params: dict[str, Any]) -> None:
    record = _own(context, params["PolicyArn"])
    record["Tags"] = without_tags(record["Tags"], params["TagKeys"])
    POLICIES.put(context, record)


@operation("iam", "ListPolicyTags")
def list_policy_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Tags": get(context, params["PolicyArn"])["Tags"], "IsTruncated": False}
