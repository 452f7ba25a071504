"""What a deletion in EC2 is about, for policies that name resources; other calls touch several kinds and go without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.permissions import resource_arn

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_MEMBERS = {
    "DeleteVpc": ("VpcId", "vpc"),
    "DeleteSubnet": ("SubnetId", "subnet"),
    "DeleteInternetGateway": ("InternetGatewayId", "internet-gateway"),
    "DeleteLaunchTemplate": ("LaunchTemplateId", "launch-template"),
    "DeleteNatGateway": ("NatGatewayId", "natgateway"),
    "DeleteNetworkInterface": ("NetworkInterfaceId", "network-interface"),
    "DeleteRouteTable": ("RouteTableId", "route-table"),
    "DeleteSecurityGroup": ("GroupId", "security-group"),
    "ReleaseAddress": ("AllocationId", "elastic-ip"),
}


@resource_arn("ec2")
def about(context: Context, params: dict[str, Any]) -> str:
    member, noun = _MEMBERS.get(context.operation, ("", ""))
    identifier = params.get(member)
    return context.arn("ec2", f"{noun}/{identifier}") if identifier else "*"
