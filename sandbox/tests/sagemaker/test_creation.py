"""CreateCluster: what is checked, and how a cluster and its nodes come to be."""

from __future__ import annotations

import pytest

from sandbox.tests.landscape import Landscape


@pytest.fixture
def ground(land: Landscape) -> Landscape:
    land.ground()
    return land


def test_a_continuous_cluster_is_in_service_before_its_nodes_run(ground: Landscape) -> None:
    arn = ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request())["ClusterArn"]
    assert arn.startswith(f"arn:aws:sagemaker:{ground.region}:{ground.world.settings.account}:cluster/")
    assert ground.describe()["ClusterStatus"] == "Creating"
    ground.skip(31)
    shown = ground.describe(arn)
    group = shown["InstanceGroups"][0]
    assert (shown["ClusterStatus"], group["Status"]) == ("InService", "InService")
    assert (group["CurrentCount"], group["TargetCount"], group["ActiveOperations"]) == (0, 2, {"Scaling": 1})
    assert ground.statuses() == ["Pending", "Pending"]
    ground.settle()
    group = ground.describe()["InstanceGroups"][0]
    assert (group["CurrentCount"], group["TargetCount"], "ActiveOperations" in group) == (2, 2, False)
    assert ground.statuses() == ["Running", "Running"]


def test_nodes_take_six_to_fifteen_minutes(ground: Landscape) -> None:
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=4)))
    ground.skip(30 + 360)
    assert "Running" not in ground.statuses()
    ground.skip(900 - 360)
    assert ground.statuses() == ["Running"] * 4


def test_every_node_takes_its_addresses_in_the_subnet(ground: Landscape) -> None:
    before = ground.call("ec2", "DescribeSubnets", SubnetIds=[ground.wide])["Subnets"][0]["AvailableIpAddressCount"]
    ground.hyperpod(ground.instance_group(InstanceType="ml.g6e.48xlarge", count=1))
    after = ground.call("ec2", "DescribeSubnets", SubnetIds=[ground.wide])["Subnets"][0]["AvailableIpAddressCount"]
    assert before - after == 53
    node = ground.nodes()[0]
    details = ground.call("sagemaker", "DescribeClusterNode", ClusterName="demo", NodeId=node["InstanceId"])["NodeDetails"]
    assert details["PrivatePrimaryIp"].startswith("10.1.")
    assert details["Placement"]["AvailabilityZone"] == f"{ground.region}a"
    assert details["CapacityType"] == "OnDemand"
    same = ground.call("sagemaker", "DescribeClusterNode", ClusterName="demo", NodeLogicalId=node["NodeLogicalId"])["NodeDetails"]
    assert same == details


def test_the_execution_role_is_admitted_to_the_eks_cluster_by_the_caller(ground: Landscape) -> None:
    ground.hyperpod()
    entry = ground.call("eks", "DescribeAccessEntry", clusterName="demo", principalArn=ground.execution_role)["accessEntry"]
    assert entry["type"] == "HYPERPOD_LINUX"
    role = ground.call("iam", "GetRole", RoleName="AWSServiceRoleForSageMakerHyperPod")["Role"]
    assert role["Path"] == "/aws-service-role/hyperpod.sagemaker.amazonaws.com/"


def test_events_tell_the_story_and_have_details(ground: Landscape) -> None:
    ground.hyperpod(ground.instance_group(count=1))
    events = ground.events()
    assert [(event["ResourceType"], event["EventLevel"]) for event in events] == [
        ("Cluster", "Info"),
        ("InstanceGroup", "Info"),
        ("Instance", "Info"),
        ("Instance", "Info"),
    ]
    first = ground.call("sagemaker", "DescribeClusterEvent", ClusterName="demo", EventId=events[0]["EventId"])["EventDetails"]
    assert first["EventDetails"]["EventMetadata"]["Cluster"]["EksRoleAccessEntries"] == [ground.execution_role]
    instance = ground.nodes()[0]["InstanceId"]
    assert len(ground.events(NodeId=instance)) == 2
    assert len(ground.events(ResourceType="Cluster")) == 1


def test_a_cluster_without_continuous_provisioning_has_no_events_and_is_creating_until_all_nodes_run(ground: Landscape) -> None:
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(NodeProvisioningMode=None))
    ground.skip(200)
    shown = ground.describe()
    assert (shown["ClusterStatus"], "NodeProvisioningMode" in shown) == ("Creating", False)
    ground.settle()
    assert ground.describe()["ClusterStatus"] == "InService"
    assert ground.events() == []


def test_the_eks_cluster_must_be_there_active_open_and_have_its_cni(land: Landscape) -> None:
    def message(**changes: object) -> str:
        code, text = land.refused("sagemaker", "CreateCluster", **land.hyperpod_request(**changes))
        assert code == "ValidationException"
        return text

    assert "does not exist" in message()
    land.call("eks", "CreateCluster", **land.eks_request(accessConfig={"authenticationMode": "CONFIG_MAP"}))
    assert "must be ACTIVE" in message()
    land.settle()
    assert "authentication mode" in message()
    land.call("eks", "UpdateClusterConfig", name="demo", accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"})
    land.settle()
    assert "VPC CNI" in message()
    land.addon("vpc-cni")
    vpc = land.call("ec2", "CreateVpc", CidrBlock="10.2.0.0/16")["Vpc"]["VpcId"]
    stranger = land.subnet("10.2.0.0/20", "a", vpc)
    group = land.call("ec2", "CreateSecurityGroup", GroupName="other", Description="other", VpcId=vpc)["GroupId"]
    assert "must be in the VPC of the EKS cluster" in message(VpcConfig={"SecurityGroupIds": [group], "Subnets": [stranger]})
    assert "same VPC" in message(VpcConfig={"SecurityGroupIds": [group], "Subnets": [land.wide]})
    assert "VpcConfig is required" in message(VpcConfig=None)
    assert "does not exist" in message(VpcConfig={"SecurityGroupIds": [land.group], "Subnets": ["subnet-0aaaaaaaaaaaaaaaa"]})
    land.hyperpod()


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"InstanceType": None}, "exactly one of InstanceType and InstanceRequirements"),
        ({"InstanceRequirements": {"InstanceTypes": ["ml.g5.xlarge"]}}, "exactly one of InstanceType and InstanceRequirements"),
        ({"MinInstanceCount": 3}, "MinInstanceCount must not exceed InstanceCount"),
        ({"OnStartDeepHealthChecks": ["InstanceStress"], "InstanceType": "ml.m5.large"}, "deep health checks are not supported"),
        ({"CapacityRequirements": {"Spot": {}, "OnDemand": {}}}, "exactly one of Spot and OnDemand"),
        ({"InstanceStorageConfigs": [{"EbsVolumeConfig": {"RootVolume": True, "VolumeSizeInGB": 5}}]}, "root volume"),
        ({"ImageReleaseVersion": "9.9.9"}, "does not exist"),
        ({"KubernetesConfig": {"Labels": {"sagemaker.amazonaws.com/x": "y"}}}, "reserved"),
        ({"LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-none/x", "OnCreate": "on_create.sh"}}, "was not found"),
    ],
)
def test_a_group_that_hyperpod_refuses_is_refused(ground: Landscape, changes: dict[str, object], part: str) -> None:
    request = ground.hyperpod_request(ground.instance_group(**changes))
    code, message = ground.refused("sagemaker", "CreateCluster", **request)
    assert code == "ValidationException"
    assert part in message
    assert message.startswith("Instance group workers:")
    assert ground.call("sagemaker", "ListClusters")["ClusterSummaries"] == []


def test_a_role_must_trust_sagemaker(ground: Landscape) -> None:
    request = ground.hyperpod_request(ground.instance_group(ExecutionRole=ground.eks_role))
    assert "sagemaker.amazonaws.com" in ground.refused("sagemaker", "CreateCluster", **request)[1]


def test_the_model_itself_is_checked(ground: Landscape) -> None:
    assert ground.refused("sagemaker", "CreateCluster", **ground.hyperpod_request(name="-demo"))[0] == "ValidationException"
    request = ground.hyperpod_request(ground.instance_group(InstanceType="ml.nothing.large"))
    assert ground.refused("sagemaker", "CreateCluster", **request)[0] == "ValidationException"


def test_names_are_used_once(ground: Landscape) -> None:
    ground.hyperpod()
    assert ground.refused("sagemaker", "CreateCluster", **ground.hyperpod_request())[0] == "ResourceInUse"
    twice = ground.hyperpod_request(ground.instance_group(), ground.instance_group(), name="other")
    assert "unique" in ground.refused("sagemaker", "CreateCluster", **twice)[1]


def test_a_request_beyond_a_quota_is_refused_with_the_numbers(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "quota_reached", "name": "ml.g5.8xlarge for cluster usage"})
    code, message = ground.refused("sagemaker", "CreateCluster", **ground.hyperpod_request())
    assert code == "ResourceLimitExceeded"
    assert message.startswith(
        "The account-level service limit 'ml.g5.8xlarge for cluster usage' is 0 Instances, with current utilization of 0 Instances "
        "and a request delta of 2 Instances."
    )


def test_the_instances_of_one_cluster_are_limited(ground: Landscape) -> None:
    limit = "Maximum number instances allowed per SageMaker HyperPod cluster"
    request = ground.hyperpod_request(ground.instance_group(count=6000, InstanceType="ml.t3.medium"))
    code, message = ground.refused("sagemaker", "CreateCluster", **request)
    assert code == "ResourceLimitExceeded"
    assert "ml.t3.medium for cluster usage" in message or limit in message


def test_a_group_waits_for_its_minimum_and_is_rolled_back_after_three_hours(ground: Landscape) -> None:
    ground.world.faults.add({"scenario": "capacity_shortage", "zone": f"{ground.region}a", "available": 1})
    ground.call("sagemaker", "CreateCluster", **ground.hyperpod_request(ground.instance_group(count=2, MinInstanceCount=2)))
    ground.skip(3600)
    shown = ground.describe()
    assert (shown["ClusterStatus"], shown["InstanceGroups"][0]["Status"]) == ("Creating", "Creating")
    ground.skip(3 * 3600)
    shown = ground.describe()
    group = shown["InstanceGroups"][0]
    assert (shown["ClusterStatus"], group["Status"], group["TargetCount"], group["MinCount"]) == ("InService", "InService", 0, 0)
    assert ground.nodes() == []


def test_a_training_plan_gives_capacity_in_its_own_zone_only(ground: Landscape) -> None:
    plan = ground.call("sagemaker", "ListTrainingPlans")["TrainingPlanSummaries"][0]
    assert (plan["Status"], plan["TotalInstanceCount"], plan["AvailableInstanceCount"]) == ("Active", 2, 2)
    wide = ground.subnet("10.1.32.0/20", plan["ReservedCapacitySummaries"][0]["AvailabilityZone"][-1])
    vpc = {"SecurityGroupIds": [ground.group], "Subnets": [wide]}
    planned = {"InstanceType": "ml.p5.48xlarge", "TrainingPlanArn": plan["TrainingPlanArn"]}
    too_many = ground.hyperpod_request(ground.instance_group(count=3, OverrideVpcConfig=vpc, **planned))
    assert "has 2 instances" in ground.refused("sagemaker", "CreateCluster", **too_many)[1]
    wrong = ground.hyperpod_request(ground.instance_group(count=1, TrainingPlanArn=plan["TrainingPlanArn"]))
    assert "is for ml.p5.48xlarge" in ground.refused("sagemaker", "CreateCluster", **wrong)[1]
    ground.hyperpod(ground.instance_group(count=2, OverrideVpcConfig=vpc, **planned))
    assert ground.statuses() == ["Running", "Running"]
    used = ground.call("sagemaker", "DescribeTrainingPlan", TrainingPlanName=plan["TrainingPlanName"])
    assert (used["InUseInstanceCount"], used["AvailableInstanceCount"]) == (2, 0)


def test_offerings_can_be_bought_once_by_their_id(ground: Landscape) -> None:
    question = {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 4, "DurationHours": 30, "TargetResources": ["hyperpod-cluster"]}
    offered = ground.call("sagemaker", "SearchTrainingPlanOfferings", **question)["TrainingPlanOfferings"]
    assert [offering["DurationHours"] for offering in offered] == [48, 48, 48]
    chosen = offered[0]["TrainingPlanOfferingId"]
    ground.call("sagemaker", "CreateTrainingPlan", TrainingPlanName="mine", TrainingPlanOfferingId=chosen)
    made = ground.call("sagemaker", "DescribeTrainingPlan", TrainingPlanName="mine")
    assert (made["Status"], made["TotalInstanceCount"], made["DurationHours"]) == ("Scheduled", 4, 48)
    again = {"TrainingPlanName": "mine", "TrainingPlanOfferingId": chosen}
    assert ground.refused("sagemaker", "CreateTrainingPlan", **again)[0] == "ResourceInUse"
    assert ground.call("sagemaker", "SearchTrainingPlanOfferings", **{**question, "InstanceCount": 3})["TrainingPlanOfferings"] == []
