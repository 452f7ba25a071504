"""Configurations in the shapes that AWS's command line and `hyp` document: what they become, and that nothing is dropped in silence."""

from __future__ import annotations

import json
from typing import Any

import botocore.session
import pytest
import yaml

from clusters.configs import ConfigRefused, Converted, aws_json, groups, hyp_yaml, read
from clusters.spec import Capacity, ClusterInput

ROLE = "arn:aws:iam::123456789012:role/exec"
PLAN = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/big-run-0001"
EKS = {"Eks": {"ClusterArn": "arn:aws:eks:eu-west-1:123456789012:cluster/old"}}
GROUP = {"InstanceGroupName": "gpu", "InstanceType": "ml.p5.48xlarge", "InstanceCount": 2, "ExecutionRole": ROLE, "ThreadsPerCore": 2}


def config(*more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"ClusterName": "demo", "InstanceGroups": [GROUP, *more], "Orchestrator": EKS, "NodeProvisioningMode": "Continuous", **fields}


def found(converted: Converted) -> dict[str, str]:
    return {finding.field: finding.kind for finding in converted.findings}


def test_a_create_cluster_json_becomes_the_wizards_input() -> None:
    ebs = [{"EbsVolumeConfig": {"VolumeSizeInGB": 800}}]
    spot = {
        **GROUP,
        "InstanceGroupName": "spot",
        "InstanceType": "ml.g5.8xlarge",
        "ThreadsPerCore": 1,
        "CapacityRequirements": {"Spot": {}},
    }
    planned = {**GROUP, "InstanceGroupName": "reserved", "TrainingPlanArn": PLAN, "InstanceStorageConfigs": ebs}
    converted = read(json.dumps(config(spot, planned, Tags=[{"Key": "team", "Value": "vision"}])))
    made = ClusterInput.model_validate(converted.input)
    assert (made.name, made.region, made.tags) == ("demo", "eu-west-1", {"team": "vision"})
    assert [(group.name, group.instance_type, group.count, group.capacity, group.volume_gb) for group in made.all_groups] == [
        ("gpu", "ml.p5.48xlarge", 2, Capacity.ON_DEMAND, 500),
        ("spot", "ml.g5.8xlarge", 2, Capacity.SPOT, 500),
        ("reserved", "ml.p5.48xlarge", 2, Capacity.TRAINING_PLAN, 800),
    ]
    assert made.groups[1].training_plan_arn == PLAN
    assert found(converted) == {
        "InstanceGroups.0.ExecutionRole": "replaced",
        "InstanceGroups.1.ExecutionRole": "replaced",
        "InstanceGroups.2.ExecutionRole": "replaced",
        "Orchestrator.Eks.ClusterArn": "replaced",
    }


def test_every_field_that_the_input_has_no_place_for_is_named() -> None:
    odd = {
        **GROUP,
        "InstanceGroupName": "odd",
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x/a", "OnCreate": "on_create.sh"},
        "KubernetesConfig": {"Labels": {"a": "b"}},
        "InstanceStorageConfigs": [
            {"EbsVolumeConfig": {"VolumeSizeInGB": 300, "VolumeKmsKeyId": "key"}},
            {"EbsVolumeConfig": {"VolumeSizeInGB": 100}},
            {"EbsVolumeConfig": {"RootVolume": True, "VolumeKmsKeyId": "key"}},
            {"FsxLustreConfig": {"DnsName": "fs", "MountName": "m"}},
        ],
        "InstanceCuont": 3,
    }
    rest = {"VpcConfig": {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}, "NodeRecovery": "None", "Colour": "red"}
    features = {"TieredStorageConfig": {"Mode": "Enable"}, "AutoScaling": {"Mode": "Enable"}, "ClusterRole": ROLE}
    named = found(read(config(odd, **rest, **features)))
    assert {field: kind for field, kind in named.items() if "ExecutionRole" not in field} == {
        "InstanceGroups.1.LifeCycleConfig": "replaced",
        "InstanceGroups.1.KubernetesConfig": "unsupported",
        "InstanceGroups.1.InstanceStorageConfigs.0.EbsVolumeConfig.VolumeKmsKeyId": "unsupported",
        "InstanceGroups.1.InstanceStorageConfigs.1": "unsupported",
        "InstanceGroups.1.InstanceStorageConfigs.2": "unsupported",
        "InstanceGroups.1.InstanceStorageConfigs.3": "unsupported",
        "InstanceGroups.1.InstanceCuont": "unknown",
        "Orchestrator.Eks.ClusterArn": "replaced",
        "VpcConfig": "replaced",
        "NodeRecovery": "unsupported",
        "TieredStorageConfig": "unsupported",
        "AutoScaling": "unsupported",
        "ClusterRole": "unsupported",
        "Colour": "unknown",
    }


def test_restricted_groups_are_named_one_by_one() -> None:
    converted = read(config(RestrictedInstanceGroups=[{**GROUP, "InstanceGroupName": "nova"}]))
    (finding,) = [finding for finding in converted.findings if finding.field == "RestrictedInstanceGroups.0"]
    assert finding.kind == "unsupported" and finding.sentence.startswith("nova is a restricted instance group")
    assert "groups" not in converted.input


@pytest.mark.parametrize("orchestrator", [{"Slurm": {}}, {}, None])
def test_a_cluster_under_slurm_is_refused_with_a_sentence(orchestrator: Any) -> None:
    with pytest.raises(ConfigRefused) as refused:
        read(config(Orchestrator=orchestrator))
    assert refused.value.code == "slurm_orchestrator"
    assert refused.value.sentence.endswith("this control plane works with HyperPod on EKS only.")


def test_the_first_groups_deep_health_checks_become_the_clusters_and_the_others_keep_their_own() -> None:
    first = {**GROUP, "OnStartDeepHealthChecks": ["InstanceStress"]}
    made = read(config(InstanceGroups=[first, {**GROUP, "InstanceGroupName": "b"}])).input
    assert (made["deep_health_checks"], made["groups"][0]["deep_health_checks"]) == (["InstanceStress"], [])


def test_capitals_in_the_name_are_told() -> None:
    converted = read(config(ClusterName="Demo"))
    assert converted.input["name"] == "demo" and found(converted)["ClusterName"] == "changed"


def test_every_field_of_sagemakers_model_is_taken_over_or_has_its_reason() -> None:
    model = botocore.session.get_session().get_service_model("sagemaker")
    top = set(model.operation_model("CreateCluster").input_shape.members)
    assert top == set(aws_json.TAKEN) | set(aws_json.REASONS)
    ours = set(groups.TAKEN) | set(groups.OWN)
    of_group = set(model.shape_for("ClusterInstanceGroupSpecification").members)
    of_restricted = set(model.shape_for("ClusterRestrictedInstanceGroupSpecification").members)
    assert of_group | of_restricted == {name for name in ours if not name.startswith("TargetAvailabilityZone")}


# --- hyp ---

HYP = {
    "template": "cluster-stack",
    "version": 1.0,
    "hyperpod_cluster_name": "hyperpod-cluster",
    "eks_cluster_name": "eks-cluster",
    "kubernetes_version": 1.34,
    "node_recovery": "Automatic",
    "node_provisioning_mode": "Continuous",
    "instance_group_settings": [
        {
            "InstanceCount": 1,
            "InstanceGroupName": "default",
            "InstanceType": "ml.t3.medium",
            "TargetAvailabilityZoneId": "usw2-az2",
            "ThreadsPerCore": 1,
            "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 300}}],
        }
    ],
    "create_vpc_stack": True,
    "vpc_cidr": "10.192.0.0/16",
    "availability_zone_ids": ["usw2-az2", "usw2-az9"],
    "create_fsx_stack": True,
    "storage_capacity": 1200,
    "rig_settings": None,
    "helm_release": "dependencies",
}


def test_a_hyp_configuration_becomes_the_wizards_input() -> None:
    converted = read(yaml.safe_dump(HYP), {"usw2-az2": "us-west-2a"})
    made = ClusterInput.model_validate(converted.input)
    assert (made.name, made.kubernetes_version, made.availability_zones, made.fsx) == ("hyperpod-cluster", "1.34", ["us-west-2a"], True)
    assert (made.group.name, made.group.instance_type, made.group.volume_gb, made.groups) == ("default", "ml.t3.medium", 300, [])
    assert made.network.vpc_cidr == "10.192.0.0/16"
    assert found(converted) == {
        "instance_group_settings.0.TargetAvailabilityZoneId": "replaced",
        "availability_zone_ids.0": "changed",
        "availability_zone_ids.1": "unsupported",
        "create_fsx_stack": "changed",
        "eks_cluster_name": "replaced",
        "storage_capacity": "unsupported",
        "helm_release": "replaced",
    }


def test_a_hyp_configuration_may_name_an_existing_network_restricted_groups_and_groups_as_text() -> None:
    given = {
        "hyperpod_cluster_name": "demo",
        "instance_group_settings1": json.dumps({"InstanceGroupName": "a", "InstanceType": "ml.g5.8xlarge", "InstanceCount": 1}),
        "instance_group_settings2": json.dumps({"InstanceGroupName": "b", "InstanceType": "ml.m5.xlarge", "InstanceCount": 1}),
        "rig_settings": [{"InstanceGroupName": "nova"}],
        "create_vpc_stack": False,
        "vpc_id": "vpc-1",
        "eks_private_subnet_ids": ["subnet-1", "subnet-2"],
        "private_subnet_ids": ["subnet-3", "subnet-4"],
        "colour": "red",
    }
    converted = read(given)
    made = ClusterInput.model_validate(converted.input)
    assert [group.name for group in made.all_groups] == ["a", "b"]
    assert made.network.existing is not None and made.network.existing.compute_subnet_id == "subnet-3"
    assert found(converted) == {"rig_settings.0": "unsupported", "private_subnet_ids.1": "unsupported", "colour": "unknown"}


def test_a_hyp_configuration_may_have_spot_and_planned_groups() -> None:
    plain = HYP["instance_group_settings"][0]
    spot = {**plain, "InstanceGroupName": "spot", "InstanceType": "ml.g5.8xlarge", "CapacityRequirements": {"Spot": {}}}
    planned = {**plain, "InstanceGroupName": "reserved", "InstanceType": "ml.p5.48xlarge", "TrainingPlanArn": PLAN}
    made = ClusterInput.model_validate(read(yaml.safe_dump({**HYP, "instance_group_settings": [plain, spot, planned]})).input)
    assert [(group.name, group.capacity, group.training_plan_arn) for group in made.all_groups] == [
        ("default", Capacity.ON_DEMAND, ""),
        ("spot", Capacity.SPOT, ""),
        ("reserved", Capacity.TRAINING_PLAN, PLAN),
    ]


def test_no_name_is_both_taken_over_and_left() -> None:
    assert not set(hyp_yaml.TAKEN) & set(hyp_yaml.REASONS)
    assert not set(groups.TAKEN) & set(groups.OWN)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "unreadable_config"),
        ("a: [", "unreadable_config"),
        ("- a\n- b", "not_a_cluster_config"),
        ("colour: red", "not_a_cluster_config"),
        ('{"ClusterName": "a", "InstanceGroups": 7, "Orchestrator": {"Eks": {"ClusterArn": "x"}}}', "malformed_config"),
        ("x" * 300_000, "config_too_large"),
    ],
)
def test_what_is_no_configuration_is_refused_with_a_reason(text: str, code: str) -> None:
    with pytest.raises(ConfigRefused) as refused:
        read(text)
    assert refused.value.code == code and refused.value.fix.endswith(".")
