"""People and their roles."""

from __future__ import annotations

import pytest

from accounts.actions import users
from accounts.choices import AuditOutcome, Role
from accounts.models import ApiToken, AuditEntry, Preference, User
from accounts.preferences import forget_cluster, prefer_cluster, preferred_cluster
from accounts.principals import principal_for
from instantstart.problem import Problem

STRONG = "a long enough sentence"


def test_an_admin_makes_a_user_who_is_what_the_role_says(admin_person, api):
    answer = api(admin_person).post("/api/v1/users/", {"username": "nora", "password": STRONG, "role": "operator"})
    assert answer.status_code == 201 and answer["Location"].endswith("/api/v1/users/nora/")
    nora = User.objects.get(username="nora")
    assert nora.check_password(STRONG) and (nora.role, nora.is_staff, nora.is_superuser) == (Role.OPERATOR, False, False)
    assert STRONG not in answer.content.decode()


def test_djangos_own_flags_follow_the_role(admin_person, operator):
    principal = principal_for(admin_person)
    assert users.set_role(principal, operator, Role.ADMIN, channel="api") is True
    operator.refresh_from_db()
    assert (operator.is_staff, operator.is_superuser) == (True, True)
    assert users.set_role(principal, operator, Role.ADMIN, channel="api") is False
    users.set_role(principal, operator, Role.VIEWER, channel="api")
    operator.refresh_from_db()
    assert (operator.is_staff, operator.is_superuser) == (False, False)


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"username": "viewer", "password": STRONG}, "username", "taken"),
        ({"username": "n/a", "password": STRONG}, "username", "invalid"),
        ({"username": "nora", "password": "short"}, "password", "weak_password"),
        ({"username": "nora"}, "password", "required"),
        ({"username": "nora", "password": STRONG, "email": "nora"}, "email", "invalid"),
    ],
)
def test_a_user_that_cannot_be_is_refused_field_by_field(admin_person, viewer, api, body, field, code):
    count = User.objects.count()
    answer = api(admin_person).post("/api/v1/users/", body)
    assert answer.status_code == 422
    assert (field, code) in [(error["field"], error["code"]) for error in answer.json()["errors"]]
    assert User.objects.count() == count


@pytest.mark.parametrize(("limits", "code"), [({"agent": True}, "agent_token"), ({"clusters": ["demo"]}, "cluster_not_allowed")])
def test_an_admins_limited_token_manages_no_users(admin_person, viewer, api, limits, code):
    answer = api(admin_person, **limits).patch("/api/v1/users/viewer/", {"role": "admin"})
    assert (answer.status_code, answer.json()["code"]) == (403, code)
    viewer.refresh_from_db()
    assert viewer.role == Role.VIEWER
    assert AuditEntry.objects.filter(outcome=AuditOutcome.REFUSED, action="user.set_role", code=code).count() == 1


@pytest.mark.parametrize("change", [{"role": "viewer"}, {"is_active": False}])
def test_the_last_admin_stays(admin_person, api, change):
    answer = api(admin_person).patch("/api/v1/users/admin/", change)
    assert (answer.status_code, answer.json()["code"]) == (409, "last_admin")
    admin_person.refresh_from_db()
    assert (admin_person.role, admin_person.is_active) == (Role.ADMIN, True)


def test_a_change_is_all_or_nothing(admin_person, viewer, api):
    answer = api(admin_person).patch("/api/v1/users/viewer/", {"role": "operator", "password": "short"})
    assert answer.status_code == 422
    viewer.refresh_from_db()
    assert viewer.role == Role.VIEWER
    assert not AuditEntry.objects.filter(action="user.set_role").exists()
    assert AuditEntry.objects.get(action="user.set_password").outcome == AuditOutcome.REFUSED


def test_a_dry_run_shows_the_differences_and_changes_nothing(admin_person, viewer, api):
    client = api(admin_person)
    url = "/api/v1/users/viewer/"
    trail = AuditEntry.objects.count()
    plan = client.patch(f"{url}?dry_run=true", {"role": "operator"}).json()
    assert plan["changes"] == [
        {
            "resource_type": "User",
            "name": "viewer",
            "action": "update",
            "fields": [{"field": "role", "before": "viewer", "after": "operator"}],
        }
    ]
    viewer.refresh_from_db()
    assert viewer.role == Role.VIEWER and AuditEntry.objects.count() == trail
    assert client.patch(f"{url}?plan_fingerprint=other", {"role": "operator"}).status_code == 409
    assert client.patch(f"{url}?plan_fingerprint={plan['fingerprint']}", {"role": "operator"}).status_code == 200
    unchanged = client.patch(url, {"role": "operator"})
    assert (unchanged.status_code, unchanged.json()["changed"]) == (200, False)


def test_who_is_shut_out_loses_tokens_and_sessions(admin_person, operator, api, client):
    client.force_login(operator)
    api(operator)
    assert client.get("/api/v1/me/").status_code == 200
    assert api(admin_person).patch("/api/v1/users/operator/", {"is_active": False}).status_code == 200
    assert client.get("/api/v1/me/").status_code == 401
    assert not ApiToken.objects.filter(user=operator).exists()


def test_ones_own_password_needs_the_present_one_and_a_session(operator, make_token):
    principal = principal_for(operator)
    with pytest.raises(Problem) as refusal:
        users.change_own_password(principal, old="guess", new=STRONG, channel="web")
    assert refusal.value.errors[0].field == "old_password"
    token, _ = make_token(operator)
    with pytest.raises(Problem) as refusal:
        users.change_own_password(principal_for(operator, token), old="correct horse battery", new=STRONG, channel="api")
    assert refusal.value.code == "session_needed"
    users.change_own_password(principal, old="correct horse battery", new=STRONG, channel="web")
    operator.refresh_from_db()
    assert operator.check_password(STRONG)


def test_the_first_admin_is_made_once_with_a_password_nobody_chose(db):
    first, password = users.ensure_first_admin()
    assert password is not None and len(password) >= 20 and first.check_password(password)
    assert users.ensure_first_admin() == (first, None)


def test_a_preference_belongs_to_the_token_that_states_it_or_else_to_its_user(operator, make_token):
    token, _ = make_token(operator)
    limited, _ = make_token(operator, clusters=["b"])
    person, program, guest = principal_for(operator), principal_for(operator, token), principal_for(operator, limited)
    prefer_cluster(person, "a")
    assert (preferred_cluster(person), preferred_cluster(program), preferred_cluster(guest)) == ("a", "a", "")
    prefer_cluster(program, "b")
    prefer_cluster(program, "c")
    assert (preferred_cluster(person), preferred_cluster(program)) == ("a", "c")
    forget_cluster("c")
    assert preferred_cluster(program) == "a"
    assert Preference.objects.count() == 1
