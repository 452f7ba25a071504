"""What EKS makes in the user's VPC: the cluster security group, and network interfaces of the control plane in its subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2.network_interface import delete_managed, make_managed
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_INTERFACES = 2  # EKS makes 2 to 4 in as many of the subnets
_GROUP_DESCRIPTION = (
    "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads."
)


def make_security_group(context: Context, cluster: dict[str, Any]) -> str:
    """The group `eks-cluster-sg-<name>-…`: everything between its members, everything out."""
    name = cluster["name"]
    group_id: str = context.call(
        "ec2",
        "CreateSecurityGroup",
        {
            "GroupName": f"eks-cluster-sg-{name}-{context.new_id('')[2:12]}",
            "Description": _GROUP_DESCRIPTION,
            "VpcId": cluster["resourcesVpcConfig"]["vpcId"],
            "TagSpecifications": [
                {
                    "ResourceType": "security-group",
                    "Tags": [
                        {"Key": "Name", "Value": f"eks-cluster-sg-{name}"},
                        {"Key": f"kubernetes.io/cluster/{name}", "Value": "owned"},
                        {"Key": "aws:eks:cluster-name", "Value": name},
                    ],
                }
            ],
        },
    )["GroupId"]
    permission = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    context.call("ec2", "AuthorizeSecurityGroupIngress", {"GroupId": group_id, "IpPermissions": [permission]})
    return group_id


def make_interfaces(context: Context, cluster: dict[str, Any], subnets: list[dict[str, Any]]) -> list[str]:
    """Interface ids, one a zone in two zones."""
    network = cluster["resourcesVpcConfig"]
    by_zone: dict[str, str] = {}
    for subnet in subnets:
        by_zone.setdefault(subnet["AvailabilityZone"], subnet["SubnetId"])
    made = []
    for zone in sorted(by_zone)[:_INTERFACES]:
        interface = make_managed(
            context,
            by_zone[zone],
            [network["clusterSecurityGroupId"], *network["securityGroupIds"]],
            description=f"Amazon EKS {cluster['name']}",
            requester="amazon-eks",
        )
        made.append(interface["NetworkInterfaceId"])
    return made


def remove(context: Context, interface_ids: list[str], group_id: str) -> None:
    """Take back interfaces and security group. A group that something else uses stays behind, as on AWS."""
    for interface_id in interface_ids:
        delete_managed(context, interface_id)
    if not group_id:
        return
    try:
        context.call("ec2", "DeleteSecurityGroup", {"GroupId": group_id})
    except AWSError as error:
        if error.code not in ("InvalidGroup.NotFound", "DependencyViolation"):
            raise
