"""Security groups: made with a VPC (`default`) or by hand; what refers to one keeps it from being deleted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import limits, security_group_rule, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import ENDPOINTS, NETWORK_INTERFACES, SECURITY_GROUPS, VPCS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[\w ._\-:/()#,@\[\]+=&;{}!$*]{1,255}")
"""Characters of names and descriptions. Source: EC2 API reference, CreateSecurityGroup."""


def make(
    context: Context, vpc: Record, name: str, description: str, group_tags: list[dict[str, str]], *, rules: list[Record] | None = None
) -> Record:
    """A group. `rules` default to all egress, as EC2 gives one."""
    identifier = SECURITY_GROUPS.new_id(context)
    record: Record = {
        "GroupId": identifier,
        "GroupName": name,
        "Description": description,
        "VpcId": vpc["VpcId"],
        "OwnerId": context.account,
        "SecurityGroupArn": context.arn("ec2", f"security-group/{identifier}"),
        "Tags": group_tags,
        "rules": [],
        **({"seeded": True} if name == "default" and vpc.get("seeded") else {}),
    }
    everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    record["rules"] = [
        *security_group_rule.expand(context, record, [everything], egress=True),
        *(rules or []),
    ]
    return save(context, record)


def save(context: Context, record: Record) -> Record:
    """Keep it, with its permissions worked out from its rules."""
    record["IpPermissions"] = security_group_rule.permissions(record["rules"], egress=False)
    record["IpPermissionsEgress"] = security_group_rule.permissions(record["rules"], egress=True)
    SECURITY_GROUPS.put(context, record)
    return record


def make_default(context: Context, vpc: Record) -> Record:
    """The group `default` of a VPC: everything from itself comes in, everything goes out."""
    record = make(context, vpc, "default", "default VPC security group", [])
    itself = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": record["GroupId"]}]}
    record["rules"] += security_group_rule.expand(context, record, [itself], egress=False)
    return save(context, record)


@operation("ec2", "CreateSecurityGroup")
def create_security_group(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    name, description = params["GroupName"], params["Description"]
    vpc_id = params.get("VpcId")
    if vpc_id is None:
        default = VPCS.where(context, IsDefault=True)
        if not default:
            raise AWSError("VPCIdNotSpecified", "No default VPC for this user")
        vpc_id = default[0]["VpcId"]
    vpc = VPCS.get(context, vpc_id)
    for value, member in ((name, "GroupName"), (description, "GroupDescription")):
        if not _NAME.fullmatch(value):
            raise AWSError(
                "InvalidParameterValue",
                f"Value ({value}) for parameter {member} is invalid. "
                "Character sets beyond ASCII are not supported, and it may have 1 to 255 characters.",
            )
    if name.startswith("sg-"):
        raise AWSError(
            "InvalidParameterValue", f"Value ({name}) for parameter GroupName is invalid. Group names may not be in the format sg-*."
        )
    if name == "default":
        raise AWSError("InvalidGroup.Reserved", "The security group 'default' is reserved")
    if SECURITY_GROUPS.where(context, VpcId=vpc_id, GroupName=name):
        raise AWSError("InvalidGroup.Duplicate", f"The security group '{name}' already exists for VPC '{vpc_id}'")
    group_tags = tags.from_specifications(context, params, "security-group")
    limits.check(context, limits.SECURITY_GROUPS, len(SECURITY_GROUPS.all(context)))
    record = make(context, vpc, name, description, group_tags)
    return {"GroupId": record["GroupId"], "Tags": group_tags, "SecurityGroupArn": record["SecurityGroupArn"]}


@operation("ec2", "DescribeSecurityGroups")
def describe_security_groups(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = SECURITY_GROUPS.select(context, params.get("GroupIds"), params.get("Filters"))
    names = params.get("GroupNames")
    if names:
        found = [group for group in found if group["GroupName"] in names]
        missing = set(names) - {group["GroupName"] for group in found}
        if missing:
            raise AWSError("InvalidGroup.NotFound", f"The security group '{min(missing)}' does not exist in default VPC")
    return {"SecurityGroups": [wire(group) for group in found]}


def referring(context: Context, group_id: str) -> list[str]:
    """Identifiers of what keeps the group: interfaces, endpoints, and other groups whose rules name it."""
    found = [
        interface["NetworkInterfaceId"]
        for interface in NETWORK_INTERFACES.all(context)
        if any(group["GroupId"] == group_id for group in interface["Groups"])
    ]
    found += [
        endpoint["VpcEndpointId"]
        for endpoint in ENDPOINTS.all(context)
        if any(group["GroupId"] == group_id for group in endpoint["Groups"])
    ]
    found += [
        group["GroupId"]
        for group in SECURITY_GROUPS.all(context)
        if group["GroupId"] != group_id
        and any((rule.get("ReferencedGroupInfo") or {}).get("GroupId") == group_id for rule in group["rules"])
    ]
    return found


@operation("ec2", "DeleteSecurityGroup")
def delete_security_group(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Errors: CannotDelete for `default`; DependencyViolation while something refers to it."""
    check_dry_run(params)
    identifier = params.get("GroupId")
    if not identifier:
        raise AWSError("MissingParameter", "The request must contain the parameter GroupName or GroupId")
    group = SECURITY_GROUPS.get(context, identifier)
    if group["GroupName"] == "default":
        raise AWSError("CannotDelete", f'the specified group: "{identifier}" name: "default" cannot be deleted by a user')
    if referring(context, identifier):
        raise AWSError("DependencyViolation", f"resource {identifier} has a dependent object")
    SECURITY_GROUPS.delete(context, identifier)
    return {"Return": True, "GroupId": identifier}
