"""The account pages: what each role may see, and that refusals change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.choices import AuditOutcome, Role
from accounts.models import ApiToken, AuditEntry, User
from agentapi.sets import TOOLSETS
from conftest import PASSWORD, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in() -> Callable[[User], Client]:
    def client(user: User) -> Client:
        made = Client()
        made.force_login(user)
        return made

    return client


@pytest.mark.parametrize("name", ["users", "audit"])
@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_people_and_trail_are_for_admins(signed_in: Any, name: str, role: Role) -> None:
    client = signed_in(make_user(role))
    response = client.get(reverse(f"accounts-web:{name}"))
    assert response.status_code == 403
    assert "This page needs the role Admin" in response.content.decode()
    assert reverse(f"accounts-web:{name}") not in client.get(reverse("accounts-web:tokens")).content.decode()


def test_nobody_but_an_admin_makes_or_changes_people(signed_in: Any, viewer: User, operator: User) -> None:
    client = signed_in(operator)
    made = client.post(reverse("accounts-web:users"), {"username": "new", "role": "admin", "password": PASSWORD})
    changed = client.post(reverse("accounts-web:user-change", args=[operator.pk]), {"role": "admin"})
    assert (made.status_code, changed.status_code) == (403, 403)
    assert set(User.objects.values_list("username", "role")) == {("viewer", "viewer"), ("operator", "operator")}


def test_an_admin_makes_a_person_who_can_sign_in(signed_in: Any, admin_person: User) -> None:
    body = {"username": "nora", "email": "", "role": "operator", "password": PASSWORD}
    response = signed_in(admin_person).post(reverse("accounts-web:users"), body, follow=True)
    assert "nora can sign in now." in response.content.decode()
    assert Client().login(username="nora", password=PASSWORD)


def test_a_weak_password_is_refused_beside_its_field_and_the_rest_is_kept(signed_in: Any, admin_person: User) -> None:
    body = {"username": "nora", "email": "nora@example.org", "role": "operator", "password": "short"}
    response = signed_in(admin_person).post(reverse("accounts-web:users"), body)
    page = response.content.decode()
    assert response.status_code == 422 and 'id="id_password_error"' in page
    assert 'value="nora"' in page and 'value="nora@example.org"' in page and "short" not in page.split("id_password")[1][:80]
    assert User.objects.count() == 1


def test_an_admin_sets_a_role_and_shuts_out(signed_in: Any, admin_person: User, viewer: User) -> None:
    client, address = signed_in(admin_person), reverse("accounts-web:user-change", args=[viewer.pk])
    client.post(address, {"role": "operator"})
    client.post(address, {"active": "no"})
    viewer.refresh_from_db()
    assert (viewer.role, viewer.is_active) == ("operator", False)


def test_a_new_token_is_shown_this_once(signed_in: Any, viewer: User) -> None:
    client = signed_in(viewer)
    body = {"name": "nightly", "role": "viewer", "expires_in_days": "7", "clusters": "demo, other"}
    page = client.post(reverse("accounts-web:tokens"), body).content.decode()
    secret = page.split('id="new-token">')[1].split("<")[0].strip()
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    assert secret not in client.get(reverse("accounts-web:tokens")).content.decode()
    assert ApiToken.objects.get(user=viewer).clusters == ["demo", "other"]


def test_a_token_above_ones_own_role_is_refused_with_a_sentence(signed_in: Any, viewer: User) -> None:
    body = {"name": "too much", "role": "admin", "expires_in_days": "7", "clusters": ""}
    response = signed_in(viewer).post(reverse("accounts-web:tokens"), body)
    assert response.status_code == 422 and not ApiToken.objects.exists()
    assert 'role="alert"' in response.content.decode()


def test_nobody_revokes_another_persons_token(signed_in: Any, viewer: User, operator: User, make_token: Any) -> None:
    token, _ = make_token(operator)
    response = signed_in(viewer).post(reverse("accounts-web:token-revoke", args=[token.uid]))
    assert response.status_code == 404 and ApiToken.objects.filter(pk=token.pk).exists()


def test_two_different_new_passwords_are_refused(signed_in: Any, viewer: User) -> None:
    body = {"old_password": PASSWORD, "password": "a new long one", "again": "another long one"}
    response = signed_in(viewer).post(reverse("accounts-web:password"), body)
    assert response.status_code == 422 and "The two are not the same." in response.content.decode()
    viewer.refresh_from_db()
    assert viewer.check_password(PASSWORD)


def test_changing_ones_password_keeps_this_session(signed_in: Any, viewer: User) -> None:
    client = signed_in(viewer)
    body = {"old_password": PASSWORD, "password": "a new long one", "again": "a new long one"}
    response = client.post(reverse("accounts-web:password"), body, follow=True)
    assert "Your password is changed." in response.content.decode()
    assert client.get(reverse("accounts-web:tokens")).status_code == 200


def test_the_trail_shows_who_was_refused_what(signed_in: Any, admin_person: User) -> None:
    entry = {"action": "cluster.delete", "subject": "cluster:demo", "code": "role_too_low", "channel": "web"}
    AuditEntry.objects.create(outcome=AuditOutcome.REFUSED, username="mallory", **entry)
    AuditEntry.objects.create(
        outcome=AuditOutcome.ACCEPTED, username="alice", action="cluster.create", subject="cluster:demo", channel="web"
    )
    page = signed_in(admin_person).get(reverse("accounts-web:audit"), {"outcome": "refused"}).content.decode()
    assert "mallory" in page and "role_too_low" in page and "alice" not in page


def test_a_token_for_an_agent_gets_its_sets_of_tools_by_boxes_one_for_each(signed_in: Any, operator: User) -> None:
    client, url = signed_in(operator), reverse("accounts-web:tokens")
    page = client.get(url).content.decode()
    assert [name for name in TOOLSETS if f'name="toolsets"\n                 value="{name}"' in page] == list(TOOLSETS)
    body = {"name": "nightly", "role": "operator", "expires_in_days": "7", "agent": "on", "toolsets": ["core", "nodes"]}
    page = client.post(url, body).content.decode()
    assert ApiToken.objects.get(name="nightly").toolsets == ["core", "nodes"] and "tools: core, nodes" in page
    client.post(url, {**body, "name": "all of them", "toolsets": []})
    assert ApiToken.objects.get(name="all of them").toolsets is None
    refused = client.post(url, {**body, "name": "third", "toolsets": ["everything"]})
    assert refused.status_code == 422 and 'id="id_toolsets_error"' in refused.content.decode()
    assert "There is no toolset everything. There are: core, " in refused.content.decode()
    assert not ApiToken.objects.filter(name="third").exists()
