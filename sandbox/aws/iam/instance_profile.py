"""Instance profiles: the wrapping in which EC2 instances get a role (one at most)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.iam import role
from sandbox.aws.iam.entities import (
    INSTANCE_PROFILES,
    ROLES,
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


def view(context: Context, record: Record) -> Record:
    roles = [ROLES.find(context, name) for name in record["roles"]]
    return {**wire(record), "Roles": [role.view(one) for one in roles if one is not None]}


@operation("iam", "CreateInstanceProfile")
def create_instance_profile(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, path = params["InstanceProfileName"], path_of(params)
    if INSTANCE_PROFILES.find(context, name) is not None:
        raise exists_already(f"Instance Profile {name} already exists.")
    record: Record = {
        "InstanceProfileName": name,
        "InstanceProfileId": stable_id("AIPA", context.account, name, context.new_id("")),
        "Arn": context.arn("iam", f"instance-profile{path}{name}"),
        "Path": path,
        "CreateDate": context.timestamp,
        "Tags": merge_tags([], params.get("Tags") or []),
        "roles": [],
    }
    INSTANCE_PROFILES.put(context, record)
    return {"InstanceProfile": view(context, record)}


@operation("iam", "GetInstanceProfile")
def get_instance_profile(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"InstanceProfile": view(context, INSTANCE_PROFILES.get(context, params["InstanceProfileName"]))}


@operation("iam", "ListInstanceProfiles")
def list_instance_profiles(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"InstanceProfiles": [view(context, one) for one in INSTANCE_PROFILES.under(context, params)], "IsTruncated": False}


@operation("iam", "ListInstanceProfilesForRole")
def list_instance_profiles_for_role(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name = ROLES.get(context, params["RoleName"])["RoleName"]
    found = [view(context, one) for one in INSTANCE_PROFILES.all(context) if name in one["roles"]]
    return {"InstanceProfiles": found, "IsTruncated": False}


@operation("iam", "AddRoleToInstanceProfile")
def add_role_to_instance_profile(context: Context, params: dict[str, Any]) -> None:
    record = INSTANCE_PROFILES.get(context, params["InstanceProfileName"])
    name = ROLES.get(context, params["RoleName"])["RoleName"]
    if record["roles"]:
        raise limit_exceeded("Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1")
    record["roles"] = [name]
    INSTANCE_PROFILES.put(context, record)


@operation("iam", "RemoveRoleFromInstanceProfile")
def remove_role_from_instance_profile(context: Context, params: dict[str, Any]) -> None:
    record = INSTANCE_PROFILES.get(context, params["InstanceProfileName"])
    if params["RoleName"] not in record["roles"]:
        raise no_such(f"Role {params['RoleName']} in instance profile {record['InstanceProfileName']} cannot be found.")
    record["roles"].remove(params["RoleName"])
    INSTANCE_PROFILES.put(context, record)


@operation("iam", "DeleteInstanceProfile")
def delete_instance_profile(context: Context, params: dict[str, Any]) -> None:
    record = INSTANCE_PROFILES.get(context, params["InstanceProfileName"])
    if record["roles"]:
        raise conflict("Cannot delete entity, must remove roles from instance profile first.")
    INSTANCE_PROFILES.delete(context, record["InstanceProfileName"])


@operation("iam", "TagInstanceProfile")
def tag_instance_profile(context: Context, params: dict[str, Any]) -> None:
    record = INSTANCE_PROFILES.get(context, params["InstanceProfileName"])
    record["Tags"] = merge_tags(record["Tags"], params["Tags"])
    INSTANCE_PROFILES.put(context, record)


@operation("iam", "UntagInstanceProfile")
def untag_instance_profile(context: Context, params: dict[str, Any]) -> None:
    record = INSTANCE_PROFILES.get(context, params["InstanceProfileName"])
    record["Tags"] = without_tags(record["Tags"], params["TagKeys"])
    INSTANCE_PROFILES.put(context, record)


@operation("iam", "ListInstanceProfileTags")
def list_instance_profile_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Tags": INSTANCE_PROFILES.get(context, params["InstanceProfileName"])["Tags"], "IsTruncated": False}
