"""What EKS checks before it makes a cluster: role, subnets, security groups, networks, version, access."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Any

from sandbox.aws import roles
from sandbox.aws.eks import versions
from sandbox.aws.eks.errors import invalid_parameter
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_PRIVATE = tuple(ipaddress.IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
_SERVICE_NETWORKS = ("172.20.0.0/16", "10.100.0.0/16")  # EKS takes the one that does not meet the VPC


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise invalid_parameter(
            "The cluster name must begin with an alphanumeric character and have only alphanumeric characters, hyphens and underscores, "
            f"at most 100 of them: {name}",
            clusterName=name,
        )


def check_version(minor: str) -> None:
    if versions.runnable(minor) is None:
        raise invalid_parameter(f"unsupported Kubernetes version {minor}")


def check_role(context: Context, arn: str, service: str) -> None:
    """The role exists, `service` (such as eks.amazonaws.com) may assume it, and the caller may pass it."""
    role = roles.find_role(context, arn)
    if role is None or not roles.trusts(role, service):
        raise invalid_parameter(
            f"Role with arn: {arn}, could not be assumed because it does not exist or the trusted entity is not correct"
        )
    roles.check_pass(context, arn)


def subnets_of(context: Context, subnet_ids: list[str]) -> list[dict[str, Any]]:
    """The subnets as EC2 describes them: at least two zones, one VPC."""
    if not subnet_ids:
        raise invalid_parameter("Subnets specified must be in at least two different AZs")
    try:
        subnets: list[dict[str, Any]] = context.as_source("service").call(
            "ec2", "DescribeSubnets", {"SubnetIds": [*dict.fromkeys(subnet_ids)]}
        )["Subnets"]
    except AWSError as error:
        if error.code.startswith("InvalidSubnet"):
            raise invalid_parameter(error.message) from error
        raise
    if len({subnet["VpcId"] for subnet in subnets}) > 1:
        raise invalid_parameter("Subnets specified must be in the same VPC")
    if len({subnet["AvailabilityZone"] for subnet in subnets}) < 2:
        raise invalid_parameter("Subnets specified must be in at least two different AZs")
    return subnets


def check_security_groups(context: Context, group_ids: list[str], vpc_id: str) -> None:
    if not group_ids:
        return
    try:
        groups = context.as_source("service").call("ec2", "DescribeSecurityGroups", {"GroupIds": group_ids})["SecurityGroups"]
    except AWSError as error:
        if error.code.startswith("InvalidGroup"):
            raise invalid_parameter(error.message) from error
        raise
    for group in groups:
        if group["VpcId"] != vpc_id:
            raise invalid_parameter(f"Security group {group['GroupId']} is not in the VPC {vpc_id} of the subnets")


def access_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Endpoint access with EKS's defaults: public from everywhere unless told otherwise."""
    public = settings.get("endpointPublicAccess", True)
    private = settings.get("endpointPrivateAccess", False)
    if not public and not private:
        raise invalid_parameter("Private and public endpoint access cannot be false")
    cidrs = settings.get("publicAccessCidrs") or (["0.0.0.0/0"] if public else [])
    for cidr in cidrs:
        try:
            network = ipaddress.IPv4Network(cidr, strict=False)
        except ValueError as error:
            raise invalid_parameter(f"The following CIDRs are invalid in publicAccessCidrs: [{cidr}]") from error
        if network.prefixlen and any(network.subnet_of(block) for block in _PRIVATE):
            raise invalid_parameter(f"The following CIDRs are not allowed in publicAccessCidrs: [{cidr}]")
    return {"endpointPublicAccess": public, "endpointPrivateAccess": private, "publicAccessCidrs": cidrs}


def service_network(context: Context, asked: str | None, vpc_id: str) -> str:
    """The service CIDR: the one asked for when it is private, /24 to /12 and clear of the VPC, else EKS's own choice."""
    vpc = context.as_source("service").call("ec2", "DescribeVpcs", {"VpcIds": [vpc_id]})["Vpcs"][0]
    taken = [ipaddress.IPv4Network(vpc["CidrBlock"])]
    if asked is None:
        return next((block for block in _SERVICE_NETWORKS if not any(ipaddress.IPv4Network(block).overlaps(one) for one in taken)), "")
    try:
        network = ipaddress.IPv4Network(asked)
    except ValueError as error:
        raise invalid_parameter(f"The specified serviceIpv4Cidr is not a valid CIDR: {asked}") from error
    if not 12 <= network.prefixlen <= 24 or not any(network.subnet_of(block) for block in _PRIVATE):
        raise invalid_parameter(
            f"The specified serviceIpv4Cidr must be within 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16 and between /24 and /12: {asked}"
        )
    if any(network.overlaps(one) for one in taken):
        raise invalid_parameter(f"The specified serviceIpv4Cidr {asked} overlaps with the CIDR of the VPC {vpc_id}")
    return asked
