"""HyperPod as the real aws command sees it: create, describe, list, page, tag, delete, errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.contract.conftest import Sandbox
from tests.contract.test_eks import Ground


class HyperPodGround(Ground):
    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.active()
        self.eks_arn = sandbox.client("eks").describe_cluster(name="demo")["cluster"]["arn"]
        sandbox.client("eks").create_addon(clusterName="demo", addonName="vpc-cni")

    def request(self, count: int = 2, **changes: Any) -> list[str]:
        group = {
            "InstanceGroupName": "workers",
            "InstanceCount": count,
            "InstanceType": "ml.g5.8xlarge",
            "ExecutionRole": self.execution_role,
            **changes,
        }
        return [
            "--instance-groups", json.dumps([group]),
            "--vpc-config", json.dumps({"SecurityGroupIds": [self.group], "Subnets": self.subnets[:1]}),
            "--orchestrator", json.dumps({"Eks": {"ClusterArn": self.eks_arn}}),
        ]  # fmt: skip

    def create(self, name: str = "demo", *more: str, **changes: Any) -> Any:
        continuous = ("--node-provisioning-mode", "Continuous", "--node-recovery", "Automatic")
        return self.sandbox.aws("sagemaker", "create-cluster", "--cluster-name", name, *self.request(**changes), *continuous, *more)


@pytest.fixture
def ground(sandbox: Sandbox) -> HyperPodGround:
    return HyperPodGround(sandbox)


def test_a_cluster_is_made_described_by_name_and_arn_tagged_and_deleted(ground: HyperPodGround) -> None:
    aws = ground.sandbox.aws
    arn = ground.create("demo", "--tags", "Key=team,Value=a")["ClusterArn"]
    ground.sandbox.fast_forward()
    shown = aws("sagemaker", "describe-cluster", "--cluster-name", arn)
    assert (shown["ClusterName"], shown["ClusterStatus"], shown["NodeProvisioningMode"]) == ("demo", "InService", "Continuous")
    assert [(group["CurrentCount"], group["TargetCount"]) for group in shown["InstanceGroups"]] == [(2, 2)]
    aws("sagemaker", "add-tags", "--resource-arn", arn, "--tags", "Key=cost,Value=b")
    assert aws("sagemaker", "list-tags", "--resource-arn", arn)["Tags"] == [{"Key": "team", "Value": "a"}, {"Key": "cost", "Value": "b"}]
    aws("sagemaker", "delete-cluster", "--cluster-name", "demo")
    ground.sandbox.fast_forward()
    gone = ground.sandbox.run("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert "(ResourceNotFound)" in gone.stderr
    assert aws("sagemaker", "list-clusters")["ClusterSummaries"] == []


def test_nodes_and_events_are_listed_in_pages(ground: HyperPodGround) -> None:
    aws = ground.sandbox.aws
    ground.create(count=3)
    ground.sandbox.fast_forward()
    page = aws("sagemaker", "list-cluster-nodes", "--cluster-name", "demo", "--max-items", "2")
    rest = aws("sagemaker", "list-cluster-nodes", "--cluster-name", "demo", "--starting-token", page["NextToken"])
    nodes = page["ClusterNodeSummaries"] + rest["ClusterNodeSummaries"]
    assert [node["InstanceStatus"]["Status"] for node in nodes] == ["Running"] * 3
    assert len({node["InstanceId"] for node in nodes}) == 3
    details = aws("sagemaker", "describe-cluster-node", "--cluster-name", "demo", "--node-id", nodes[0]["InstanceId"])["NodeDetails"]
    assert details["Placement"]["AvailabilityZone"] == "us-west-2a"
    events = aws("sagemaker", "list-cluster-events", "--cluster-name", "demo", "--sort-order", "Ascending")["Events"]
    assert events[0]["Description"] == "Cluster demo was created."
    event = aws("sagemaker", "describe-cluster-event", "--cluster-name", "demo", "--event-id", events[-1]["EventId"])["EventDetails"]
    assert event["EventDetails"]["EventMetadata"]["Instance"]["LcsExecutionState"] == "Succeeded"


def test_the_nodes_join_the_eks_cluster_and_its_addon_stays_active(ground: HyperPodGround) -> None:
    ground.create(count=1)
    ground.sandbox.fast_forward()
    eks = ground.sandbox.client("eks")
    ground.sandbox.wait_until(lambda: eks.describe_addon(clusterName="demo", addonName="vpc-cni")["addon"]["status"] == "ACTIVE", 60)
    entries = ground.sandbox.aws("eks", "list-access-entries", "--cluster-name", "demo")["accessEntries"]
    assert entries == [ground.execution_role]


def test_errors_are_those_of_sagemaker(ground: HyperPodGround) -> None:
    run = ground.sandbox.run
    missing = run("sagemaker", "describe-cluster", "--cluster-name", "none")
    assert missing.returncode == 255  # of aws v1; v2 has 254
    assert "An error occurred (ResourceNotFound) when calling the DescribeCluster operation" in missing.stderr
    ground.sandbox.fault(scenario="quota_reached", name="ml.g5.8xlarge for cluster usage")
    refused = run("sagemaker", "create-cluster", "--cluster-name", "demo", *ground.request())
    assert "(ResourceLimitExceeded)" in refused.stderr
    assert "'ml.g5.8xlarge for cluster usage' is 0 Instances" in refused.stderr
    invalid = run("sagemaker", "create-cluster", "--cluster-name", "demo", *ground.request(MinInstanceCount=1))
    assert "(ValidationException)" in invalid.stderr


def test_a_cluster_is_scaled_and_a_busy_one_refuses(ground: HyperPodGround) -> None:
    aws = ground.sandbox.aws
    aws("sagemaker", "create-cluster", "--cluster-name", "demo", *ground.request(1))
    busy = ground.sandbox.run("sagemaker", "delete-cluster", "--cluster-name", "demo")
    assert "(ConflictException)" in busy.stderr
    ground.sandbox.fast_forward()
    aws("sagemaker", "update-cluster", "--cluster-name", "demo", *ground.request(2)[:2])
    assert aws("sagemaker", "describe-cluster", "--cluster-name", "demo")["ClusterStatus"] == "Updating"
    ground.sandbox.fast_forward()
    shown = aws("sagemaker", "describe-cluster", "--cluster-name", "demo")
    assert (shown["ClusterStatus"], shown["InstanceGroups"][0]["CurrentCount"]) == ("InService", 2)


def test_training_plans_are_found_bought_and_listed(sandbox: Sandbox) -> None:
    search = (
        "--instance-type",
        "ml.p5.48xlarge",
        "--instance-count",
        "2",
        "--duration-hours",
        "24",
        "--target-resources",
        "hyperpod-cluster",
    )
    offered = sandbox.aws("sagemaker", "search-training-plan-offerings", *search)["TrainingPlanOfferings"]
    chosen = offered[0]["TrainingPlanOfferingId"]
    made = sandbox.aws("sagemaker", "create-training-plan", "--training-plan-name", "mine", "--training-plan-offering-id", chosen)
    listed = sandbox.aws("sagemaker", "list-training-plans", "--filters", "Name=Status,Value=Scheduled")["TrainingPlanSummaries"]
    assert [plan["TrainingPlanArn"] for plan in listed] == [made["TrainingPlanArn"]]
