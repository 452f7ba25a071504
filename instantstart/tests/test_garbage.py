"""What nobody would send by hand: it is refused by name, and nothing is half done."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import ApiToken, User
from instantstart.api.errors import MOST_ERRORS
from operations.models import AgentRules, Webhook

pytestmark = pytest.mark.django_db
Api = Callable[..., APIClient]

PAGED = ("alerts", "audit", "clusters", "operations", "orphans", "tokens", "users", "webhooks")
TIMED = (("alerts", "since"), ("audit", "since"), ("audit", "until"), ("operations", "since"), ("operations", "until"))


def cursor(content: str) -> str:
    return base64.b64encode(content.encode()).decode()


@pytest.mark.parametrize("of", PAGED)
@pytest.mark.parametrize("made_up", ["p=2026", "r=1&p=2026-12-03+0", "p=%00", "p=0001-01-01T00:00:00%2B14:00", "p=" + "9" * 40, "o=x"])
def test_a_made_up_cursor_is_refused_or_shows_a_page(api: Api, admin_person: User, of: str, made_up: str) -> None:
    answer = api(admin_person).get(f"/api/v1/{of}/", {"cursor": cursor(made_up)})
    if answer.status_code != 200:  # a name is compared with any text
        assert (answer.status_code, answer.json()["code"], answer.json()["errors"][0]["field"]) == (400, "invalid_parameter", "cursor")


def test_a_cursor_that_names_no_moment_is_refused(api: Api, admin_person: User) -> None:
    answer = api(admin_person).get("/api/v1/operations/", {"cursor": cursor("r=1&p=2026-12-03+0")})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize(("of", "name"), TIMED)
@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+14:00"])
def test_a_moment_beyond_the_calendar_is_refused(api: Api, admin_person: User, of: str, name: str, moment: str) -> None:
    answer = api(admin_person).get(f"/api/v1/{of}/", {name: moment})
    assert (answer.status_code, answer.json()["code"], answer.json()["errors"][0]["field"]) == (400, "invalid_parameter", name)


def known() -> list[Any]:
    people = list(User.objects.order_by("pk").values_list("pk", "role", "is_active"))
    return [people, list(Webhook.objects.values_list("url", "enabled")), list(AgentRules.objects.values())]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "tokens/", {"name": "typo", "read-only": True}),
        ("post", "users/", {"username": "ann", "password": "correct horse battery", "acounts": ["222233334444"]}),
        ("patch", "users/viewer/", {"acounts": ["222233334444"]}),
        ("post", "webhooks/", {"url": "https://example.com/", "kind": ["drift"]}),
        ("patch", "agents/", {"approval_cost_per_hour": 5, "stopped": False}),
        ("post", "agents/stop/", {"reson": "why"}),
    ],
)
def test_a_field_that_is_not_known_is_refused_and_nothing_changes(
    api: Api, admin_person: User, viewer: User, method: str, path: str, body: dict[str, Any]
) -> None:
    client = api(admin_person)
    before, tokens = known(), ApiToken.objects.count()
    answer = getattr(client, method)(f"/api/v1/{path}", body, format="json")
    unknown = [*body][-1]
    assert (answer.status_code, [(error["field"], error["code"]) for error in answer.json()["errors"]]) == (
        422,
        [(unknown, "extra_forbidden")],
    )
    assert (known(), ApiToken.objects.count()) == (before, tokens)


def test_a_list_of_wrong_values_is_answered_with_the_first_of_them(api: Api, admin_person: User) -> None:
    asked = {"url": "https://example.com/", "kinds": ["xx"] * 5000}
    answer = api(admin_person).post("/api/v1/webhooks/", asked, format="json")
    assert (answer.status_code, len(answer.json()["errors"])) == (422, MOST_ERRORS)
    assert f"{5000 - MOST_ERRORS} more" in answer.json()["detail"]
    assert len(answer.content) < 50_000


@pytest.mark.parametrize("field", ["kubernetes_version", "availability_zones", "instance_type"])
def test_a_text_longer_than_any_that_is_meant_is_refused(api: Api, admin_person: User, field: str) -> None:
    long = "x" * 70_000
    body: dict[str, Any] = {
        "kubernetes_version": {"kubernetes_version": long},
        "availability_zones": {"availability_zones": [long]},
        "instance_type": {"group": {"instance_type": long}},
    }[field]
    answer = api(admin_person).post("/api/v1/clusters/?dry_run=true", {"name": "demo", **body}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "string_too_long")
    assert len(answer.content) < 2_000
