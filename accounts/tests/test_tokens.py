"""Making, using and revoking API tokens."""

from __future__ import annotations

import datetime as dt

import pytest
import time_machine

from accounts.actions import tokens
from accounts.api.authentication import find_token
from accounts.choices import AuditOutcome, Role
from accounts.models import ApiToken, AuditEntry
from accounts.principals import principal_for
from instantstart.problem import Problem


def test_a_token_is_shown_once_and_only_its_hash_is_kept(operator, api):
    answer = api(operator).post("/api/v1/tokens/", {"name": "laptop", "expires_in_days": 7})
    assert answer.status_code == 201
    secret = answer.json()["token"]
    token = ApiToken.objects.get(name="laptop")
    assert secret.startswith("is_") and secret not in {token.digest, token.token_key}
    assert "token" not in api(operator).get(f"/api/v1/tokens/{token.uid}/").json()
    assert find_token(secret) == token


def test_what_is_left_out_is_inherited(operator, make_token):
    parent, _ = make_token(operator, role=Role.VIEWER, clusters=["a", "b"])
    token, _ = tokens.create(principal_for(operator, parent), name="child", channel="api")
    assert (token.role, token.clusters, token.read_only, token.agent, token.parent) == (Role.VIEWER, ["a", "b"], False, False, parent)
    assert abs(token.expiry - parent.expiry) < dt.timedelta(seconds=1)


def test_each_field_that_asks_for_more_than_the_creator_holds_is_named(operator, make_token):
    parent, _ = make_token(operator, role=Role.VIEWER, clusters=["a"], expires_in=dt.timedelta(days=2))
    with pytest.raises(Problem) as refusal:
        tokens.create(
            principal_for(operator, parent),
            name="child",
            role=Role.OPERATOR,
            clusters=["a", "b"],
            expires_in=dt.timedelta(days=3),
            channel="api",
        )
    assert (refusal.value.status, refusal.value.code) == (422, "exceeds_rights")
    assert [error.field for error in refusal.value.errors] == ["role", "clusters", "expires_in_days"]
    assert ApiToken.objects.count() == 1
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.outcome, entry.code, entry.token_name) == (
        "token.create",
        AuditOutcome.REFUSED,
        "exceeds_rights",
        parent.name,
    )


@pytest.mark.parametrize(("limits", "code"), [({"agent": True}, "agent_token"), ({"read_only": True}, "read_only_token")])
def test_agents_and_read_only_tokens_make_no_tokens(operator, api, limits, code):
    client = api(operator, **limits)
    answer = client.post("/api/v1/tokens/", {"name": "another"})
    assert (answer.status_code, answer.json()["code"]) == (403, code)
    assert ApiToken.objects.count() == 1


def test_revoking_a_token_ends_it_and_those_made_with_it_at_once(operator, api, make_token):
    parent, parent_secret = make_token(operator)
    _, child_secret = tokens.create(principal_for(operator, parent), name="child", channel="api")
    answer = api(operator).delete(f"/api/v1/tokens/{parent.uid}/")
    assert answer.status_code == 204
    assert find_token(parent_secret) is None and find_token(child_secret) is None


def test_a_token_stops_when_it_expires(operator, make_token):
    token, secret = make_token(operator, expires_in=dt.timedelta(days=1))
    with time_machine.travel(token.expiry - dt.timedelta(seconds=1), tick=False):
        assert find_token(secret) == token
    with time_machine.travel(token.expiry, tick=False):
        assert find_token(secret) is None


def test_a_token_loses_what_its_user_loses(operator, admin_person, api):
    client = api(operator)
    assert client.get("/api/v1/me/").json()["role"] == "operator"
    operator.role = Role.VIEWER
    operator.save()
    assert client.get("/api/v1/me/").json()["role"] == "viewer"
    operator.is_active = False
    operator.save()
    assert client.get("/api/v1/me/").status_code == 401


def test_a_name_is_taken_once_per_user_and_free_again_after_expiry(operator, viewer, make_token):
    first, _ = make_token(operator, name="laptop", expires_in=dt.timedelta(days=1))
    make_token(viewer, name="laptop")
    with pytest.raises(Problem) as refusal:
        make_token(operator, name="laptop")
    assert [(error.field, error.code) for error in refusal.value.errors] == [("name", "taken")]
    with time_machine.travel(first.expiry + dt.timedelta(seconds=1)):
        second, _ = make_token(operator, name="laptop")
    assert list(ApiToken.objects.filter(user=operator)) == [second]


def test_others_tokens_are_not_found_but_by_admins(operator, viewer, admin_person, api, make_token):
    token, _ = make_token(operator, name="laptop")
    assert api(viewer).get(f"/api/v1/tokens/{token.uid}/").status_code == 404
    assert api(viewer).delete(f"/api/v1/tokens/{token.uid}/").status_code == 404
    admin = api(admin_person)
    assert [row["user"] for row in admin.get("/api/v1/tokens/").json()["results"]] == ["admin"]
    assert [row["name"] for row in admin.get("/api/v1/tokens/?user=operator").json()["results"]] == ["laptop"]
    assert admin.delete(f"/api/v1/tokens/{token.uid}/").status_code == 204


def test_a_token_names_the_sets_of_tools_that_an_agent_is_shown_and_unknown_ones_are_refused_with_those_there_are(operator, api):
    client = api(operator)
    made = client.post("/api/v1/tokens/", {"name": "nightly", "agent": True, "toolsets": ["core", "nodes"]})
    assert (made.status_code, made.json()["toolsets"]) == (201, ["core", "nodes"])
    for wrong in (["core", "everything"], ["Core!"], ["all"]):
        answer = client.post("/api/v1/tokens/", {"name": "other", "agent": True, "toolsets": wrong})
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["field"], error["code"]) == (422, "toolsets", "unknown_toolset")
        assert error["detail"] == f"There is no toolset {wrong[-1]}."
        assert error["hint"].startswith("There are: core, ") and "diagnose" in error["hint"]
    assert not ApiToken.objects.filter(name="other").exists()
    planned = client.post("/api/v1/tokens/?dry_run=true", {"name": "third", "agent": True, "toolsets": ["core"]}).json()
    assert {"field": "toolsets", "before": None, "after": ["core"]} in planned["changes"][0]["fields"]
