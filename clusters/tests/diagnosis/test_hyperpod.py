"""What goes wrong with instances and accelerators: done by the sandbox's HyperPod, told by events and labels, read through REST."""

from __future__ import annotations

from typing import Any

import pytest

from clusters.observers import ClusterObserver
from clusters.tests.diagnosis.conftest import Ill
from clusters.tests.diagnosis.shown import shows

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

GPU, CPU = "ml.g5.8xlarge", "ml.m5.xlarge"
REASONS = {
    "nvlink_error": "NvidiaNVLinkError",
    "gpu_memory_error": "NvidiaXid48DoubleBitECC",
    "gpu_fell_off_bus": "Xid79",
    "gpu_count_mismatch": "NvidiaGPUCountMismatch",
    "dcgm_failure": "DCGMThermalViolation",
    "neuron_error": "NeuronDeviceHang",
    "gpu_hardware_failure": "XidHardwareFailure",
    "marked_for_replacement": "SomethingNew",
}
"""Known error → the reason that health monitoring gives for a node of its own."""
NODES = shows(*REASONS, "marked_for_reboot")
INSTANCES = shows(
    "insufficient_capacity",
    "lifecycle_script_failed",
    "efa_check_failed",
    "deep_check_failed",
    "subnet_out_of_addresses",
    "training_plan_elsewhere",
    "training_plan_ended",
    "spot_reclaimed",
    "group_waits_for_instances",
)


def group(ill: Ill, name: str, kind: str, count: int = 1, **members: Any) -> dict[str, Any]:
    """A group as UpdateCluster takes it, like the first one of the cluster."""
    first = ill.standing.describe()["InstanceGroups"][0]
    kept = {key: first[key] for key in ("ExecutionRole", "LifeCycleConfig", "InstanceStorageConfigs")}
    return {**kept, "InstanceGroupName": name, "InstanceType": kind, "InstanceCount": count, "ThreadsPerCore": 1, **members}


def add(ill: Ill, *groups: dict[str, Any]) -> None:
    ill.standing.aws.write("sagemaker", "update_cluster", ClusterName="demo", InstanceGroups=list(groups))


def remove(ill: Ill, *names: str) -> None:
    ill.sandbox.no_faults()
    ill.sandbox.call("POST", "clock", {"resume": True})
    ill.standing.aws.write("sagemaker", "update_cluster", ClusterName="demo", InstanceGroupsToDelete=list(names))
    ill.sandbox.forward("settled")


def events(ill: Ill) -> str:
    found = ill.standing.aws.read("sagemaker", "list_cluster_events", ClusterName="demo", MaxResults=100)["Events"]
    return "\n".join(event["Description"] for event in found)


def until(ill: Ill, *words: str, by: float | str = "next") -> None:
    """Steps, from moment to moment or by so many seconds, until HyperPod has told of all of these."""
    for _ in range(400):
        said = events(ill)
        if all(word in said for word in words):
            return
        ill.sandbox.forward(by)
    raise AssertionError(f"not told of: {[word for word in words if word not in said]}; {said}")


def test_what_health_monitoring_says_of_nodes_is_told_with_what_to_do(ill: Ill) -> None:
    ill.sandbox.call("POST", "clock", {"pause": True})
    add(ill, group(ill, "gpus", GPU, len(REASONS) + 1))
    for _ in range(200):
        nodes = [node["InstanceId"] for node in ill.standing.nodes("gpus") if node["InstanceStatus"]["Status"] == "Running"]
        if len(nodes) > len(REASONS):
            break
        ill.sandbox.forward("next")
    at = dict(zip(REASONS, nodes, strict=False))
    for code, reason in REASONS.items():
        ill.sandbox.fault(scenario="node_failure", instance_id=at[code], reason=reason, count=1)
    reboot = {"instance_id": nodes[-1], "reason": "KernelDeadlock", "health": "UnschedulablePendingReboot"}
    ill.sandbox.fault(scenario="node_failure", count=1, **reboot)
    until(ill, *REASONS.values(), "KernelDeadlock", by=15)  # all by the same look of the monitoring, recovery comes a minute later
    try:
        found = ill.observed(*NODES)
        for code in REASONS:
            assert any(at[code] in row["subject"] for row in found[code]["evidence"]), code
            assert found[code]["confidence"] == "high", code
        assert {row["source"] for row in found["nvlink_error"]["evidence"]} == {"health_label", "hyperpod_event", "instance"}
        [replace] = found["gpu_memory_error"]["actions"]
        assert (replace["kind"], replace["input"]) == ("node.replace", {"name": "demo", "nodes": [at["gpu_memory_error"]]})
        assert at["nvlink_error"] not in str(found["marked_for_replacement"]), "a reason that is known explains the mark"
        planned = ill.client.post(f"{replace['href']}?dry_run=true", replace["body"], format="json")
        assert (planned.status_code, planned.json()["kind"]) == (200, "node.replace")
        assert ill.standing.writes() == ["UpdateCluster"], "nothing is done but what the test did"

        one = ill.ask(f"nodes/{at['gpu_fell_off_bus']}/diagnosis/")
        assert (one["node"], [row["code"] for row in one["findings"]]) == (at["gpu_fell_off_bus"], ["gpu_fell_off_bus"])
        assert [step["action"] for step in one["next_steps"]] == ["analyse", "replace"], "HyperPod marked it for replacement"
        assert one["findings"][0]["actions"][0]["kind"] == "node.replace"
        rebooted = ill.ask(f"nodes/{nodes[-1]}/diagnosis/")
        assert [step["action"] for step in rebooted["next_steps"]] == ["analyse", "reboot", "replace"]
        assert rebooted["findings"][0]["actions"][0]["kind"] == "node.reboot"
        [well] = ill.standing.nodes("workers")
        healthy = ill.ask(f"nodes/{well['InstanceId']}/diagnosis/")
        assert (healthy["findings"], healthy["next_steps"]) == ([], [])
        # A node that runs and is Ready and takes no pods is not what was wanted: neither phase nor cluster is called ready.
        seen = ill.client.get("/api/v1/clusters/demo/").json()
        [phase] = [one for one in ill.client.get("/api/v1/clusters/demo/phases/").json()["results"] if one["name"] == "hyperpod"]
        assert (seen["state"], phase["state"]) == ("degraded", "degraded")
        assert "health monitoring" in phase["message"].lower()
        assert healthy["summary"] == f"Nothing speaks of a present error on node {well['InstanceId']}."
    finally:
        remove(ill, "gpus")


def test_why_instances_do_not_come_is_told(ill: Ill) -> None:
    ill.sandbox.call("POST", "clock", {"pause": True})
    aws, network = ill.standing.aws, ill.standing.describe()["VpcConfig"]
    [subnet] = aws.read("ec2", "describe_subnets", SubnetIds=network["Subnets"][:1])["Subnets"]
    block = subnet["CidrBlock"].split(".")
    small = aws.write("ec2", "create_subnet", VpcId=subnet["VpcId"], CidrBlock=f"{block[0]}.{block[1]}.250.0/28").data["Subnet"]["SubnetId"]
    [plan] = aws.read("sagemaker", "list_training_plans")["TrainingPlanSummaries"]
    for fault in (
        {"scenario": "capacity_shortage", "instance_type": "ml.g5.12xlarge"},
        {"scenario": "lifecycle_failure", "group": "script"},
        {"scenario": "efa_failure", "group": "efa"},
        {"scenario": "deep_health_check_failure", "group": "deep", "count": 1},
        {"scenario": "spot_reclaim", "group": "spot", "count": 1},
    ):
        ill.sandbox.fault(**fault)
    groups = (
        group(ill, "short", "ml.g5.12xlarge"),
        group(ill, "script", CPU),
        group(ill, "efa", GPU),
        group(ill, "deep", GPU, OnStartDeepHealthChecks=["InstanceStress"]),
        group(ill, "spot", GPU, CapacityRequirements={"Spot": {}}),
        group(ill, "full", GPU, OverrideVpcConfig={"SecurityGroupIds": network["SecurityGroupIds"], "Subnets": [small]}),
        group(ill, "planned", "ml.p5.48xlarge", TrainingPlanArn=plan["TrainingPlanArn"]),
    )
    add(ill, *groups)
    try:
        until(ill, "not have sufficient", "Lifecycle script", "EFA health", "free addresses", "but its subnet is not")
        assert "training_plan_elsewhere" in ill.observed("training_plan_elsewhere")
        ill.sandbox.fault(scenario="training_plan_ended", plan=plan["TrainingPlanName"])
        until(ill, "interruption notice")
        assert "spot_reclaimed" in ill.observed("spot_reclaimed"), "looked for at once: the rest takes hours"
        until(ill, "has expired", "Deep health checks of instance")
        until(ill, "failed: InstanceStress")
        found = ill.observed(*(code for code in INSTANCES if code != "group_waits_for_instances"))
        assert found["insufficient_capacity"]["evidence"][0]["subject"] == "group short"
        assert found["spot_reclaimed"]["actions"] == [], "there is nothing to repair"
        ill.sandbox.no_faults()
        ill.found.clear()
        remove(ill, *(one["InstanceGroupName"] for one in groups))
        ClusterObserver().observe("demo")
        assert [one["code"] for one in ill.ask()["findings"] if one["standing"]] == [], "all of it is past"
        add(ill, group(ill, "slow", CPU))
        ill.sandbox.call("POST", "clock", {"pause": True})
        slow = ill.observed("group_waits_for_instances")["group_waits_for_instances"]
        assert (slow["confidence"], slow["subjects"]) == ("low", ["group slow"])
    finally:
        names = {one["InstanceGroupName"] for one in ill.standing.describe()["InstanceGroups"]} - {"workers"}
        if names:
            remove(ill, *names)
        aws.write("ec2", "delete_subnet", SubnetId=small)
