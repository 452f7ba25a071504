"""What is about an account rather than a cluster, asked for in a further one: searches, imports, training plans, quotas."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.catalog import kept
from clusters.choices import SearchState
from clusters.imports.pairs import pairs
from clusters.models import Cluster, FoundCluster, FoundHyperPod, SearchedRegion
from clusters.tests.aws_accounts.rows import make_account
from clusters.tests.aws_accounts.second import OWN, ROLE_ARN, SECOND, SecondAccount
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.problem import Problem
from operations import clock
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = pytest.mark.django_db(transaction=True)
Who = Callable[..., APIClient]
WEST, TYPE = "us-west-2", "ml.p5.48xlarge"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}


def make_eks(call: Callable[..., Any]) -> None:
    """The EKS cluster `prod`, by the calls of somebody in its account."""
    role = call("iam", "create_role", RoleName="theirs", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]["Arn"]
    vpc = call("ec2", "create_vpc", CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        call("ec2", "create_subnet", VpcId=vpc, CidrBlock=cidr, AvailabilityZone=f"{WEST}{zone}")["Subnet"]["SubnetId"]
        for cidr, zone in (("10.1.0.0/20", "a"), ("10.1.16.0/24", "b"))
    ]
    call("eks", "create_cluster", name="prod", roleArn=role, resourcesVpcConfig={"subnetIds": subnets})


@pytest.fixture
def added(sandbox: Sandbox, second: SecondAccount, admin_person: User) -> SecondAccount:
    """The second account, added."""
    second.make_role()
    assert run(sandbox, admin_person, "account.add", name="second", account_id=SECOND, role_arn=ROLE_ARN).state == OperationState.SUCCEEDED
    cloud.forget()
    kept.forget()
    return second


def accounts_asked(sandbox: Sandbox, operation: str, since: int) -> set[str]:
    return {row["account"] for row in sandbox.requests(since=str(since), limit="5000") if row["operation"] == operation}


def last(sandbox: Sandbox) -> int:
    return max(row["sequence"] for row in sandbox.requests(limit="5000"))


def test_clusters_of_one_name_in_two_accounts_are_searched_told_apart_and_imported(
    sandbox: Sandbox, added: SecondAccount, operator: User, api: Who, client: Client
) -> None:
    make_eks(lambda service, call, **params: getattr(added.client(service), call)(**params))
    make_eks(lambda service, call, **params: cloud.connect(WEST).write(service, call, **params).data)
    sandbox.forward("settled")
    assert run(sandbox, operator, "import.discover", regions=[WEST]).state == OperationState.SUCCEEDED
    assert [(pair.eks.account, pair.eks.name) for pair in pairs(FoundCluster.objects.all())] == [(OWN, "prod")]
    since = last(sandbox)
    door = api(operator)
    answer = door.post("/api/v1/imports/", {"regions": [WEST], "account": "second"}, format="json")
    assert answer.status_code == 202, answer.content
    search = Operation.objects.get(pk=answer.json()["id"])
    assert f"of the account second ({SECOND})" in search.plan["summary"]
    drive(search, max_ticks=500, on_idle=lambda: sandbox.forward("next"))
    search.refresh_from_db()
    assert search.state == OperationState.SUCCEEDED, failure(search)
    assert accounts_asked(sandbox, "ListClusters", since) == {SECOND}
    assert sorted(SearchedRegion.objects.values_list("asked_account", "account", "state")) == [
        ("", OWN, SearchState.DONE),
        (SECOND, SECOND, SearchState.DONE),
    ]
    assert sorted((pair.eks.account, pair.doubt) for pair in pairs(FoundCluster.objects.all())) == [(OWN, ""), (SECOND, "")]

    which = door.post("/api/v1/imports/clusters/", {"clusters": [{"region": WEST, "eks_name": "prod"}]}, format="json")
    assert (which.status_code, which.json()["code"]) == (422, "account_needed")
    assert which.json()["detail"] == f"prod was found in {WEST} of several accounts: {OWN}, {SECOND}."

    client.force_login(operator)
    shown = client.get("/import/").content.decode()
    assert f'value="{SECOND}/{WEST}/prod"' in shown and f"second ({SECOND})" in shown
    address = f"/import/review/?cluster={SECOND}/{WEST}/prod&alias-{SECOND}/{WEST}/prod=theirs"
    review: Any = client.get(address)
    assert review.status_code == 200
    assert client.post(address, {"plan_fingerprint": review.context["plan"].fingerprint, "key": "one"}).status_code == 302
    row = Cluster.objects.get()
    assert (row.name, row.account, row.account_name, row.eks_arn.split(":")[4]) == ("theirs", SECOND, "second", SECOND)
    assert sorted((pair.eks.account, pair.here is not None) for pair in pairs(FoundCluster.objects.all())) == [(OWN, False), (SECOND, True)]


def make_found(account: str) -> None:
    at = clock.now()
    SearchedRegion.objects.create(
        asked_account="" if account == OWN else account, account=account, region=WEST, state=SearchState.DONE, asked_at=at
    )
    FoundCluster.objects.create(account=account, region=WEST, name="prod", arn=f"arn:aws:eks:{WEST}:{account}:cluster/prod", read_at=at)


def test_what_was_found_in_other_accounts_is_not_there_for_who_is_limited(operator: User, api: Who, client: Client) -> None:
    for account in (OWN, SECOND):
        make_found(account)
    make_account()
    FoundHyperPod.objects.create(account=OWN, region=WEST, name="not-read-yet")
    operator.accounts = [SECOND]
    operator.save()
    door = api(operator)
    assert [row["account"] for row in door.get("/api/v1/imports/clusters/").json()["results"]] == [SECOND]
    assert [row["account"] for row in door.get("/api/v1/imports/").json()["regions"]] == [SECOND]
    client.force_login(operator)
    page = client.get("/import/").content.decode()
    assert SECOND in page and OWN not in page
    for body, code in (
        ({"account": OWN, "region": WEST, "eks_name": "prod", "alias": "own"}, "not_found"),
        ({"region": WEST, "eks_name": "elsewhere"}, "not_found"),
    ):
        refused = door.post("/api/v1/imports/clusters/", {"clusters": [body]}, format="json")
        assert [error["code"] for error in refused.json()["errors"]] == [code]
    assert not Cluster.objects.exists()
    taken = door.post("/api/v1/imports/clusters/", {"clusters": [{"region": WEST, "eks_name": "prod"}]}, format="json")
    assert taken.status_code == 202, "another account's HyperPod cluster that is not read yet raises no doubt"
    assert Cluster.objects.get().account == SECOND
    refused = door.post("/api/v1/imports/", {"regions": [WEST]}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "cluster_not_allowed")


def test_training_plans_are_searched_and_bought_in_the_account_that_is_named(
    sandbox: Sandbox, added: SecondAccount, admin_person: User, api: Who, client: Client
) -> None:
    door = api(admin_person)
    since = last(sandbox)
    query = f"/api/v1/catalog/training-plan-offers/?instance_type={TYPE}&count=1&hours=24"
    found = door.get(f"{query}&account=second").json()
    assert found["account"] == SECOND
    assert accounts_asked(sandbox, "SearchTrainingPlanOfferings", since) == {SECOND}
    assert door.get(f"{query}&account={SECOND}").json()["account"] == SECOND
    assert door.get(f"{query}&account=nowhere").json()["errors"][0]["code"] == "unknown_account"
    offer = found["results"][0]
    body = {
        "account": "second",
        "plan": "run",
        "confirm": "run",
        "offering": offer["id"],
        "instance_type": TYPE,
        "count": 1,
        "hours": 24,
        "fee": offer["fee"],
    }
    bought = door.post("/api/v1/training-plans/", body, format="json")
    assert bought.status_code == 202, bought.content
    operation = Operation.objects.get(pk=bought.json()["id"])
    drive(operation, max_ticks=200, on_idle=lambda: sandbox.forward("next"))
    operation.refresh_from_db()
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    assert accounts_asked(sandbox, "CreateTrainingPlan", since) == {SECOND}
    kept.forget()
    client.force_login(admin_person)
    assert ">\n                  run\n" in client.get(f"/training-plans/?account={SECOND}").content.decode()
    assert ">\n                  run\n" not in client.get("/training-plans/").content.decode()
    # Who is limited to it need not name it on the page, and can't have another one's.
    admin_person.accounts = [SECOND]
    admin_person.save()
    page = client.get("/training-plans/").content.decode()
    assert ">\n                  run\n" in page and f"account {SECOND}" in page
    assert door.get(query).json()["code"] == "account_not_allowed"
    assert door.get(f"{query}&account={OWN}").json()["errors"][0]["code"] == "unknown_account"
    wizard = client.get("/new-cluster/").context["form"]
    assert wizard.fields["account"].choices == [("second", f"second ({SECOND})")]
    with pytest.raises(Problem) as refused:
        submit("training_plan.purchase", {**body, "account": OWN, "region": WEST}, principal_for(admin_person), channel="api")
    assert refused.value.code == "cluster_not_allowed"
    quotas = client.get("/quotas/").content.decode()
    assert f"in {SECOND}" not in quotas and f"account={SECOND}" in quotas, "the one account that it may look at"
    observed = door.post("/api/v1/quotas/observe/", {"account": "second"}, format="json")
    assert (observed.status_code, observed.json()["subject"]) == (202, f"{SECOND}/{WEST}")
