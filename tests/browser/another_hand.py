"""Somebody who works on the sandbox's AWS beside the product, with an AWS client of their own."""

from __future__ import annotations

import json
from typing import Any

import boto3

from tests.browser.conftest import Product

REGION = "eu-west-1"


def client(product: Product, service: str, region: str = "us-west-2") -> Any:
    environment = product.stack.environment
    return boto3.client(  # type: ignore[call-overload]  # the service is not a literal
        service,
        region_name=region,
        endpoint_url=product.stack.endpoint,
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )


def make_eks_cluster(product: Product, name: str) -> None:
    """An EKS cluster in REGION without HyperPod, asked for by plain calls."""
    trust = {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    role = client(product, "iam").create_role(
        RoleName=f"theirs-{name}", AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    )
    ec2 = client(product, "ec2", REGION)
    vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZone=f"{REGION}{zone}")["Subnet"]["SubnetId"]
        for cidr, zone in (("10.1.0.0/20", "a"), ("10.1.16.0/24", "b"))
    ]
    client(product, "eks", REGION).create_cluster(
        name=name,
        roleArn=role["Role"]["Arn"],
        resourcesVpcConfig={"subnetIds": subnets},
        accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
        tags={"team": "research"},
    )
