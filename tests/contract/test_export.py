"""What a cluster is exported as is taken by the real aws command, and makes a cluster of the same description."""

from __future__ import annotations

import json
from typing import Any

from clusters.configs import exported
from tests.contract.conftest import Sandbox
from tests.contract.test_sagemaker import HyperPodGround

COMPARED = ("InstanceGroupName", "InstanceType", "TargetCount", "ExecutionRole", "InstanceStorageConfigs", "CapacityRequirements")


def test_an_exported_cluster_can_be_created_from_its_export(sandbox: Sandbox) -> None:
    ground = HyperPodGround(sandbox)
    ground.create(CapacityRequirements={"Spot": {}}, InstanceStorageConfigs=[{"EbsVolumeConfig": {"VolumeSizeInGB": 300}}])
    sandbox.fast_forward()
    described: Any = sandbox.aws("sagemaker", "describe-cluster", "--cluster-name", "demo")
    document = exported(described, {"team": "vision"})
    sandbox.aws("sagemaker", "delete-cluster", "--cluster-name", "demo")
    sandbox.fast_forward()

    made = sandbox.aws("sagemaker", "create-cluster", "--cli-input-json", json.dumps(document))
    again: Any = sandbox.aws("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert made["ClusterArn"] == again["ClusterArn"] != described["ClusterArn"]
    assert [{name: group.get(name) for name in COMPARED} for group in again["InstanceGroups"]] == [
        {name: group.get(name) for name in COMPARED} for group in described["InstanceGroups"]
    ]
    assert sandbox.aws("sagemaker", "list-tags", "--resource-arn", made["ClusterArn"])["Tags"] == [{"Key": "team", "Value": "vision"}]
