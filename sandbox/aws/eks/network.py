"""What EKS makes in the user's VPC: the cluster security group, and network interfaces of the control plane in its subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_INTERFACES = 2  # EKS makes 2 to 4 in as many of the subnets


def make_security_group(context: Context, cluster: dict[str, Any]) -> str:
    """The group `eks-cluster-sg-<name>-…`: everything between its members, everything out."""
    name = cluster["name"]
    group_id: str = context.call(
        "ec2",
        "CreateSecurityGroup",
        {
            "GroupName": f"eks-cluster-sg-{name}-{context.new_id('')[1:10]}",
            "Description": "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads.",
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
        reply = context.call(
            "ec2",
            "CreateNetworkInterface",
            {
                "SubnetId": by_zone[zone],
                "Description": f"Amazon EKS {cluster['name']}",
                "Groups": [network["clusterSecurityGroupId"], *network["securityGroupIds"]],
            },
        )
        made.append(reply["NetworkInterface"]["NetworkInterfaceId"])
    return made


def remove(context: Context, interface_ids: list[str], group_id: str) -> None:
    """Take back interfaces and security group. A group that something else uses stays behind, as on AWS."""
    for interface_id in interface_ids:
        _ignoring(context, "DeleteNetworkInterface", {"NetworkInterfaceId": interface_id}, "InvalidNetworkInterfaceID.NotFound")
    if group_id:
        _ignoring(context, "DeleteSecurityGroup", {"GroupId": group_id}, "InvalidGroup.NotFound", "DependencyViolation")


def _ignoring(context: Context, operation: str, params: dict[str, Any], *codes: str) -> None:
    try:
        context.call("ec2", operation, params)
    except AWSError as error:
        if error.code not in codes:
            raise
