"""The authorization matrix of the pages: each cell by its exact status, and on refusal nothing has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.urls.resolvers import URLPattern
from django.utils import timezone

from accounts.models import User
from instantstart.tests.page_matrix import CALLERS, ROWS, Row
from instantstart.tests.test_authorization import everything, ids
from operations import action as actions
from operations.models.notification import Notification, NotificationKind

__all__ = ["ids"]

ELSEWHERE = ("api/v1/", "admin/")
"""What has a matrix of its own."""
Visitors = dict[str, Callable[[], Client]]


def routes() -> Iterator[str]:
    def walk(patterns: list[Any], prefix: str) -> Iterator[str]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield path
            else:
                yield from walk(pattern.url_patterns, path)

    return (path for path in walk(get_resolver().url_patterns, "") if not path.startswith(ELSEWHERE))


def test_every_page_has_exactly_one_row() -> None:
    assert sorted(row.route for row in ROWS) == sorted(routes())


@pytest.fixture
def visitors(ids: dict[str, str], viewer: User, operator: User, admin_person: User) -> Visitors:
    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    people = {"viewer": viewer, "operator": operator, "admin": admin_person}
    ids["viewer"] = str(viewer.pk)
    ids["plan"] = actions.find("cluster.delete").plan(None, None).fingerprint
    for user in people.values():
        Notification.objects.create(
            kind=NotificationKind.OPERATION_ENDED, user=user, operation_id=ids["failed"], title="It failed", created_at=timezone.now()
        )
    return {"anonymous": Client, **{name: lambda user=user: signed_in(user) for name, user in people.items()}}  # type: ignore[misc]


def visited(row: Row, method: str, client: Client, ids: dict[str, str]) -> Any:
    """The answer; on the way, that nothing has changed unless it was meant to."""
    url = "/" + row.url.format(**ids).removeprefix("/")
    before = everything()
    body = {name: ids["plan"] if value == "{plan}" else value for name, value in row.body.items()}
    answer = getattr(client, method)(url, body if method == "post" else None)
    anonymous = "_auth_user_id" not in client.session
    if answer.status_code == 302 and anonymous and row.route not in ("sign-in/", "sign-out/"):
        assert answer["Location"] == f"{reverse('accounts-web:sign-in')}?next={quote(url)}"
    allowed = answer.status_code == 302 and not anonymous
    if method == "post" and row.changes and allowed:
        assert everything() != before, url
    elif answer.status_code >= 400 or method == "get" or anonymous:
        assert everything() == before, url
    return answer


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.route or "/")
def test_each_visitor_gets_what_the_matrix_says_and_a_refusal_changes_nothing(
    row: Row, method: str, ids: dict[str, str], visitors: Visitors
) -> None:
    answers = {}
    for caller in CALLERS:
        with transaction.atomic():
            answers[caller] = visited(row, method, visitors[caller](), ids).status_code
            transaction.set_rollback(True)
    assert answers == dict(zip(CALLERS, getattr(row, method), strict=True))


def test_who_is_limited_to_another_aws_account_finds_and_changes_nothing_of_this_one(
    ids: dict[str, str], visitors: Visitors, admin_person: User
) -> None:
    """An admin, so that no role stands in the way: what is about a cluster of another account is not there, and no list names it."""
    admin_person.accounts = ["222233334444"]
    admin_person.save()
    client = visitors["admin"]()
    theirs = [f"{{{name}}}" for name in ("running", "failed", "unknown", "awaiting_approval", "alert", "webhook", "orphan", "quota")]
    hidden = [row for row in ROWS if "/demo/" in row.url or any(name in row.url for name in theirs)]
    assert len(hidden) > 25
    for row in hidden:
        url = "/" + row.url.format(**ids)
        body = {name: ids["plan"] if value == "{plan}" else value for name, value in row.body.items()}
        before = everything()
        answers = {client.get(url).status_code, client.post(url, body).status_code}
        assert answers <= {404, 405} and 404 in answers, url
        assert everything() == before, url
    for row in ROWS:
        answer = client.get("/" + row.url.format(**ids).removeprefix("/"))
        if row not in hidden and answer.status_code == 200:
            assert not re.search(r"/clusters/(demo|other)/|123456789012", answer.content.decode()), row.route
    assert client.get("/admin/").status_code == 302


@pytest.mark.parametrize("model", sorted(admin.site._registry, key=lambda model: model._meta.label), ids=lambda model: model._meta.label)
def test_the_admin_site_is_for_admins_alone(model: Any, visitors: Visitors) -> None:
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    answers = {caller: visitors[caller]().get(url).status_code for caller in CALLERS}
    assert answers == {"anonymous": 302, "viewer": 302, "operator": 302, "admin": 200}


@pytest.mark.parametrize("model", sorted(admin.site._registry, key=lambda model: model._meta.label), ids=lambda model: model._meta.label)
def test_no_row_is_made_or_changed_by_a_form_of_the_admin_site(model: Any, visitors: Visitors) -> None:
    """Groups and permissions decide nothing here; whatever else is written by a form would pass actions and the trail by."""
    address = f"admin:{model._meta.app_label}_{model._meta.model_name}_add"
    before = model.objects.count()
    assert visitors["admin"]().post(reverse(address), {}).status_code == 403
    assert model.objects.count() == before


def test_the_queue_of_the_workers_has_no_pages(visitors: Visitors) -> None:
    tables = ("schedule", "success", "failure", "ormq")
    assert [visitors["admin"]().get(f"/admin/django_q/{table}/").status_code for table in tables] == [404] * len(tables)


def test_a_page_that_fetches_itself_after_the_session_ended_takes_the_whole_page_to_the_sign_in(visitors: Visitors) -> None:
    answer = Client().get("/clusters/demo/", headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/clusters/demo/"})
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/sign-in/?next=/clusters/demo/")
