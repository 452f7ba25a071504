"""Internet gateways, addresses, NAT gateways, routes and endpoints."""

from __future__ import annotations

from sandbox.tests.ec2.conftest import Ec2


def nat(ec2: Ec2, subnet: str) -> tuple[str, str]:
    """Ids of a NAT gateway and of its address."""
    allocation = ec2("AllocateAddress")["AllocationId"]
    return ec2("CreateNatGateway", SubnetId=subnet, AllocationId=allocation)["NatGateway"]["NatGatewayId"], allocation


def state(ec2: Ec2, gateway: str) -> str:
    found: str = ec2("DescribeNatGateways", NatGatewayIds=[gateway])["NatGateways"][0]["State"]
    return found


def test_a_nat_gateway_is_available_after_two_minutes(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.online(vpc)
    gateway, allocation = nat(ec2, ec2.subnet(vpc))
    assert state(ec2, gateway) == "pending"
    ec2.world.fast_forward(119)
    assert state(ec2, gateway) == "pending"
    ec2.world.fast_forward(1)
    assert state(ec2, gateway) == "available"
    (address,) = ec2("DescribeAddresses", AllocationIds=[allocation])["Addresses"]
    (interface,) = ec2("DescribeNetworkInterfaces")["NetworkInterfaces"]
    assert address["NetworkInterfaceId"] == interface["NetworkInterfaceId"]
    assert (interface["InterfaceType"], interface["RequesterManaged"], interface["Status"]) == ("nat_gateway", True, "in-use")
    assert interface["Association"]["PublicIp"] == address["PublicIp"]


def test_a_nat_gateway_fails_in_a_vpc_that_is_not_online(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    gateway, _ = nat(ec2, ec2.subnet(vpc))
    ec2.world.fast_forward(120)
    (found,) = ec2("DescribeNatGateways", NatGatewayIds=[gateway])["NatGateways"]
    assert (found["State"], found["FailureCode"]) == ("failed", "Gateway.NotAttached")


def test_a_deleted_nat_gateway_frees_its_address_when_it_is_gone_and_is_seen_for_an_hour(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.online(vpc)
    subnet = ec2.subnet(vpc)
    gateway, allocation = nat(ec2, subnet)
    ec2.world.fast_forward(120)
    ec2("DeleteNatGateway", NatGatewayId=gateway)
    assert state(ec2, gateway) == "deleting"
    assert ec2.refused("ReleaseAddress", AllocationId=allocation)[0] == "InvalidIPAddress.InUse"
    assert ec2.refused("DeleteSubnet", SubnetId=subnet)[0] == "DependencyViolation"
    ec2.world.fast_forward(60)
    assert state(ec2, gateway) == "deleted"
    assert [entry for entry in ec2.alive() if entry[0] in ("ec2.nat-gateway", "ec2.network-interface")] == []
    ec2("ReleaseAddress", AllocationId=allocation)
    ec2("DeleteSubnet", SubnetId=subnet)
    ec2.world.fast_forward(3600)
    assert ec2.refused("DescribeNatGateways", NatGatewayIds=[gateway])[0] == "NatGatewayNotFound"


def test_a_nat_gateway_asked_for_twice_with_one_token_is_made_once(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.online(vpc)
    subnet, allocation = ec2.subnet(vpc), ec2("AllocateAddress")["AllocationId"]
    made = [
        ec2("CreateNatGateway", SubnetId=subnet, AllocationId=allocation, ClientToken="t")["NatGateway"]["NatGatewayId"] for _ in range(2)
    ]
    assert made[0] == made[1]
    assert [kind for kind, _ in ec2.alive()].count("ec2.nat-gateway") == 1


def test_an_address_serves_one_nat_gateway(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.online(vpc)
    subnet = ec2.subnet(vpc)
    _, allocation = nat(ec2, subnet)
    assert ec2.refused("CreateNatGateway", SubnetId=subnet, AllocationId=allocation)[0] == "InvalidElasticIpID.InUse"


def test_an_internet_gateway_stays_attached_while_addresses_are_mapped(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    gateway = ec2.online(vpc)
    nat(ec2, ec2.subnet(vpc))
    code, message = ec2.refused("DetachInternetGateway", InternetGatewayId=gateway, VpcId=vpc)
    assert (code, message.startswith(f"Network {vpc} has some mapped public address(es).")) == ("DependencyViolation", True)
    assert ec2.refused("DeleteInternetGateway", InternetGatewayId=gateway)[0] == "DependencyViolation"


def test_a_vpc_has_one_internet_gateway_and_it_one_vpc(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    gateway = ec2.online(vpc)
    other = ec2("CreateInternetGateway")["InternetGateway"]["InternetGatewayId"]
    assert ec2.refused("AttachInternetGateway", InternetGatewayId=other, VpcId=vpc)[0] == "InvalidParameterValue"
    again = ec2.refused("AttachInternetGateway", InternetGatewayId=gateway, VpcId=ec2.vpc("10.2.0.0/16"))
    assert again == ("Resource.AlreadyAssociated", f"resource {gateway} is already attached to network {vpc}")


def test_a_destination_has_one_route(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    gateway = ec2.online(vpc)
    table = ec2("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"]
    route = {"RouteTableId": table, "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway}
    ec2("CreateRoute", **route)
    assert ec2.refused("CreateRoute", **route) == ("RouteAlreadyExists", "The route identified by 0.0.0.0/0 already exists.")
    ec2("DeleteRoute", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
    missing = ec2.refused("DeleteRoute", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0")
    assert missing == ("InvalidRoute.NotFound", f"no route with destination-cidr-block 0.0.0.0/0 in route table {table}")


def test_a_route_through_a_deleted_nat_gateway_is_a_blackhole(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    ec2.online(vpc)
    gateway, _ = nat(ec2, ec2.subnet(vpc))
    table = ec2("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2("CreateRoute", RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=gateway)
    ec2("DeleteNatGateway", NatGatewayId=gateway)
    routes = ec2("DescribeRouteTables", RouteTableIds=[table])["RouteTables"][0]["Routes"]
    assert [route["State"] for route in routes] == ["active", "blackhole"]


def test_a_subnet_has_one_route_table(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    subnet = ec2.subnet(vpc)
    tables = [ec2("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"] for _ in range(2)]
    association = ec2("AssociateRouteTable", RouteTableId=tables[0], SubnetId=subnet)["AssociationId"]
    assert ec2.refused("AssociateRouteTable", RouteTableId=tables[1], SubnetId=subnet)[0] == "Resource.AlreadyAssociated"
    assert ec2.refused("DeleteRouteTable", RouteTableId=tables[0])[0] == "DependencyViolation"
    moved = ec2("ReplaceRouteTableAssociation", AssociationId=association, RouteTableId=tables[1])["NewAssociationId"]
    ec2("DeleteRouteTable", RouteTableId=tables[0])
    ec2("DisassociateRouteTable", AssociationId=moved)
    ec2("DeleteRouteTable", RouteTableId=tables[1])


def test_a_gateway_endpoint_puts_a_route_into_its_tables_and_takes_it_away(ec2: Ec2) -> None:
    vpc = ec2.vpc()
    table = ec2("CreateRouteTable", VpcId=vpc)["RouteTable"]["RouteTableId"]
    service = "com.amazonaws.us-west-2.s3"
    endpoint = ec2("CreateVpcEndpoint", VpcId=vpc, ServiceName=service, RouteTableIds=[table])["VpcEndpoint"]["VpcEndpointId"]
    routes = ec2("DescribeRouteTables", RouteTableIds=[table])["RouteTables"][0]["Routes"]
    (prefix_list,) = ec2("DescribePrefixLists", Filters=[{"Name": "prefix-list-name", "Values": [service]}])["PrefixLists"]
    assert [(route["DestinationPrefixListId"], route["GatewayId"]) for route in routes[1:]] == [(prefix_list["PrefixListId"], endpoint)]
    assert ec2.refused("DeleteVpc", VpcId=vpc)[0] == "DependencyViolation"
    assert ec2("DeleteVpcEndpoints", VpcEndpointIds=[endpoint, "vpce-0123456789abcdef0"])["Unsuccessful"][0]["Error"]["Code"] == (
        "InvalidVpcEndpointId.NotFound"
    )
    assert len(ec2("DescribeRouteTables", RouteTableIds=[table])["RouteTables"][0]["Routes"]) == 1


def test_an_unknown_endpoint_service_is_refused(ec2: Ec2) -> None:
    refused = ec2.refused("CreateVpcEndpoint", VpcId=ec2.vpc(), ServiceName="com.amazonaws.us-east-1.s3")
    assert refused == ("InvalidServiceName", "The Vpc Endpoint Service 'com.amazonaws.us-east-1.s3' does not exist")


def test_addresses_are_limited_by_the_quota(ec2: Ec2) -> None:
    ec2.world.faults.add({"scenario": "quota_reached", "name": "EC2-VPC Elastic IPs"})
    assert ec2.refused("AllocateAddress") == ("AddressLimitExceeded", "The maximum number of addresses has been reached.")
