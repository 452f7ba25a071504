"""AWS::EC2::InternetGateway, VPCGatewayAttachment, EIP and NatGateway."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import ResourceFailed, Work, resource_type
from sandbox.aws.cloudformation.resources.network import Ec2Type, retag


@resource_type
class InternetGateway(Ec2Type):
    name = "AWS::EC2::InternetGateway"
    optional = frozenset({"Tags"})

    def create(self, work: Work) -> str:
        reply = work.call("ec2", "CreateInternetGateway", {"TagSpecifications": work.tag_specifications("internet-gateway")})
        identifier: str = reply["InternetGateway"]["InternetGatewayId"]
        return identifier

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"InternetGatewayId": work.physical_id}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteInternetGateway", {"InternetGatewayId": work.physical_id})


@resource_type
class GatewayAttachment(Ec2Type):
    name = "AWS::EC2::VPCGatewayAttachment"
    required = frozenset({"VpcId", "InternetGatewayId"})
    immutable = frozenset({"VpcId", "InternetGatewayId"})

    def create(self, work: Work) -> str:
        work.call("ec2", "AttachInternetGateway", self._pair(work))
        return f"IGW|{work.properties['VpcId']}"

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"AttachmentType": "IGW"}

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        """It has none."""

    def delete(self, work: Work) -> None:
        work.call("ec2", "DetachInternetGateway", self._pair(work))

    @staticmethod
    def _pair(work: Work) -> dict[str, Any]:
        return {name: work.properties[name] for name in ("VpcId", "InternetGatewayId")}


@resource_type
class ElasticIp(Ec2Type):
    """Its physical id is the address; the allocation is an attribute."""

    name = "AWS::EC2::EIP"
    optional = frozenset({"Domain", "Tags"})
    immutable = frozenset({"Domain"})

    def create(self, work: Work) -> str:
        reply = work.call("ec2", "AllocateAddress", {"Domain": "vpc", "TagSpecifications": work.tag_specifications("elastic-ip")})
        address: str = reply["PublicIp"]
        return address

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"AllocationId": self._allocation(work), "PublicIp": work.physical_id}

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        retag(work, tags_before, self._allocation(work))

    def delete(self, work: Work) -> None:
        work.call("ec2", "ReleaseAddress", {"AllocationId": self._allocation(work)})

    @staticmethod
    def _allocation(work: Work) -> str:
        reply = work.call("ec2", "DescribeAddresses", {"PublicIps": [work.physical_id]})
        identifier: str = reply["Addresses"][0]["AllocationId"]
        return identifier


@resource_type
class NatGateway(Ec2Type):
    name = "AWS::EC2::NatGateway"
    required = frozenset({"SubnetId"})
    optional = frozenset({"AllocationId", "ConnectivityType", "Tags"})
    immutable = frozenset({"SubnetId", "AllocationId", "ConnectivityType"})

    def create(self, work: Work) -> str:
        names = ("SubnetId", "AllocationId", "ConnectivityType")
        params = {name: work.properties.get(name) for name in names}
        reply = work.call("ec2", "CreateNatGateway", {**params, "TagSpecifications": work.tag_specifications("natgateway")})
        identifier: str = reply["NatGateway"]["NatGatewayId"]
        return identifier

    def _gateway(self, work: Work) -> dict[str, Any]:
        gateway: dict[str, Any] = work.call("ec2", "DescribeNatGateways", {"NatGatewayIds": [work.physical_id]})["NatGateways"][0]
        return gateway

    def ready(self, work: Work) -> bool:
        gateway = self._gateway(work)
        if gateway["State"] in ("failed", "deleting", "deleted"):
            raise ResourceFailed(
                f"NatGateway {work.physical_id} is in state {gateway['State']} and hence failed to stabilize. "
                f"Detailed failure message: {gateway.get('FailureMessage', 'it was deleted')}",
                "NotStabilized",
            )
        return bool(gateway["State"] == "available")

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"NatGatewayId": work.physical_id}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteNatGateway", {"NatGatewayId": work.physical_id})

    def gone(self, work: Work) -> bool:
        return bool(self._gateway(work)["State"] == "deleted")
