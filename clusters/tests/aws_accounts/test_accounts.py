"""Adding, testing and removing AWS accounts; clusters in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.accounts.trust import external_id
from clusters.actions.account import AddAccount
from clusters.choices import State
from clusters.models import AwsAccount, Cluster
from clusters.observers import ClusterObserver
from clusters.tests.aws_accounts.second import OWN, ROLE_ARN, SECOND, US, SecondAccount
from clusters.tests.driving import begin, run
from clusters.tests.rows import make_cluster
from clusters.tests.sandbox import Sandbox
from clusters.tests.test_kill import Killer, survive
from instantstart import cloud
from instantstart.problem import Problem
from operations import clock, points
from operations.choices import OperationState, Severity
from operations.errors import classify
from operations.models import Operation
from operations.submit import submit

pytestmark = pytest.mark.django_db(transaction=True)
ADD = {"name": "second", "account_id": SECOND, "role_arn": ROLE_ARN}
Who = Callable[..., APIClient]


def refusal(who: User, kind: str, **raw: Any) -> Problem:
    with pytest.raises(Problem) as refused:
        submit(kind, raw, principal_for(who), channel="api")
    return refused.value


def codes(problem: Problem) -> list[str]:
    return [error.code for error in problem.errors]


def test_an_account_is_tested_kept_tested_again_and_removed(sandbox: Sandbox, second: SecondAccount, admin_person: User) -> None:
    second.make_role()
    assert run(sandbox, admin_person, "account.add", **ADD).state == OperationState.SUCCEEDED
    row = AwsAccount.objects.get()
    assert (row.account_id, row.external_id, row.added_by) == (SECOND, external_id(SECOND), admin_person)
    assert (row.identity, row.missing, row.unreadable) == (f"arn:aws:sts::{SECOND}:assumed-role/instantstart-portal/instantstart", [], "")
    again = submit("account.add", ADD, principal_for(admin_person), channel="api")
    assert (again.changed, again.operation) == (False, None)

    second.trust("somebody-else")
    ended = run(sandbox, admin_person, "account.test", name="second")
    row.refresh_from_db()
    assert (ended.state, ended.error_code) == (OperationState.FAILED, "role_not_assumable")
    assert ROLE_ARN in row.unreadable
    assert external_id(SECOND) in row.unreadable
    second.trust()
    run(sandbox, admin_person, "account.test", name="second")
    row.refresh_from_db()
    assert (row.unreadable, row.unreadable_since) == ("", None)

    assert run(sandbox, admin_person, "account.remove", name="second").state == OperationState.SUCCEEDED
    assert not AwsAccount.objects.exists()


def test_a_role_that_asks_for_another_external_id_is_refused_and_nothing_is_kept(second: SecondAccount, admin_person: User) -> None:
    second.make_role(external="of-another-portal")
    problem = refusal(admin_person, "account.add", **ADD)
    assert codes(problem) == ["role_not_assumable"]
    assert external_id(SECOND) in problem.errors[0].hint
    assert (AwsAccount.objects.count(), Operation.objects.count()) == (0, 0)


def test_no_role_and_one_of_another_account_are_refused(second: SecondAccount, admin_person: User) -> None:
    assert codes(refusal(admin_person, "account.add", **ADD)) == ["role_not_assumable"]
    other = refusal(admin_person, "account.add", name="second", account_id="555566667777", role_arn=ROLE_ARN)
    assert other.code == "invalid_input"
    assert "is not in the account 555566667777" in other.errors[0].detail
    own = refusal(admin_person, "account.add", name="own", account_id=OWN, role_arn=f"arn:aws:iam::{OWN}:role/x")
    assert "own_account" in codes(own)


def test_missing_permissions_and_a_trust_without_external_id_are_warned_of(second: SecondAccount, admin_person: User) -> None:
    few = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": ["iam:*", "eks:*"], "Resource": "*"}]}
    second.make_role(policy=few)
    open_trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": US}, "Action": "sts:AssumeRole"}]}
    second.iam.update_assume_role_policy(RoleName="instantstart-portal", PolicyDocument=json.dumps(open_trust))
    plan = AddAccount().plan(AddAccount.Input(**ADD), principal_for(admin_person))
    warned = [check.code for check in plan.checks if check.severity is Severity.WARNING]
    assert warned == ["permissions_missing", "external_id_not_asked"]
    assert "sagemaker:CreateCluster" in plan.basis["missing"]


def test_an_account_with_clusters_is_not_removed(sandbox: Sandbox, second: SecondAccount, admin_person: User) -> None:
    second.make_role()
    run(sandbox, admin_person, "account.add", **ADD)
    make_cluster("there", account=SECOND)
    problem = refusal(admin_person, "account.remove", name="second")
    assert codes(problem) == ["account_in_use"]
    assert "there" in problem.errors[0].detail
    assert AwsAccount.objects.exists()


def test_a_creation_there_is_planned_and_begun_in_that_account_alone(
    sandbox: Sandbox, second: SecondAccount, admin_person: User, operator: User
) -> None:
    second.make_role()
    run(sandbox, admin_person, "account.add", **ADD)
    cloud.forget()
    unknown = refusal(operator, "cluster.create", name="demo", account="nowhere")
    assert codes(unknown) == ["unknown_account"]
    before = {row["id"] for row in sandbox.requests()}

    operation = begin(operator, "cluster.create", name="demo", account="second")
    assert f"of the account second ({SECOND})" in operation.plan["summary"]
    row = Cluster.objects.get()
    assert (row.account, row.account_name, row.spec["account"]) == (SECOND, "second", SECOND)
    _drive_until_the_stack_is_asked_for(second)
    made = [item for item in sandbox.requests() if item["id"] not in before]
    assert {(item["account"], item["operation"]) for item in made if item["account"] != SECOND} == {(OWN, "AssumeRole")}
    assert {item["operation"] for item in made} >= {"CreateStack", "SimulatePrincipalPolicy", "DescribeVpcs"}
    assert second.client("cloudformation").describe_stacks()["Stacks"][0]["StackName"] == "instantstart-demo-control-plane"


def _drive_until_the_stack_is_asked_for(second: SecondAccount) -> None:
    from operations.driver import drive

    stacks = second.client("cloudformation")
    drive(lambda: bool(stacks.describe_stacks()["Stacks"]), max_ticks=200)


def test_a_revoked_role_makes_its_clusters_unknown_and_they_heal(sandbox: Sandbox, second: SecondAccount, admin_person: User) -> None:
    second.make_role()
    run(sandbox, admin_person, "account.add", **ADD)
    row = make_cluster("there", account=SECOND)
    observer = ClusterObserver()
    second.iam.delete_role_policy(RoleName="instantstart-portal", PolicyName="portal")
    second.iam.delete_role(RoleName="instantstart-portal")
    cloud.forget()
    for failures in (1, 2):
        with pytest.raises(cloud.CloudError) as failed:
            observer.observe("there")
        observer.unreadable("there", classify(failed.value), clock.now(), failures)
    row.refresh_from_db()
    assert {phase.state for phase in row.phases.all()} == {State.UNKNOWN}
    assert row.unreadable.startswith("The role of this AWS account can't be taken on.")

    second.make_role()
    observer.observe("there")
    row.refresh_from_db()
    assert State.UNKNOWN not in {phase.state for phase in row.phases.all()}
    assert row.unreadable == ""


def test_accounts_are_listed_added_and_tested_through_the_api(
    sandbox: Sandbox, second: SecondAccount, admin_person: User, api: Who
) -> None:
    client = api(admin_person)
    trust = client.get("/api/v1/accounts/trust/", {"account_id": SECOND}).json()
    assert trust["external_id"] == external_id(SECOND)
    assert trust["trust_policy"]["Statement"][0]["Principal"] == {"AWS": US}
    second.make_role()
    planned = client.post("/api/v1/accounts/?dry_run=true", ADD, format="json")
    assert (planned.status_code, planned.json()["changed"]) == (200, True)
    assert AwsAccount.objects.count() == 0
    assert client.post("/api/v1/accounts/", ADD, format="json").status_code == 202
    assert [item["name"] for item in client.get("/api/v1/accounts/").json()["results"]] == ["second"]
    assert client.post("/api/v1/accounts/second/test/").status_code == 202
    own = client.get("/api/v1/catalog/zones/").json()["results"]
    theirs = client.get("/api/v1/catalog/zones/", {"account": "second"}).json()["results"]
    assert {zone["id"] for zone in own} == {zone["id"] for zone in theirs}
    assert "DescribeAvailabilityZones" in {row["operation"] for row in sandbox.requests() if row["account"] == SECOND}
    assert client.get("/api/v1/catalog/zones/", {"account": "nowhere"}).status_code == 400


@pytest.mark.parametrize(
    ("kind", "given", "left"), [("account.add", ADD, 1), ("account.test", {"name": "second"}, 1), ("account.remove", {"name": "second"}, 0)]
)
def test_a_death_at_any_point_repeats_and_loses_nothing(
    sandbox: Sandbox,
    second: SecondAccount,
    admin_person: User,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    given: dict[str, Any],
    left: int,
) -> None:
    second.make_role()
    if kind != "account.add":
        run(sandbox, admin_person, "account.add", **ADD)
    killer = Killer()
    with monkeypatch.context() as patch:
        patch.setattr(points, "reach", killer.reach)
        operation, deaths = survive(sandbox, admin_person, kind, **given)
    assert (operation.state, deaths) == (OperationState.SUCCEEDED, len(killer.reached))
    assert AwsAccount.objects.count() == left
