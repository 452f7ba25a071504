"""The small stack of a subnet that is added to a cluster's network: for one instance group, or for a zone."""

from __future__ import annotations

from clusters.template.document import Output, Resource, Template, named, ref, sub
from clusters.template.metadata import LINT

SUBNET, ROUTES, DEFAULT_ROUTE, S3_ENDPOINT = "Subnet", "Routes", "DefaultRoute", "S3Endpoint"
SUBNET_ID = "SubnetId"
"""The output that names the subnet."""
EVERYWHERE = "0.0.0.0/0"


def group_network(stack: str, vpc: str, zone: str, cidr: str, target: tuple[str, str]) -> Template:
    """stack: its name, of which the names of its resources are made. target: property and id of what the default route goes to."""
    through, target_id = target
    return Template(
        f"InstantStart: subnet {cidr} in {zone} for instance groups",
        (
            Resource(
                SUBNET,
                "AWS::EC2::Subnet",
                stack,
                {"VpcId": vpc, "AvailabilityZone": zone, "CidrBlock": cidr, "MapPublicIpOnLaunch": False, "Tags": named(stack)},
            ),
            Resource(ROUTES, "AWS::EC2::RouteTable", f"{stack}-routes", {"VpcId": vpc, "Tags": named(f"{stack}-routes")}),
            Resource(
                DEFAULT_ROUTE,
                "AWS::EC2::Route",
                f"{EVERYWHERE} → {target_id}",
                {"RouteTableId": ref(ROUTES), "DestinationCidrBlock": EVERYWHERE, through: target_id},
            ),
            Resource(
                f"{SUBNET}Routes",
                "AWS::EC2::SubnetRouteTableAssociation",
                stack,
                {"SubnetId": ref(SUBNET), "RouteTableId": ref(ROUTES)},
            ),
            Resource(
                S3_ENDPOINT,
                "AWS::EC2::VPCEndpoint",
                f"{stack}-s3",
                {
                    "VpcId": vpc,
                    "VpcEndpointType": "Gateway",
                    "ServiceName": sub("com.amazonaws.${AWS::Region}.s3"),
                    "RouteTableIds": [ref(ROUTES)],
                },
            ),
        ),
        (Output(SUBNET_ID, ref(SUBNET), "Subnet of the nodes"),),
        LINT,
    )
