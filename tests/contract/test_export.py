"""Public shapes: what a cluster is exported as is taken by the real aws command and makes a cluster of the same description, and what that
command says that it takes is read without a field being dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clusters.configs import ConfigRefused, aws_json, exported, groups, read
from clusters.spec import ClusterInput
from tests.contract.conftest import Sandbox
from tests.contract.test_sagemaker import HyperPodGround

COMPARED = (
    "InstanceGroupName",
    "InstanceType",
    "TargetCount",
    "MinCount",
    "ExecutionRole",
    "ThreadsPerCore",
    "InstanceStorageConfigs",
    "CapacityRequirements",
    "TrainingPlanArn",
    "OnStartDeepHealthChecks",
)
ROLE = "arn:aws:iam::123456789012:role/exec"


def compared(described: Any) -> list[dict[str, Any]]:
    return [
        {name: group.get(name) for name in COMPARED} | {"labels": (group.get("KubernetesConfig") or {}).get("DesiredLabels")}
        for group in described["InstanceGroups"]
    ]


def test_an_exported_cluster_can_be_created_from_its_export(sandbox: Sandbox) -> None:
    """Several groups: on-demand with labels, Spot with a volume, and capacity from a training plan."""
    ground = HyperPodGround(sandbox)
    plan = sandbox.aws("sagemaker", "list-training-plans")["TrainingPlanSummaries"][0]
    common = {"ExecutionRole": ground.execution_role, "InstanceCount": 1}
    made_of = [
        {**common, "InstanceGroupName": "plain", "InstanceType": "ml.m5.xlarge", "KubernetesConfig": {"Labels": {"team": "red"}}},
        {
            **common,
            "InstanceGroupName": "spot",
            "InstanceType": "ml.g5.8xlarge",
            "InstanceCount": 2,
            "CapacityRequirements": {"Spot": {}},
            "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 300}}],
        },
        {
            **common,
            "InstanceGroupName": "reserved",
            "InstanceType": plan["ReservedCapacitySummaries"][0]["InstanceType"],
            "ThreadsPerCore": 2,
            "TrainingPlanArn": plan["TrainingPlanArn"],
        },
    ]
    first = {
        "ClusterName": "demo",
        "InstanceGroups": made_of,
        "VpcConfig": {"SecurityGroupIds": [ground.group], "Subnets": ground.subnets[:1]},
        "Orchestrator": {"Eks": {"ClusterArn": ground.eks_arn}},
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
    }
    sandbox.aws("sagemaker", "create-cluster", "--cli-input-json", json.dumps(first))
    sandbox.fast_forward()
    described: Any = sandbox.aws("sagemaker", "describe-cluster", "--cluster-name", "demo")
    document = exported(described, {"team": "vision"})
    sandbox.aws("sagemaker", "delete-cluster", "--cluster-name", "demo")
    sandbox.fast_forward()

    made = sandbox.aws("sagemaker", "create-cluster", "--cli-input-json", json.dumps(document))
    again: Any = sandbox.aws("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert made["ClusterArn"] == again["ClusterArn"] != described["ClusterArn"]
    assert compared(again) == compared(described)
    assert [one["TrainingPlanArn"] for one in compared(again)] == [None, None, plan["TrainingPlanArn"]]
    assert sandbox.aws("sagemaker", "list-tags", "--resource-arn", made["ClusterArn"])["Tags"] == [{"Key": "team", "Value": "vision"}]
    # Back in: the same document is the wizard's input again.
    wanted = ClusterInput.model_validate(read(json.dumps(document)).input)
    assert [(group.name, group.count, str(group.capacity)) for group in wanted.all_groups] == [
        ("plain", 1, "on-demand"),
        ("spot", 2, "spot"),
        ("reserved", 1, "training-plan"),
    ]


def test_an_export_with_restricted_groups_and_all_that_can_be_set_passes_the_commands_own_validation(sandbox: Sandbox) -> None:
    group = {
        "InstanceGroupName": "all",
        "InstanceType": "ml.p5.48xlarge",
        "TargetCount": 4,
        "CurrentCount": 3,
        "MinCount": 2,
        "Status": "InService",
        "ExecutionRole": ROLE,
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x/a", "OnCreate": "on_create.sh"},
        "ThreadsPerCore": 2,
        "OnStartDeepHealthChecks": ["InstanceStress", "InstanceConnectivity"],
        "OverrideVpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]},
        "ScheduledUpdateConfig": {"ScheduleExpression": "cron(0 0 * * ? *)"},
        "KubernetesConfig": {
            "CurrentLabels": {"a": "b"},
            "DesiredLabels": {"a": "c"},
            "DesiredTaints": [{"Key": "k", "Value": "v", "Effect": "NoSchedule"}],
        },
        "CurrentImageId": "ami-1",
        "DesiredImageId": "ami-1",
    }
    flexible = {
        "InstanceGroupName": "flexible",
        "TargetCount": 1,
        "ExecutionRole": ROLE,
        "InstanceRequirements": {"DesiredInstanceTypes": ["ml.g5.8xlarge", "ml.g5.12xlarge"], "CurrentInstanceTypes": ["ml.g5.8xlarge"]},
    }
    restricted = {
        "InstanceGroupName": "nova",
        "InstanceType": "ml.p5.48xlarge",
        "TargetCount": 1,
        "CurrentCount": 1,
        "Status": "InService",
        "ExecutionRole": ROLE,
        "EnvironmentConfig": {
            "FSxLustreConfig": {"SizeInGiB": 12000, "PerUnitStorageThroughput": 125},
            "S3OutputPath": "s3://sagemaker-x/out",
        },
    }
    described = {
        "ClusterArn": "arn:aws:sagemaker:us-west-2:123456789012:cluster/abc",
        "ClusterName": "demo",
        "ClusterStatus": "InService",
        "InstanceGroups": [group, flexible],
        "RestrictedInstanceGroups": [restricted],
        "VpcConfig": {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]},
        "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:123456789012:cluster/demo"}},
        "TieredStorageConfig": {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20},
        "NodeRecovery": "Automatic",
        "NodeProvisioningMode": "Continuous",
        "ClusterRole": ROLE,
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"},
    }
    document = exported(described, {"team": "vision"})
    done = sandbox.run(
        "sagemaker", "create-cluster", "--cli-input-json", json.dumps(document), "--generate-cli-skeleton", "output", "--output", "json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(json.loads(done.stdout)) == {"ClusterArn"}
    wrong = {**document, "ClusterStatus": "InService"}
    refused = sandbox.run("sagemaker", "create-cluster", "--cli-input-json", json.dumps(wrong), "--generate-cli-skeleton", "output")
    assert refused.returncode != 0 and "ClusterStatus" in refused.stderr, "the command does judge what it is given"


def filled(skeleton: Any) -> Any:
    """The skeleton with something in each of its fields."""
    if isinstance(skeleton, dict):
        return {name: filled(value) for name, value in skeleton.items()}
    if isinstance(skeleton, list):
        return [filled(value) for value in skeleton]
    return {"": "x", 0: 1}.get(skeleton, skeleton) if isinstance(skeleton, (str, int)) and not isinstance(skeleton, bool) else skeleton


@pytest.fixture
def skeleton(sandbox: Sandbox) -> dict[str, Any]:
    """What `aws sagemaker create-cluster --generate-cli-skeleton` prints, filled in."""
    found: dict[str, Any] = filled(sandbox.aws("sagemaker", "create-cluster", "--generate-cli-skeleton", "input"))
    return found


def named(taken: tuple[str, ...], given: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The fields that must have been named."""
    yield from (f"{prefix}{name}" for name in given if name not in taken)


def test_no_field_of_the_commands_own_skeleton_is_dropped_in_silence(skeleton: dict[str, Any]) -> None:
    with pytest.raises(ConfigRefused) as refused:
        read(json.dumps(skeleton))
    assert refused.value.code == "slurm_orchestrator", "the skeleton names both orchestrators"
    skeleton["Orchestrator"].pop("Slurm")
    skeleton["InstanceGroups"].append({**skeleton["InstanceGroups"][0], "InstanceGroupName": "y"})
    converted = read(json.dumps(skeleton))
    findings = {finding.field: finding for finding in converted.findings}
    wanted = [
        *named(aws_json.TAKEN, skeleton),
        *named(groups.TAKEN, skeleton["InstanceGroups"][0], "InstanceGroups.0."),
        *named(groups.TAKEN, skeleton["InstanceGroups"][1], "InstanceGroups.1."),
        "RestrictedInstanceGroups.0",
    ]
    assert len(wanted) > 25
    assert [field for field in wanted if field not in findings] == []
    assert [finding.field for finding in converted.findings if finding.kind == "unknown"] == []
    assert all(finding.sentence.endswith(".") for finding in converted.findings)
