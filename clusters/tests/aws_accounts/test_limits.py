"""A token limited to AWS accounts: what is in others is not there for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiToken, User
from accounts.principals import principal_for
from clusters.models import Cluster
from clusters.tests.aws_accounts.rows import make_account
from clusters.tests.aws_accounts.second import OWN, ROLE_ARN, SECOND, SecondAccount
from clusters.tests.driving import run
from clusters.tests.rows import make_cluster
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.problem import Problem
from operations.models import Operation
from operations.submit import submit

Who = Callable[..., APIClient]
Make = Callable[..., tuple[ApiToken, str]]


@pytest.mark.django_db
def test_what_is_in_another_account_is_not_found_and_not_changed(operator: User, api: Who, make_token: Make) -> None:
    make_cluster("here", account=OWN)
    make_cluster("there", account=SECOND)
    make_account()
    make_account("third", "333344445555")
    client = api(operator, accounts=[SECOND])
    assert [item["name"] for item in client.get("/api/v1/clusters/").json()["results"]] == ["there"]
    assert [item["name"] for item in client.get("/api/v1/accounts/").json()["results"]] == ["second"]
    assert client.get("/api/v1/me/").json()["accounts"] == [SECOND]
    for url in ("clusters/here/", "clusters/here/phases/", "accounts/third/"):
        assert client.get(f"/api/v1/{url}").status_code == 404
    assert client.put("/api/v1/clusters/here/protection/", {"enabled": True}, format="json").status_code == 404
    assert client.put("/api/v1/clusters/there/protection/", {"enabled": True}, format="json").status_code == 202

    token, _ = make_token(operator, accounts=[SECOND])
    with pytest.raises(Problem) as refused:
        submit("cluster.protect", {"name": "here", "enabled": True}, principal_for(operator, token), channel="mcp")
    assert refused.value.code == "cluster_not_allowed"
    assert Cluster.objects.get(name="here").deletion_protection is False


@pytest.mark.django_db
def test_a_token_limited_to_accounts_makes_none_that_reaches_further(operator: User, api: Who) -> None:
    client = api(operator, accounts=[SECOND])
    assert client.post("/api/v1/tokens/", {"name": "same"}, format="json").json()["accounts"] == [SECOND]
    wider = client.post("/api/v1/tokens/", {"name": "wider", "accounts": [SECOND, OWN]}, format="json")
    assert (wider.status_code, [error["field"] for error in wider.json()["errors"]]) == (422, ["accounts"])


@pytest.mark.django_db(transaction=True)
def test_it_creates_clusters_in_its_accounts_alone(
    sandbox: Sandbox, second: SecondAccount, admin_person: User, operator: User, make_token: Make
) -> None:
    second.make_role()
    run(sandbox, admin_person, "account.add", name="second", account_id=SECOND, role_arn=ROLE_ARN)
    cloud.forget()
    token, _ = make_token(operator, accounts=[SECOND])
    limited = principal_for(operator, token)
    before = Operation.objects.count()
    with pytest.raises(Problem) as refused:
        submit("cluster.create", {"name": "demo"}, limited, channel="api")
    assert refused.value.code == "account_not_allowed"
    assert (Cluster.objects.count(), Operation.objects.count()) == (0, before)
    given: dict[str, Any] = {"name": "demo", "account": "second"}
    assert submit("cluster.create", given, limited, channel="api").changed
    assert Cluster.objects.get().account == SECOND
