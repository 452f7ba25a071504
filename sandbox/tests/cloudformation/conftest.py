"""Stacks in a world of the test's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.testing import call
from sandbox.world import World

ROLE = {
    "Type": "AWS::IAM::Role",
    "Properties": {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}],
        }
    },
}
VPC = {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}
GATEWAY = {"Type": "AWS::EC2::InternetGateway"}


def subnet(block: str = "10.1.0.0/24", vpc: str = "Vpc", **more: Any) -> dict[str, Any]:
    return {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": vpc}, "CidrBlock": block, **more}}


def group(**properties: Any) -> dict[str, Any]:
    return {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "of a test", "VpcId": {"Ref": "Vpc"}, **properties}}


class Cloudformation:
    """`stack` creates one and lets it settle; `events` are (logical id, status) from the oldest."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __call__(self, operation: str, **params: Any) -> dict[str, Any]:
        return call(self.world, "cloudformation", operation, params)

    def ec2(self, operation: str, **params: Any) -> dict[str, Any]:
        return call(self.world, "ec2", operation, params)

    def refused(self, operation: str, **params: Any) -> tuple[str, str]:
        with pytest.raises(AWSError) as caught:
            self(operation, **params)
        return caught.value.code, caught.value.message

    def settle(self) -> float:
        took = self.world.fast_forward("settled")
        assert self.world.agenda.failures() == []
        return took

    def create(self, resources: dict[str, Any], name: str = "net", **params: Any) -> str:
        sections = {section: params.pop(section) for section in ("Outputs", "Conditions", "Mappings") if section in params}
        declared = params.pop("Declared", None)
        template = {"Resources": resources, **sections, **({"Parameters": declared} if declared else {})}
        params.setdefault("Capabilities", ["CAPABILITY_NAMED_IAM"])
        made: str = self("CreateStack", StackName=name, TemplateBody=json.dumps(template), **params)["StackId"]
        return made

    def stack(self, resources: dict[str, Any], name: str = "net", **params: Any) -> dict[str, Any]:
        identifier = self.create(resources, name, **params)
        self.settle()
        return self.describe(identifier)

    def update(self, resources: dict[str, Any], name: str = "net", **params: Any) -> dict[str, Any]:
        sections = {section: params.pop(section) for section in ("Outputs", "Conditions", "Mappings") if section in params}
        params.setdefault("Capabilities", ["CAPABILITY_NAMED_IAM"])
        self("UpdateStack", StackName=name, TemplateBody=json.dumps({"Resources": resources, **sections}), **params)
        self.settle()
        return self.describe(name)

    def delete(self, name: str, **params: Any) -> None:
        self("DeleteStack", StackName=name, **params)
        self.settle()

    def describe(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self("DescribeStacks", StackName=name)["Stacks"][0]
        return found

    def history(self, name: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self("DescribeStackEvents", StackName=name)["StackEvents"]
        return rows[::-1]

    def events(self, name: str) -> list[tuple[str, str]]:
        return [(event["LogicalResourceId"], event["ResourceStatus"]) for event in self.history(name)]

    def reason(self, name: str, logical_id: str, status: str) -> str:
        (found,) = [e for e in self.history(name) if (e["LogicalResourceId"], e["ResourceStatus"]) == (logical_id, status)]
        told: str = found.get("ResourceStatusReason", "")
        return told

    def physical(self, name: str, logical_id: str) -> str:
        detail = self("DescribeStackResource", StackName=name, LogicalResourceId=logical_id)["StackResourceDetail"]
        identifier: str = detail["PhysicalResourceId"]
        return identifier

    def alive(self) -> list[tuple[str, str]]:
        """What the ledger says exists, stacks and what the sandbox began with apart."""
        hidden = ("cloudformation.stack", "sagemaker.training-plan")
        return [(e["kind"], e["id"]) for e in self.world.ledger.entries(alive=True) if e["kind"] not in hidden]


@pytest.fixture
def cfn(world: World) -> Cloudformation:
    return Cloudformation(world)
