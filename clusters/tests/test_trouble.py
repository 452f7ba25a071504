"""What goes wrong on the way: named, shown, retried, cancelled."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.choices import DependencyState, State
from clusters.models import Cluster
from clusters.tests.driving import begin, failure, run
from clusters.tests.sandbox import Sandbox
from operations.cancel import cancel
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def states() -> dict[str, str]:
    return {phase.name: phase.state for phase in Cluster.objects.get().phases.all()}


def look() -> None:
    """Lets the observer look once more, whatever was due."""
    before = Cluster.objects.get().observed_at
    drive(lambda: Cluster.objects.get().observed_at != before, max_ticks=20)


def test_a_stack_that_fails_names_its_first_cause_and_a_retry_clears_it_away(sandbox: Sandbox, operator: User) -> None:
    sandbox.fault(scenario="quota_reached", name="Roles per account")
    made = run(sandbox, operator, "cluster.create", name="demo")
    assert (made.state, made.step) == (OperationState.FAILED, "phase-control-plane"), failure(made)
    assert made.error_code == "quota_reached", failure(made)
    assert "AWS::IAM::Role" in made.error_message
    look()
    row = Cluster.objects.get()
    assert (row.state, states()["control_plane"], states()["hyperpod"]) == (State.FAILED, State.FAILED, State.PENDING)
    assert row.phases.get(name="control_plane").faults[0]["code"] == "quota_reached"

    sandbox.no_faults()
    operation = begin(operator, "cluster.create", name="demo")
    assert operation.plan["resumes"] == "demo"
    first = Operation.objects.filter(kind="phase.control_plane", parent=operation)
    drive(lambda: any(child.ended for child in first.all()), max_ticks=1000, on_idle=sandbox.forward)
    again = first.get()
    assert again.state == OperationState.SUCCEEDED, failure(again)
    assert [row["name"] for row in again.steps] == ["control-plane-clear", "control-plane-stack"]


def test_trouble_inside_is_shown_and_a_retry_goes_on_to_the_end(sandbox: Sandbox, operator: User) -> None:
    """One cluster that meets a degraded add-on, then a failing lifecycle script, then nothing any more."""
    sandbox.fault(scenario="addon_degraded", addon="cert-manager", code="AdmissionRequestDenied", message="a webhook said no")
    made = run(sandbox, operator, "cluster.create", name="demo")
    assert (made.state, made.error_code) == (OperationState.FAILED, "addon_degraded"), failure(made)
    assert "a webhook said no" in made.error_message
    look()
    assert states() == {
        "control_plane": State.READY,
        "select": State.READY,
        "dependencies": State.DEGRADED,
        "hyperpod": State.PENDING,
        "storage": State.PENDING,
    }
    cert_manager = Cluster.objects.get().dependencies.get(name="cert-manager")
    assert (cert_manager.state, cert_manager.status) == (DependencyState.DEGRADED, "DEGRADED")
    assert Cluster.objects.get().cost_per_hour == 0.15  # EKS, a NAT gateway and its address: half-made, and billed

    sandbox.no_faults()
    sandbox.fault(scenario="lifecycle_failure", group="workers")
    again = run(sandbox, operator, "phase.retry", name="demo", phase="dependencies")
    assert (again.state, again.step, again.error_code) == (OperationState.FAILED, "phase-hyperpod", "lifecycle_failed"), failure(again)
    look()
    assert (states()["dependencies"], states()["hyperpod"]) == (State.READY, State.FAILED)
    event = Cluster.objects.get().events.filter(level="Error").first()
    assert event is not None
    assert event.code == "lifecycle_failed"

    sandbox.no_faults()
    last = run(sandbox, operator, "phase.retry", name="demo", phase="hyperpod")
    assert last.state == OperationState.SUCCEEDED, failure(last)
    look()
    assert set(states().values()) == {State.READY}


def test_a_capacity_shortage_is_waited_for_in_words_and_can_be_cancelled_and_deleted(sandbox: Sandbox, operator: User) -> None:
    sandbox.fault(scenario="capacity_shortage", instance_type="ml.g5.8xlarge")
    operation = begin(operator, "cluster.create", name="demo")

    def waits_for_capacity() -> bool:
        operation.refresh_from_db()
        return operation.ended or "has no free instances" in operation.waiting_for

    drive(waits_for_capacity, max_ticks=3000, on_idle=sandbox.forward)
    assert operation.state == OperationState.RUNNING, failure(operation)
    assert "0 of 1 instances run" in operation.waiting_for
    cancel(operation, principal_for(operator))
    drive(operation, max_ticks=500, on_idle=sandbox.forward)
    operation.refresh_from_db()
    assert operation.state == OperationState.CANCELLED
    look()
    assert (states()["hyperpod"], states()["storage"], Cluster.objects.get().state) == (State.CANCELLED, State.PENDING, State.CANCELLED)

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert [row["kind"] for row in sandbox.ledger() if row["source"] != "service"] == []
