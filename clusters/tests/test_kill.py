"""Killed anywhere, a creation ends in the same cluster and a deletion in nothing: 0 duplicates, 0 orphans."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.choices import State
from clusters.models import Cluster
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from operations import points
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Intent, Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Died(BaseException):
    """The process is gone."""


class Killer:
    """Dies once at each point, in the order in which they are reached.

    The hint that a commit gives offers the operation before submit() returns: who died in it each time would never come to
    the point after the commit, so the points of the offer wait for that one.
    """

    def __init__(self) -> None:
        self.to_come = set(points.POINTS)
        self.reached: set[str] = set()

    def reach(self, point: str) -> None:
        self.reached.add(point)
        if point.startswith("offer.") and "submit.committed" in self.to_come:
            return
        if point in self.to_come:
            self.to_come.discard(point)
            raise Died(point)


def survive(sandbox: Sandbox, who: User, kind: str, *, key: str = "", **raw: Any) -> tuple[Operation, int]:
    """Submits under one key and drives, again after each death, until the operation has ended; and how many deaths it took."""
    deaths = 0
    while True:
        try:
            operation = submit(kind, raw, principal_for(who), channel="api", idempotency_key=key or kind).operation
            assert operation is not None
            drive(operation, max_ticks=3000, on_idle=sandbox.forward)
            operation.refresh_from_db()
            return operation, deaths
        except Died:
            deaths += 1
            cloud.forget()  # memory dies with the process


def test_a_creation_and_a_deletion_that_die_once_at_each_point_end_the_same(
    sandbox: Sandbox, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}
    killer = Killer()
    monkeypatch.setattr(points, "reach", killer.reach)

    made, deaths = survive(sandbox, operator, "cluster.create", name="demo")
    assert made.state == OperationState.SUCCEEDED, failure(made)
    assert deaths == len(points.POINTS)
    assert killer.reached == set(points.POINTS)
    drive(lambda: Cluster.objects.get().state == State.READY, max_ticks=50)
    assert Operation.objects.count() == 6
    assert not Intent.objects.filter(ended_at=None).exists()
    kinds = Counter(row["kind"] for row in sandbox.ledger(alive=False) if (row["kind"], row["id"]) not in before)
    once = (
        "cloudformation.stack",
        "ec2.vpc",
        "ec2.nat-gateway",
        "eks.cluster",
        "iam.oidc-provider",
        "s3.bucket",
        "sagemaker.cluster",
        "sagemaker.node",
    )
    assert {kind: kinds[kind] for kind in once} == dict.fromkeys(once, 1)
    assert kinds["eks.addon"] == 6

    # With a subnet of its own, which must go before the network that it is in.
    group = {"name": "apart", "instance_type": "ml.m5.xlarge", "count": 0, "subnet": "dedicated"}
    added = run(sandbox, operator, "group.add", name="demo", groups=[group])
    assert added.state == OperationState.SUCCEEDED, failure(added)

    second = Killer()
    monkeypatch.setattr(points, "reach", second.reach)
    gone, deaths = survive(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert (second.to_come, second.reached) == (set(), set(points.POINTS))
    assert deaths == len(points.POINTS)
    assert not Cluster.objects.exists()
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []
