"""VPC, subnets, routes and gateways of a new network; for an existing one only its ids."""

from __future__ import annotations

from dataclasses import dataclass

from clusters.resolved import ResolvedSpec, Subnet
from clusters.template.document import Resource, Value, att, named, ref, sub

VPC, INTERNET_GATEWAY, ATTACHMENT = "Vpc", "InternetGateway", "InternetGatewayAttachment"
NAT, NAT_ADDRESS = "NatGateway", "NatAddress"
PUBLIC_ROUTES, PRIVATE_ROUTES, COMPUTE_ROUTES = "PublicRoutes", "PrivateRoutes", "ComputeRoutes"
COMPUTE_SUBNET, S3_ENDPOINT = "ComputeSubnet", "S3Endpoint"
_EVERYWHERE = "0.0.0.0/0"


@dataclass(frozen=True)
class NetworkIds:
    """What the rest of the template refers to. ready: resources after which the private subnets reach the internet."""

    vpc: Value
    private_subnets: list[Value]
    public_subnets: list[Value]
    compute_subnet: Value
    ready: tuple[str, ...]


def resources(spec: ResolvedSpec) -> list[Resource]:
    """Everything of a new network; nothing for an existing one.

    One NAT gateway, in the zone of the nodes: nothing of a cluster runs in the other zone, which only lends EKS its second
    subnet, and traffic of the nodes never crosses zones.
    """
    if spec.network.existing:
        return []
    return [*_vpc(spec), *_public(spec), *_nat(spec), *_private(spec), *_compute(spec), _s3_endpoint(spec)]


def ids(spec: ResolvedSpec) -> NetworkIds:
    network = spec.network
    if network.existing:
        return NetworkIds(network.vpc_id, [subnet.id for subnet in network.private], [], network.compute.id, ())
    return NetworkIds(
        vpc=ref(VPC),
        private_subnets=[ref(_logical("Private", index)) for index, _ in enumerate(network.private)],
        public_subnets=[ref(_logical("Public", index)) for index, _ in enumerate(network.public)],
        compute_subnet=ref(COMPUTE_SUBNET),
        ready=("PrivateDefaultRoute", "ComputeDefaultRoute"),
    )


def _logical(kind: str, index: int) -> str:
    return f"{kind}Subnet{index + 1}"


def _name(spec: ResolvedSpec, part: str) -> str:
    return f"instantstart-{spec.name}-{part}"


def _vpc(spec: ResolvedSpec) -> list[Resource]:
    name = _name(spec, "vpc")
    return [
        Resource(
            VPC,
            "AWS::EC2::VPC",
            name,
            # Both DNS switches: the private endpoint of EKS and FSx's names resolve only with them.
            {"CidrBlock": spec.network.vpc_cidr, "EnableDnsSupport": True, "EnableDnsHostnames": True, "Tags": named(name)},
        ),
        Resource(INTERNET_GATEWAY, "AWS::EC2::InternetGateway", _name(spec, "igw"), {"Tags": named(_name(spec, "igw"))}),
        Resource(
            ATTACHMENT,
            "AWS::EC2::VPCGatewayAttachment",
            _name(spec, "igw"),
            {"VpcId": ref(VPC), "InternetGatewayId": ref(INTERNET_GATEWAY)},
        ),
    ]


def _subnet(spec: ResolvedSpec, logical_id: str, part: str, subnet: Subnet, role_tag: str = "") -> Resource:
    name = _name(spec, f"{part}-{subnet.zone.name}")
    tags = named(name, **({role_tag: "1"} if role_tag else {}))
    properties = {
        "VpcId": ref(VPC),
        "AvailabilityZone": subnet.zone.name,
        "CidrBlock": subnet.cidr,
        "MapPublicIpOnLaunch": False,
        "Tags": tags,
    }
    return Resource(logical_id, "AWS::EC2::Subnet", name, properties)


def _routes(spec: ResolvedSpec, logical_id: str, part: str) -> Resource:
    name = _name(spec, f"{part}-routes")
    return Resource(logical_id, "AWS::EC2::RouteTable", name, {"VpcId": ref(VPC), "Tags": named(name)})


def _association(subnet: str, routes: str, name: str) -> Resource:
    return Resource(
        f"{subnet}Routes",
        "AWS::EC2::SubnetRouteTableAssociation",
        name,
        {"SubnetId": ref(subnet), "RouteTableId": ref(routes)},
    )


def _public(spec: ResolvedSpec) -> list[Resource]:
    made = [
        _routes(spec, PUBLIC_ROUTES, "public"),
        Resource(
            "PublicDefaultRoute",
            "AWS::EC2::Route",
            f"{_EVERYWHERE} → internet gateway",
            {"RouteTableId": ref(PUBLIC_ROUTES), "DestinationCidrBlock": _EVERYWHERE, "GatewayId": ref(INTERNET_GATEWAY)},
            depends_on=(ATTACHMENT,),
        ),
    ]
    for index, subnet in enumerate(spec.network.public):
        logical_id = _logical("Public", index)
        resource = _subnet(spec, logical_id, "public", subnet, "kubernetes.io/role/elb")
        made += [resource, _association(logical_id, PUBLIC_ROUTES, resource.name)]
    return made


def _nat(spec: ResolvedSpec) -> list[Resource]:
    name = _name(spec, "nat")
    return [
        Resource(NAT_ADDRESS, "AWS::EC2::EIP", name, {"Domain": "vpc", "Tags": named(name)}, depends_on=(ATTACHMENT,)),
        Resource(
            NAT,
            "AWS::EC2::NatGateway",
            name,
            {"AllocationId": att(NAT_ADDRESS, "AllocationId"), "SubnetId": ref(_logical("Public", 0)), "Tags": named(name)},
            depends_on=("PublicDefaultRoute",),
        ),
    ]


def _through_nat(logical_id: str, routes: str) -> Resource:
    return Resource(
        logical_id,
        "AWS::EC2::Route",
        f"{_EVERYWHERE} → NAT gateway",
        {"RouteTableId": ref(routes), "DestinationCidrBlock": _EVERYWHERE, "NatGatewayId": ref(NAT)},
    )


def _private(spec: ResolvedSpec) -> list[Resource]:
    made = [_routes(spec, PRIVATE_ROUTES, "private"), _through_nat("PrivateDefaultRoute", PRIVATE_ROUTES)]
    for index, subnet in enumerate(spec.network.private):
        logical_id = _logical("Private", index)
        resource = _subnet(spec, logical_id, "private", subnet, "kubernetes.io/role/internal-elb")
        made += [resource, _association(logical_id, PRIVATE_ROUTES, resource.name)]
    return made


def _compute(spec: ResolvedSpec) -> list[Resource]:
    """A route table of its own, so that the compute subnets of other zones can have gateways of their own later."""
    subnet = _subnet(spec, COMPUTE_SUBNET, "compute", spec.network.compute)
    return [
        _routes(spec, COMPUTE_ROUTES, "compute"),
        _through_nat("ComputeDefaultRoute", COMPUTE_ROUTES),
        subnet,
        _association(COMPUTE_SUBNET, COMPUTE_ROUTES, subnet.name),
    ]


def _s3_endpoint(spec: ResolvedSpec) -> Resource:
    """Images, lifecycle scripts and checkpoints reach S3 without the NAT gateway and its price by the gigabyte."""
    return Resource(
        S3_ENDPOINT,
        "AWS::EC2::VPCEndpoint",
        _name(spec, "s3"),
        {
            "VpcId": ref(VPC),
            "VpcEndpointType": "Gateway",
            "ServiceName": sub("com.amazonaws.${AWS::Region}.s3"),
            "RouteTableIds": [ref(PRIVATE_ROUTES), ref(COMPUTE_ROUTES)],
        },
    )
