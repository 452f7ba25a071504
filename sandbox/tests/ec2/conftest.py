"""Short ways to call EC2 in a world of the test's own."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.testing import call
from sandbox.world import World


class Ec2:
    """`ec2("CreateVpc", CidrBlock=…)`; `refused` gives code and message of the error it must end in."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __call__(self, operation: str, **params: Any) -> dict[str, Any]:
        return call(self.world, "ec2", operation, params)

    def refused(self, operation: str, **params: Any) -> tuple[str, str]:
        with pytest.raises(AWSError) as caught:
            self(operation, **params)
        return caught.value.code, caught.value.message

    def alive(self) -> list[tuple[str, str]]:
        """Kinds and ids of all of EC2 that the ledger says exists."""
        entries = self.world.ledger.entries(alive=True)
        return [(entry["kind"], entry["id"]) for entry in entries if entry["kind"].startswith("ec2.")]

    def vpc(self, block: str = "10.1.0.0/16") -> str:
        identifier: str = self("CreateVpc", CidrBlock=block)["Vpc"]["VpcId"]
        return identifier

    def subnet(self, vpc: str, block: str = "10.1.0.0/24", zone: str = "us-west-2a") -> str:
        made = self("CreateSubnet", VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)
        identifier: str = made["Subnet"]["SubnetId"]
        return identifier

    def group(self, vpc: str, name: str = "mine") -> str:
        identifier: str = self("CreateSecurityGroup", GroupName=name, Description="of a test", VpcId=vpc)["GroupId"]
        return identifier

    def online(self, vpc: str) -> str:
        """An internet gateway attached to the VPC."""
        gateway: str = self("CreateInternetGateway")["InternetGateway"]["InternetGatewayId"]
        self("AttachInternetGateway", InternetGatewayId=gateway, VpcId=vpc)
        return gateway


@pytest.fixture
def ec2(world: World) -> Ec2:
    return Ec2(world)
