"""UpdateCluster, the batch operations, software updates, deletion."""

from __future__ import annotations

import pytest

from sandbox.tests.landscape import Landscape


@pytest.fixture
def running(land: Landscape) -> Landscape:
    """A continuous cluster of two running nodes."""
    land.ground()
    land.hyperpod()
    return land


def test_a_group_is_scaled_up_and_down_and_others_are_left_alone(running: Landscape) -> None:
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroups=[running.instance_group("more", 1)])
    running.settle()
    assert [(group["InstanceGroupName"], group["CurrentCount"]) for group in running.describe()["InstanceGroups"]] == [
        ("workers", 2),
        ("more", 1),
    ]
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroups=[running.instance_group("workers", 1)])
    assert sorted(running.statuses()) == ["Running", "Running", "ShuttingDown"]
    running.settle()
    assert [group["CurrentCount"] for group in running.describe()["InstanceGroups"]] == [1, 1]
    assert len(running.interfaces(running.wide)) == 3


def test_a_group_is_deleted_with_its_nodes(running: Landscape) -> None:
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroupsToDelete=["workers"])
    assert running.describe()["InstanceGroups"][0]["Status"] == "Deleting"
    running.settle()
    assert (running.describe()["InstanceGroups"], running.nodes()) == ([], [])
    assert running.refused("sagemaker", "UpdateCluster", ClusterName="demo", InstanceGroupsToDelete=["workers"])[0] == "ValidationException"


def test_what_is_fixed_at_creation_cannot_be_changed(running: Landscape) -> None:
    for change in ({"InstanceType": "ml.g5.xlarge"}, {"CapacityRequirements": {"Spot": {}}}):
        request = {"ClusterName": "demo", "InstanceGroups": [running.instance_group(**change)]}
        code, message = running.refused("sagemaker", "UpdateCluster", **request)
        assert (code, message.endswith("cannot be changed after creation.")) == ("ValidationException", True)


def test_settings_of_the_cluster_are_changed(running: Landscape) -> None:
    tiered = {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 40}
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", NodeRecovery="None", TieredStorageConfig=tiered)
    shown = running.describe()
    assert (shown["NodeRecovery"], shown["TieredStorageConfig"], shown["ClusterStatus"]) == ("None", tiered, "InService")


def test_nodes_are_added_once_for_one_token(running: Landscape) -> None:
    request = {
        "ClusterName": "demo",
        "ClientToken": "once",
        "NodesToAdd": [
            {"InstanceGroupName": "workers", "IncrementTargetCountBy": 2},
            {"InstanceGroupName": "absent", "IncrementTargetCountBy": 1},
            {"InstanceGroupName": "workers", "IncrementTargetCountBy": 1, "AvailabilityZones": [f"{running.region}c"]},
            {"InstanceGroupName": "workers", "IncrementTargetCountBy": 1, "InstanceTypes": ["ml.m5.large"]},
        ],
    }
    answer = running.call("sagemaker", "BatchAddClusterNodes", **request)
    assert [one["Status"] for one in answer["Successful"]] == ["Pending", "Pending"]
    assert [one["ErrorCode"] for one in answer["Failed"]] == [
        "InstanceGroupNotFound",
        "IncompatibleAvailabilityZones",
        "IncompatibleInstanceTypes",
    ]
    again = running.call("sagemaker", "BatchAddClusterNodes", **request)
    assert [one["NodeLogicalId"] for one in again["Successful"]] == [one["NodeLogicalId"] for one in answer["Successful"]]
    running.settle()
    assert running.describe()["InstanceGroups"][0]["TargetCount"] == 4
    assert running.statuses() == ["Running"] * 4


def test_a_deleted_node_lowers_the_target(running: Landscape) -> None:
    node = running.nodes()[0]
    answer = running.call("sagemaker", "BatchDeleteClusterNodes", ClusterName="demo", NodeIds=[node["InstanceId"], "i-0aaaaaaaaaaaaaaaa"])
    assert answer["Successful"] == [node["InstanceId"]]
    assert [(one["Code"], one["NodeId"]) for one in answer["Failed"]] == [("NodeIdNotFound", "i-0aaaaaaaaaaaaaaaa")]
    running.settle()
    assert running.describe()["InstanceGroups"][0]["TargetCount"] == 1
    assert len(running.nodes()) == 1


def test_a_replaced_node_keeps_its_logical_id_and_a_rebooted_one_its_instance(running: Landscape) -> None:
    first, second = running.nodes()
    running.call("sagemaker", "BatchReplaceClusterNodes", ClusterName="demo", NodeLogicalIds=[first["NodeLogicalId"]])
    running.call("sagemaker", "BatchRebootClusterNodes", ClusterName="demo", NodeIds=[second["InstanceId"]])
    assert running.statuses() == ["Pending", "Pending"]
    running.settle()
    after = {node["NodeLogicalId"]: node for node in running.nodes()}
    assert after[first["NodeLogicalId"]]["InstanceId"] != first["InstanceId"]
    assert after[second["NodeLogicalId"]]["InstanceId"] == second["InstanceId"]
    assert {node["InstanceStatus"]["Status"] for node in after.values()} == {"Running"}


def test_a_software_update_passes_over_every_node(running: Landscape) -> None:
    groups = [{"InstanceGroupName": "workers", "ImageReleaseVersion": "1.3.2"}]
    running.call("sagemaker", "UpdateClusterSoftware", ClusterName="demo", InstanceGroups=groups)
    assert (running.describe()["ClusterStatus"], running.statuses()) == ("SystemUpdating", ["SystemUpdating"] * 2)
    assert running.refused("sagemaker", "DeleteCluster", ClusterName="demo")[0] == "ConflictException"
    running.settle()
    shown = running.describe()
    assert (shown["ClusterStatus"], shown["InstanceGroups"][0]["SoftwareUpdateStatus"]) == ("InService", "Succeeded")
    assert {(node["CurrentImageReleaseVersion"], node["ImageVersionStatus"]) for node in running.nodes()} == {("1.3.2", "UpdateAvailable")}


def test_a_deleted_cluster_leaves_nothing_but_its_log_group(running: Landscape) -> None:
    identifier = running.describe()["ClusterArn"].rsplit("/", 1)[1]
    running.call("sagemaker", "DeleteCluster", ClusterName="demo")
    assert running.describe()["ClusterStatus"] == "Deleting"
    assert running.statuses() == ["ShuttingDown", "ShuttingDown"]
    running.settle()
    assert running.refused("sagemaker", "DescribeCluster", ClusterName="demo")[0] == "ResourceNotFound"
    assert [interface["Description"] for interface in running.interfaces(running.wide)] == ["Amazon EKS demo"]
    assert running.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"] == []
    group = f"/aws/sagemaker/Clusters/demo/{identifier}"
    assert running.log_groups() == [group]
    arn = f"arn:aws:logs:{running.region}:{running.world.settings.account}:log-group:{group}"
    assert running.call("logs", "ListTagsForResource", resourceArn=arn) == {"tags": {}}


def test_an_entry_that_was_there_before_stays(land: Landscape) -> None:
    land.ground()
    land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=land.execution_role, type="HYPERPOD_LINUX")
    land.hyperpod()
    land.call("sagemaker", "DeleteCluster", ClusterName="demo")
    land.settle()
    assert land.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"] == [land.execution_role]


def test_tags_are_kept_by_arn(running: Landscape) -> None:
    arn = running.describe()["ClusterArn"]
    running.call("sagemaker", "AddTags", ResourceArn=arn, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}])
    running.call("sagemaker", "DeleteTags", ResourceArn=arn, TagKeys=["a"])
    assert running.call("sagemaker", "ListTags", ResourceArn=arn)["Tags"] == [{"Key": "b", "Value": "2"}]


def test_nodes_and_clusters_are_listed_in_pages(running: Landscape) -> None:
    first = running.call("sagemaker", "ListClusterNodes", ClusterName="demo", MaxResults=1)
    second = running.call("sagemaker", "ListClusterNodes", ClusterName="demo", MaxResults=1, NextToken=first["NextToken"])
    listed = [node["InstanceId"] for page in (first, second) for node in page["ClusterNodeSummaries"]]
    assert sorted(listed) == sorted(node["InstanceId"] for node in running.nodes())
    assert "NextToken" not in second
    running.call("sagemaker", "CreateCluster", **running.hyperpod_request(running.instance_group(count=0), name="second"))
    names = running.call("sagemaker", "ListClusters", SortBy="NAME", SortOrder="Descending")["ClusterSummaries"]
    assert [one["ClusterName"] for one in names] == ["second", "demo"]
    assert len(running.call("sagemaker", "ListClusters", NameContains="sec")["ClusterSummaries"]) == 1


def test_the_same_happens_after_a_restart_in_the_middle(land: Landscape) -> None:
    from sandbox.world import World

    land.ground()
    land.call("sagemaker", "CreateCluster", **land.hyperpod_request())
    land.skip(100)
    pending = sorted(node["InstanceId"] for node in land.nodes())
    state_dir = land.world.settings.state_dir
    land.world.close()
    land.world = World(state_dir)
    try:
        land.settle()
        assert sorted(node["InstanceId"] for node in land.nodes()) == pending
        assert land.statuses() == ["Running", "Running"]
    finally:
        land.world.close()
