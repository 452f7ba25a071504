"""What stands in the way of a deletion is named, and leftovers of AWS are taken away."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.choices import State
from clusters.models import Cluster
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import begin, failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "door", "namespace": "default"},
    "spec": {"type": "LoadBalancer", "selector": {"app": "door"}, "ports": [{"port": 80}]},
}
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "default"},
    "spec": {
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "nodeSelector": {"no-such": "node"},  # so that it runs for as long as the test likes
                "containers": [{"name": "main", "image": "busybox"}],
            }
        },
    },
}


def refusal(who: User, **raw: object) -> dict[str, str]:
    """Codes and sentences of the checks that refuse the deletion."""
    with pytest.raises(Problem) as refused:
        submit("cluster.delete", {"name": "demo", **raw}, principal_for(who), channel="api")
    assert refused.value.code == "plan_has_errors"
    return {error.code: error.detail for error in refused.value.errors}


def test_a_deletion_names_what_is_in_its_way_and_takes_leftovers_away(sandbox: Sandbox, operator: User) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    made = run(sandbox, operator, "cluster.create", name="demo")
    assert made.state == OperationState.SUCCEEDED, failure(made)
    operations = Operation.objects.count()
    api = ClusterReader("demo", "us-west-2").kube
    assert api is not None

    assert refusal(operator) == {"confirmation_missing": "A deletion needs the cluster's name typed once more."}
    submit("cluster.protect", {"name": "demo", "enabled": True}, principal_for(operator), channel="api")
    assert set(refusal(operator, confirm="demo")) == {"deletion_protected"}
    submit("cluster.protect", {"name": "demo", "enabled": False}, principal_for(operator), channel="api")

    api.apply(SERVICE)
    assert "default/door" in refusal(operator, confirm="demo")["load_balancers_left"]
    api.delete("v1", "Service", "door", "default")
    api.apply(JOB)
    assert "Job default/train" in refusal(operator, confirm="demo")["jobs_running"]
    api.delete("batch/v1", "Job", "train", "default")

    aws = cloud.connect("us-west-2")
    bucket = Cluster.objects.get().spec["bucket"]
    aws.write("s3", "put_object", Bucket=bucket, Key="shared/thesis.txt", Body=b"years of work")
    refused = refusal(operator, confirm="demo")["bucket_not_empty"]
    assert (bucket in refused, "shared/thesis.txt" in refused) == (True, True), refused
    assert Operation.objects.count() == operations + 2  # the two about protection
    assert aws.read("s3", "head_object", Bucket=bucket, Key="shared/thesis.txt")["ContentLength"] == 13

    # A free interface that somebody forgot in the nodes' subnet: nothing of AWS's own would take it away.
    outputs = ClusterReader("demo", "us-west-2").stack.outputs  # type: ignore[union-attr]
    aws.write(
        "ec2", "create_network_interface", SubnetId=outputs["ComputeSubnetId"], Groups=[outputs["SecurityGroupId"]], Description="forgotten"
    )
    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo", empty_bucket=True)
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []


def alive(sandbox: Sandbox) -> set[tuple[str, str]]:
    """What is there, but for network interfaces: the tests make and take those."""
    return {(row["kind"], row["id"]) for row in sandbox.ledger() if row["kind"] != "ec2.network-interface"}


def interface(sandbox: Sandbox, description: str) -> str:
    """The id of an interface in use, in the nodes' subnet."""
    outputs = ClusterReader("demo", "us-west-2").stack.outputs  # type: ignore[union-attr]
    wanted = {"subnet_id": outputs["ComputeSubnetId"], "security_groups": [outputs["SecurityGroupId"]], "description": description}
    return str(sandbox.call("POST", "interfaces", wanted)["id"])


def carried_out(sandbox: Sandbox, operation: Operation) -> Operation:
    drive(operation, max_ticks=3000, on_idle=lambda: sandbox.forward("next"))
    operation.refresh_from_db()
    return operation


def test_what_comes_into_the_way_of_a_deletion_is_named_and_nothing_is_half_deleted(sandbox: Sandbox, operator: User) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    made = run(sandbox, operator, "cluster.create", name="demo", group={"count": 0})
    assert made.state == OperationState.SUCCEEDED, failure(made)
    whole, operations = alive(sandbox), Operation.objects.count()
    api = ClusterReader("demo", "us-west-2").kube
    assert api is not None

    # In the way from the beginning: the plan says so.
    first = interface(sandbox, "ELB net/door/1")
    refused = refusal(operator, confirm="demo")
    assert f"{first} (ELB net/door/1, in-use)" in refused["load_balancer_interfaces"]
    assert (Operation.objects.count(), alive(sandbox)) == (operations, whole)
    sandbox.call("DELETE", f"interfaces/{first}")

    # In the way only after the plan: the first step sees it.
    begun = begin(operator, "cluster.delete", name="demo", confirm="demo")
    second = interface(sandbox, "ELB app/late/2")
    stopped = carried_out(sandbox, begun)
    assert (stopped.state, stopped.step, stopped.error_code) == (OperationState.FAILED, "delete-blockers", "load_balancer_interfaces")
    assert f"{second} (ELB app/late/2, in-use)" in stopped.error_message
    assert alive(sandbox) == whole
    sandbox.call("DELETE", f"interfaces/{second}")
    begun = begin(operator, "cluster.delete", name="demo", confirm="demo")
    api.apply(JOB)
    stopped = carried_out(sandbox, begun)
    assert (stopped.state, stopped.step, stopped.error_code) == (OperationState.FAILED, "delete-blockers", "jobs_running"), failure(stopped)
    assert "Job default/train" in stopped.error_message
    assert alive(sandbox) == whole
    api.delete("batch/v1", "Job", "train", "default")

    # Of another kind: CloudFormation trips over it, the deletion stops there, names it, and goes on from there.
    third = interface(sandbox, "Mount target fsmt-1")
    stopped = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert (stopped.state, stopped.step, stopped.error_code) == (OperationState.FAILED, "remove-stack", "delete_blocked"), failure(stopped)
    assert f"{third} (Mount target fsmt-1, in-use)" in stopped.error_message
    assert "load balancer" in stopped.error_hint
    assert Cluster.objects.get().state != State.READY
    sandbox.call("DELETE", f"interfaces/{third}")
    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert not Cluster.objects.exists()
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []


def test_a_source_that_cannot_be_read_shows_unknown_and_heals(sandbox: Sandbox, operator: User) -> None:
    made = run(sandbox, operator, "cluster.create", name="demo")
    assert made.state == OperationState.SUCCEEDED, failure(made)

    def looks(number: int) -> None:
        for _ in range(number):
            row = Cluster.objects.get()
            drive(lambda before=(row.observed_at, row.failures): _looked(before), max_ticks=30)  # type: ignore[misc]

    def _looked(before: tuple[object, int]) -> bool:
        row = Cluster.objects.get()
        return (row.observed_at, row.failures) != before

    looks(1)
    sandbox.fault(scenario="kube_partition", cluster="demo")
    looks(2)
    states = {phase.name: phase.state for phase in Cluster.objects.get().phases.all()}
    assert states == {
        "control_plane": State.READY,
        "select": State.UNKNOWN,
        "dependencies": State.UNKNOWN,
        "hyperpod": State.UNKNOWN,
        "storage": State.UNKNOWN,
    }
    sandbox.no_faults()
    looks(2)
    assert Cluster.objects.get().state == State.READY

    sandbox.fault(scenario="expired_credentials")
    looks(2)
    row = Cluster.objects.get()
    assert (row.state, {phase.state for phase in row.phases.all()}) == (State.UNKNOWN, {State.UNKNOWN})
    assert row.unreadable != ""
    sandbox.no_faults()
    looks(1)
    assert Cluster.objects.get().state == State.READY
