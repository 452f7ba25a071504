"""AWS::EC2::RouteTable, Route and SubnetRouteTableAssociation."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import Properties, Work, resource_type
from sandbox.aws.cloudformation.resources.network import Ec2Type

_TARGETS = ("GatewayId", "NatGatewayId", "NetworkInterfaceId")


@resource_type
class RouteTable(Ec2Type):
    name = "AWS::EC2::RouteTable"
    required = frozenset({"VpcId"})
    optional = frozenset({"Tags"})
    immutable = frozenset({"VpcId"})

    def create(self, work: Work) -> str:
        params = {"VpcId": work.properties["VpcId"], "TagSpecifications": work.tag_specifications("route-table")}
        identifier: str = work.call("ec2", "CreateRouteTable", params)["RouteTable"]["RouteTableId"]
        return identifier

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"RouteTableId": work.physical_id}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteRouteTable", {"RouteTableId": work.physical_id})


@resource_type
class Route(Ec2Type):
    name = "AWS::EC2::Route"
    required = frozenset({"RouteTableId"})
    optional = frozenset({"DestinationCidrBlock", *_TARGETS})
    immutable = frozenset({"RouteTableId", "DestinationCidrBlock"})

    def create(self, work: Work) -> str:
        work.call("ec2", "CreateRoute", self._params(work))
        return f"{work.properties['RouteTableId']}|{work.properties.get('DestinationCidrBlock')}"

    def _params(self, work: Work) -> dict[str, Any]:
        return {name: work.properties.get(name) for name in ("RouteTableId", "DestinationCidrBlock", *_TARGETS)}

    def change(self, work: Work, before: Properties) -> None:
        if any(before.get(name) != work.properties.get(name) for name in _TARGETS):
            work.call("ec2", "ReplaceRoute", self._params(work))

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        """It has none."""

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"CidrBlock": work.properties.get("DestinationCidrBlock")}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteRoute", {name: work.properties.get(name) for name in ("RouteTableId", "DestinationCidrBlock")})


@resource_type
class SubnetRouteTableAssociation(Ec2Type):
    name = "AWS::EC2::SubnetRouteTableAssociation"
    required = frozenset({"SubnetId", "RouteTableId"})
    immutable = frozenset({"SubnetId"})

    def create(self, work: Work) -> str:
        params = {name: work.properties[name] for name in ("SubnetId", "RouteTableId")}
        identifier: str = work.call("ec2", "AssociateRouteTable", params)["AssociationId"]
        return identifier

    def change(self, work: Work, before: Properties) -> None:
        if before["RouteTableId"] != work.properties["RouteTableId"]:
            params = {"AssociationId": work.physical_id, "RouteTableId": work.properties["RouteTableId"]}
            work.physical_id = work.call("ec2", "ReplaceRouteTableAssociation", params)["NewAssociationId"]

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        """It has none."""

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Id": work.physical_id}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DisassociateRouteTable", {"AssociationId": work.physical_id})
