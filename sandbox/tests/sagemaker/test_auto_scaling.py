"""HyperPod's managed Karpenter as a setting of the cluster: asked for, checked, on its way, in service, failed, gone."""

from __future__ import annotations

import json

import pytest

from sandbox.tests.landscape import Landscape

KARPENTER = {"Mode": "Enable", "AutoScalerType": "Karpenter"}
OFF = {"Mode": "Disable"}


@pytest.fixture
def running(land: Landscape) -> Landscape:
    land.ground()
    land.hyperpod()
    return land


def role(land: Landscape, *actions: str, name: str = "karpenter") -> str:
    arn = land.role(name, "hyperpod.sagemaker.amazonaws.com")
    statement = {"Effect": "Allow", "Action": [*actions], "Resource": "*"}
    if actions:
        document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        land.call("iam", "PutRolePolicy", RoleName=name, PolicyName="access", PolicyDocument=document)
    return arn


def able(land: Landscape) -> str:
    return role(land, "sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes")


def test_it_is_created_and_deleted_in_time_and_asking_twice_changes_nothing(running: Landscape) -> None:
    arn = able(running)
    for _ in range(2):
        running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER, ClusterRole=arn)
        assert running.describe()["AutoScaling"] == {**KARPENTER, "Status": "Creating"}
    assert running.settle() == pytest.approx(90, abs=1)
    for _ in range(2):
        shown = running.describe()
        assert (shown["AutoScaling"], shown["ClusterRole"]) == ({**KARPENTER, "Status": "InService"}, arn)
        running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER)
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=OFF)
    assert running.describe()["AutoScaling"] == {"Mode": "Disable", "AutoScalerType": "Karpenter", "Status": "Deleting"}
    assert running.refused("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER)[0] == "ConflictException"
    running.settle()
    assert "AutoScaling" not in running.describe()


def test_a_role_that_may_not_do_it_fails_it_with_the_action_named_and_it_can_be_asked_for_again(running: Landscape) -> None:
    arn = role(running, "sagemaker:BatchAddClusterNodes")
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER, ClusterRole=arn)
    running.settle()
    failed = running.describe()["AutoScaling"]
    assert (failed["Status"], "sagemaker:BatchDeleteClusterNodes" in failed["FailureMessage"]) == ("Failed", True)
    better = role(running, "sagemaker:Batch*", name="better")
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER, ClusterRole=better)
    running.settle()
    assert running.describe()["AutoScaling"] == {**KARPENTER, "Status": "InService"}


def test_while_it_is_on_neither_its_role_nor_recovery_may_change(running: Landscape) -> None:
    running.call("sagemaker", "UpdateCluster", ClusterName="demo", AutoScaling=KARPENTER, ClusterRole=able(running))
    running.settle()
    other = role(running, name="other")
    assert "ClusterRole" in running.refused("sagemaker", "UpdateCluster", ClusterName="demo", ClusterRole=other)[1]
    assert "NodeRecovery" in running.refused("sagemaker", "UpdateCluster", ClusterName="demo", NodeRecovery="None")[1]


def test_it_needs_continuous_provisioning_recovery_and_a_role_that_hyperpod_may_assume(land: Landscape) -> None:
    land.ground()
    arn, wrong = able(land), land.role("wrong", "ec2.amazonaws.com")

    def refused(**changes: object) -> str:
        return land.refused("sagemaker", "CreateCluster", **land.hyperpod_request(AutoScaling=KARPENTER, **changes))[1]

    assert "NodeProvisioningMode Continuous" in refused(ClusterRole=arn, NodeProvisioningMode=None)
    assert "NodeRecovery Automatic" in refused(ClusterRole=arn, NodeRecovery="None")
    assert "ClusterRole is required" in refused()
    assert "hyperpod.sagemaker.amazonaws.com" in refused(ClusterRole=wrong)
    assert land.hyperpod(AutoScaling=KARPENTER, ClusterRole=arn)["AutoScaling"]["Status"] == "InService"
