"""A person or a token limited to AWS accounts: what is in others is not there for them."""

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
from instantstart.live.topics import allowed_topics, may_see
from instantstart.problem import Problem
from operations.models import Operation, StatusEvent
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


@pytest.mark.django_db
def test_a_person_is_limited_with_every_token_and_by_every_door(admin_person: User, operator: User, api: Who) -> None:
    make_cluster("here", account=OWN)
    make_cluster("there", account=SECOND)
    before = api(operator)
    assert [item["name"] for item in before.get("/api/v1/clusters/").json()["results"]] == ["here", "there"]
    admin = api(admin_person)
    plan = admin.patch("/api/v1/users/operator/?dry_run=true", {"accounts": [SECOND]}, format="json").json()
    assert plan["changes"][0]["fields"] == [{"field": "accounts", "before": None, "after": [SECOND]}]
    answer = admin.patch("/api/v1/users/operator/", {"accounts": [SECOND]}, format="json")
    assert (answer.status_code, answer.json()["accounts"]) == (200, [SECOND])

    assert [item["name"] for item in before.get("/api/v1/clusters/").json()["results"]] == ["there"]
    assert before.get("/api/v1/me/").json()["accounts"] == [SECOND]
    assert before.put("/api/v1/clusters/here/protection/", {"enabled": True}, format="json").status_code == 404
    operator.refresh_from_db()
    for channel, kind, given in (
        ("web", "cluster.protect", {"name": "here", "enabled": True}),
        ("web", "quota.observe", {"region": "us-west-2", "account": OWN}),
        ("mcp", "quota.observe", {"region": "us-west-2"}),
        ("admin", "account.test", {"name": "second"}),
    ):
        with pytest.raises(Problem) as refused:
            submit(kind, given, principal_for(operator), channel=channel)
        assert refused.value.code == "cluster_not_allowed"
        assert "you are limited to other AWS accounts" in str(refused.value)
        assert refused.value.hint == "Ask an administrator to widen your limit."
    assert not Operation.objects.exists()
    asked = submit("quota.observe", {"region": "us-west-2", "account": SECOND}, principal_for(operator), channel="web").operation
    assert asked is not None
    assert before.get(f"/api/v1/operations/{asked.pk}/").status_code == 200, "one's own, though it is about no cluster"
    theirs = submit("quota.observe", {"region": "us-west-2", "account": OWN}, principal_for(admin_person), channel="web").operation
    assert theirs is not None
    topics = {"clusters", "cluster:there", f"operation:{asked.pk}"}
    limited = principal_for(operator)
    assert allowed_topics(limited, {*topics, "cluster:here", f"operation:{theirs.pk}"}) == topics
    told = [("clusters", {"cluster": "there"}), ("imports", {"account": SECOND})]
    hidden = [("clusters", {"cluster": "here"}), ("imports", {"account": OWN}), ("imports", {})]
    shown = [may_see(limited, StatusEvent(topic=topic, payload=payload)) for topic, payload in (*told, *hidden)]
    assert shown == [True, True, False, False, False]

    assert admin.patch("/api/v1/users/operator/", {"accounts": None}, format="json").status_code == 200
    assert before.get("/api/v1/clusters/here/").status_code == 200


@pytest.mark.django_db
def test_a_limited_admin_manages_nobody_and_the_last_unlimited_one_stays(admin_person: User, operator: User, api: Who) -> None:
    admin = api(admin_person)
    refused = admin.patch("/api/v1/users/admin/", {"accounts": [SECOND]}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "last_admin")
    wrong = admin.patch("/api/v1/users/operator/", {"accounts": ["22"]}, format="json")
    assert (wrong.status_code, [error["field"] for error in wrong.json()["errors"]]) == (422, ["accounts.0"])
    made = admin.post(
        "/api/v1/users/", {"username": "nora", "password": "a long enough sentence", "role": "admin", "accounts": [SECOND]}, format="json"
    )
    assert (made.status_code, made.json()["accounts"]) == (201, [SECOND])
    nora = User.objects.get(username="nora")
    assert (nora.is_staff, nora.is_superuser) == (False, False), "the admin site shows every row"
    demoted = admin.patch("/api/v1/users/admin/", {"role": "viewer"}, format="json")
    assert (demoted.status_code, demoted.json()["code"]) == (409, "last_admin")
    denied = api(nora).patch("/api/v1/users/operator/", {"role": "admin"}, format="json")
    assert (denied.status_code, denied.json()["code"]) == (403, "cluster_not_allowed")
    assert api(nora).get("/api/v1/tokens/", {"user": "operator"}).json()["results"] == []


@pytest.mark.django_db
def test_the_limit_is_set_on_the_page_of_users(admin_person: User, operator: User, client: Any) -> None:
    client.force_login(admin_person)
    client.post(f"/users/{operator.pk}/", {"accounts": f"{SECOND}, {OWN}"})
    operator.refresh_from_db()
    assert operator.accounts == [OWN, SECOND]
    assert f'value="{OWN} {SECOND}"' in client.get("/users/").content.decode()
    refused = client.post(f"/users/{operator.pk}/", {"accounts": "prod"}, follow=True).content.decode()
    assert "Give a list of AWS accounts by their twelve digits" in refused
    marked = {"action": "lift_limit", "_selected_action": [operator.pk]}
    assert "1 without a limit." in client.post("/admin/accounts/user/", marked, follow=True).content.decode()
    operator.refresh_from_db()
    assert operator.accounts is None
    client.post(f"/users/{operator.pk}/", {"accounts": SECOND})
    client.post(f"/users/{operator.pk}/", {"accounts": ""})
    operator.refresh_from_db()
    assert operator.accounts is None
