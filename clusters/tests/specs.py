"""Resolved specifications for tests, without a word from AWS."""

from __future__ import annotations

from typing import Any

from clusters.resolved import Group, Network, ResolvedSpec, Storage, Subnet, Zone
from clusters.spec import Capacity
from instantstart.cloud.identity import Identity

ZONE_A, ZONE_B = Zone(name="us-west-2a", id="usw2-az1"), Zone(name="us-west-2b", id="usw2-az2")
IDENTITY = Identity(
    account="123456789012",
    arn="arn:aws:sts::123456789012:assumed-role/portal/session",
    user_id="AROA:session",
    role_arn="arn:aws:iam::123456789012:role/tools/portal",
)
BUCKET = "sagemaker-demo-123456789012-us-west-2"


def new_network(**changes: Any) -> Network:
    values: dict[str, Any] = {
        "vpc_cidr": "10.90.0.0/16",
        "service_cidr": "172.20.0.0/16",
        "public": [Subnet(zone=ZONE_A, cidr="10.90.0.0/24"), Subnet(zone=ZONE_B, cidr="10.90.1.0/24")],
        "private": [Subnet(zone=ZONE_A, cidr="10.90.2.0/24"), Subnet(zone=ZONE_B, cidr="10.90.3.0/24")],
        "compute": Subnet(zone=ZONE_A, cidr="10.90.16.0/20"),
    }
    return Network(**{**values, **changes})


def existing_network() -> Network:
    return Network(
        vpc_id="vpc-0123456789abcdef0",
        vpc_cidr="10.0.0.0/16",
        service_cidr="172.20.0.0/16",
        private=[
            Subnet(zone=ZONE_A, cidr="10.0.1.0/24", id="subnet-0123456789abcdefa"),
            Subnet(zone=ZONE_B, cidr="10.0.2.0/24", id="subnet-0123456789abcdefb"),
        ],
        compute=Subnet(zone=ZONE_A, cidr="10.0.16.0/20", id="subnet-0123456789abcdefc"),
    )


def resolved(**changes: Any) -> ResolvedSpec:
    values: dict[str, Any] = {
        "name": "demo",
        "account": "123456789012",
        "region": "us-west-2",
        "kubernetes_version": "1.36",
        "zones": [ZONE_A, ZONE_B],
        "network": new_network(),
        "group": Group(
            name="workers",
            instance_type="ml.g5.8xlarge",
            count=1,
            capacity=Capacity.ON_DEMAND,
            volume_gb=500,
            threads_per_core=1,
            addresses_per_node=50,
        ),
        "bucket": BUCKET,
        "storage": Storage(bucket=BUCKET, made=True, claim="shared"),
        "addons": {"vpc-cni": "v1.21.1-eksbuild.1"},
    }
    return ResolvedSpec(**{**values, **changes})
