"""A whole cluster in a second account, with a real Kubernetes: made, observed and deleted through the role alone."""

from __future__ import annotations

import pytest

from accounts.models import User
from clusters.choices import State
from clusters.models import Cluster
from clusters.tests.aws_accounts.second import OWN, ROLE_ARN, SECOND, SecondAccount
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from operations.choices import OperationState
from operations.driver import drive

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_cluster_lives_in_a_second_account_and_touches_no_other(
    sandbox: Sandbox, second: SecondAccount, admin_person: User, operator: User
) -> None:
    second.make_role()
    run(sandbox, admin_person, "account.add", name="second", account_id=SECOND, role_arn=ROLE_ARN)
    cloud.forget()
    known = {row["id"] for row in sandbox.requests()}
    before = {(row["kind"], row["id"]) for row in sandbox.ledger()}

    made = run(sandbox, operator, "cluster.create", name="demo", account="second")
    assert made.state == OperationState.SUCCEEDED, failure(made)
    drive(lambda: Cluster.objects.get().state == State.READY, max_ticks=50)
    assert Cluster.objects.get().eks_arn == f"arn:aws:eks:us-west-2:{SECOND}:cluster/demo"

    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert [row for row in sandbox.ledger() if (row["kind"], row["id"]) not in before] == []
    calls = [row for row in sandbox.requests() if row["id"] not in known]
    assert {row["operation"] for row in calls if row["account"] == OWN} == {"AssumeRole"}
    assert len([row for row in calls if row["account"] == SECOND]) > 100
