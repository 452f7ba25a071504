"""Network ACLs: the default one of each VPC, which lets everything through, and its association with every subnet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2.table import Record, wire
from sandbox.aws.ec2.tables import NETWORK_ACLS
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def make_default(context: Context, vpc: Record) -> Record:
    entries = [
        {"CidrBlock": "0.0.0.0/0", "Egress": egress, "Protocol": "-1", "RuleAction": action, "RuleNumber": number}
        for egress in (True, False)
        for action, number in (("allow", 100), ("deny", 32767))
    ]
    record: Record = {
        "NetworkAclId": NETWORK_ACLS.new_id(context),
        "VpcId": vpc["VpcId"],
        "IsDefault": True,
        "OwnerId": context.account,
        "Entries": entries,
        "Associations": [],
        "Tags": [],
    }
    if vpc.get("seeded"):
        record["seeded"] = True
    NETWORK_ACLS.put(context, record)
    return record


def associate(context: Context, subnet: Record) -> None:
    """A new subnet goes under its VPC's default ACL."""
    acl = NETWORK_ACLS.where(context, VpcId=subnet["VpcId"], IsDefault=True)[0]
    acl["Associations"].append(
        {
            "NetworkAclAssociationId": context.new_id("aclassoc"),
            "NetworkAclId": acl["NetworkAclId"],
            "SubnetId": subnet["SubnetId"],
        }
    )
    NETWORK_ACLS.put(context, acl)


def disassociate(context: Context, subnet: Record) -> None:
    for acl in NETWORK_ACLS.where(context, VpcId=subnet["VpcId"]):
        kept = [association for association in acl["Associations"] if association["SubnetId"] != subnet["SubnetId"]]
        if len(kept) != len(acl["Associations"]):
            acl["Associations"] = kept
            NETWORK_ACLS.put(context, acl)


@operation("ec2", "DescribeNetworkAcls")
def describe_network_acls(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"NetworkAcls": [wire(acl) for acl in NETWORK_ACLS.select(context, params.get("NetworkAclIds"), params.get("Filters"))]}
