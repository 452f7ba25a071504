"""The main job: from an empty account to a ready cluster and back, against the sandbox with a real Kubernetes."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.preferences import preferred_cluster
from accounts.principals import principal_for
from clusters.choices import DependencyState, State
from clusters.models import Cluster
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_cluster_is_made_by_five_phases_and_leaves_nothing_when_deleted(sandbox: Sandbox, operator: User) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}

    made = run(sandbox, operator, "cluster.create", name="demo")
    assert made.state == OperationState.SUCCEEDED, failure(made)
    drive(lambda: Cluster.objects.get().state == State.READY, max_ticks=50)
    row = Cluster.objects.get()
    assert [phase.state for phase in row.phases.all()] == [State.READY] * 5
    assert [(group.current_count, group.target_count, group.status) for group in row.groups.all()] == [(1, 1, "InService")]
    assert [(node.status, node.ready) for node in row.nodes.all()] == [("Running", True)]
    assert {item.state for item in row.dependencies.all()} == {DependencyState.ACTIVE}
    assert row.cost_per_hour is None  # the table has no price for ml.g5.8xlarge, and unknown is not 0
    assert preferred_cluster(principal_for(operator)) == "demo"
    assert {item.resource_type for item in row.resources.all()} >= {"AWS::EKS::Cluster", "AWS::SageMaker::Cluster", "PersistentVolumeClaim"}

    again = submit("cluster.create", {"name": "demo"}, principal_for(operator), channel="api")
    assert (again.changed, again.operation) == (False, None)

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert not Cluster.objects.exists()
    left = [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before]
    assert left == []


def test_a_cluster_without_nodes_has_its_drivers_installed_and_waiting(sandbox: Sandbox, operator: User) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    with pytest.raises(Problem) as refused:
        submit("cluster.create", {"name": "demo", "kuberay": True}, principal_for(operator), channel="api")
    assert [error.code for error in refused.value.errors] == ["kuberay_chart_missing"]

    made = run(sandbox, operator, "cluster.create", name="demo", fsx=True, group={"count": 0})
    assert made.state == OperationState.SUCCEEDED, failure(made)
    drive(lambda: (row := Cluster.objects.get()).state == State.READY and row.dependencies.exists(), max_ticks=50)
    row = Cluster.objects.get()
    assert {item.name: item.state for item in row.dependencies.all()} == dict.fromkeys(
        (
            "vpc-cni",
            "kube-proxy",
            "coredns",
            "eks-pod-identity-agent",
            "cert-manager",
            "aws-mountpoint-s3-csi-driver",
            "aws-fsx-csi-driver",
            "hyperpod-dependencies",
        ),
        DependencyState.WAITS_FOR_NODES,
    )
    assert (row.node_count, row.cost_per_hour) == (0, 0.15)

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []


def test_a_cluster_in_an_existing_vpc_leaves_that_as_it_was(sandbox: Sandbox, operator: User) -> None:
    aws = cloud.connect("us-west-2")
    vpc = aws.write("ec2", "create_vpc", CidrBlock="10.40.0.0/16").data["Vpc"]["VpcId"]
    aws.write("ec2", "modify_vpc_attribute", VpcId=vpc, EnableDnsHostnames={"Value": True})

    def subnet(cidr: str, zone: str) -> str:
        return str(aws.write("ec2", "create_subnet", VpcId=vpc, CidrBlock=cidr, AvailabilityZone=zone).data["Subnet"]["SubnetId"])

    private = [subnet("10.40.1.0/24", "us-west-2a"), subnet("10.40.2.0/24", "us-west-2b")]
    compute = subnet("10.40.16.0/20", "us-west-2a")
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    network = {"existing": {"vpc_id": vpc, "private_subnet_ids": private, "compute_subnet_id": compute}}

    made = run(sandbox, operator, "cluster.create", name="demo", network=network)
    assert made.state == OperationState.SUCCEEDED, failure(made)
    assert "ec2.vpc" not in {row["kind"] for row in sandbox.ledger() if (row["kind"], row["id"]) not in before}

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert {(row["kind"], row["id"]) for row in sandbox.ledger()} == before
