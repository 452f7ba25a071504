"""Replies that never came, errors after the effect, throttles and expired credentials, on every create and every delete."""

from __future__ import annotations

from collections import Counter

import pytest

from accounts.models import User
from clusters.choices import State
from clusters.models import Cluster
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from operations.choices import OperationState
from operations.driver import drive

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CREATES = (
    ("cloudformation", "CreateStack"),
    ("eks", "CreateAddon"),
    ("s3", "PutObject"),
    ("sagemaker", "CreateCluster"),
)
DELETES = (
    ("sagemaker", "DeleteCluster"),
    ("eks", "DeleteAddon"),
    ("s3", "DeleteObjects"),
    ("cloudformation", "DeleteStack"),
    ("logs", "DeleteLogGroup"),
)
EXPIRED = {"cloudformation": "ExpiredToken", "s3": "ExpiredToken"}
"""How the services of query and XML say that a token has expired; those of JSON: ExpiredTokenException."""
TROUBLES = (("reply_lost", 1), ("error_after", 1), ("throttle", 5), ("expired", 1))
READS = ("Describe", "List", "Get", "Head", "Simulate", "AssumeRole")


def kind_for(kind: str, service: str) -> str:
    return f"error:{EXPIRED.get(service, 'ExpiredTokenException')}" if kind == "expired" else kind


def writes(sandbox: Sandbox) -> set[tuple[str, str]]:
    """Every call that the sandbox was sent and that may change something."""
    found: set[tuple[str, str]] = set()
    since = 0
    while page := sandbox.requests(since=str(since)):
        found |= {(one["service"], one["operation"]) for one in page if not one["operation"].startswith(READS)}
        since = page[-1]["sequence"]
    return found


@pytest.mark.parametrize(("kind", "count"), TROUBLES, ids=[kind for kind, _ in TROUBLES])
def test_trouble_with_every_call_that_changes_something_ends_the_same(sandbox: Sandbox, operator: User, kind: str, count: int) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    for service, operation in (*CREATES, *DELETES):
        sandbox.fault(kind=kind_for(kind, service), service=service, operation=operation, count=count)
    made = run(sandbox, operator, "cluster.create", name="demo")
    assert made.state == OperationState.SUCCEEDED, failure(made)
    drive(lambda: Cluster.objects.get().state == State.READY, max_ticks=50)
    kinds = Counter(row["kind"] for row in sandbox.ledger(alive=False) if (row["kind"], row["id"]) not in before)
    assert (kinds["cloudformation.stack"], kinds["eks.cluster"], kinds["sagemaker.cluster"], kinds["eks.addon"]) == (1, 1, 1, 6)

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []
    struck = {(fault["service"], fault["operation"]): fault["struck"] for fault in sandbox.faults()}
    assert struck == dict.fromkeys((*CREATES, *DELETES), count)
    # No other call changes anything: none was spared the trouble.
    assert writes(sandbox) == {*CREATES, *DELETES}
