"""The authorization matrix: each cell by its exact status, and on refusal nothing has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.urls import get_resolver
from django.urls.resolvers import URLPattern
from django.utils import timezone

from accounts.models import ApiToken, AuditEntry
from clusters.catalog import kept
from clusters.tests.aws_accounts.rows import PROBED, make_account
from clusters.tests.rows import SPEC, make_cluster, make_drift, make_node_group, make_orphan, make_quota, make_stack
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.tests.authorization_matrix import CALLERS, ROWS, Row
from operations import action as actions
from operations.alerts.tests.rows import make_alert, make_webhook
from operations.choices import Channel, OperationState
from operations.models import Operation
from operations.plan import Change, Plan
from operations.submit import request_fingerprint
from operations.tests import fakes, world

PREFIX = "api/v1/"
UNTOUCHED = ("accounts", "clusters", "operations", "instantstart")
"""Apps whose rows must be as before after a refusal."""
NO_GROUPS = {
    "requests": [],
    "template": {},
    "request": {},
    "ours": False,
    "groups": [],
    "nodes": [],
    "going": [],
    "way": "set",
    "planned": [],
} | {
    "names": [],
    "regions": [],
    "code": "L-1",
}
"""What plans of groups, nodes and quotas tell their steps, for none."""
MAY_DIFFER = {("accounts", "AuditEntry"), ("instantstart", "IdempotencyRecord")}


def routes() -> Iterator[tuple[str, URLPattern]]:
    def walk(patterns: list[Any], prefix: str) -> Iterator[tuple[str, URLPattern]]:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLPattern):
                yield path, pattern
            else:
                yield from walk(pattern.url_patterns, path)

    return ((path.removeprefix(PREFIX), pattern) for path, pattern in walk(get_resolver().url_patterns, "") if path.startswith(PREFIX))


def methods(pattern: URLPattern) -> set[str]:
    view: Any = pattern.callback
    names = getattr(view, "actions", None) or [name for name in view.cls.http_method_names if hasattr(view.cls, name)]
    return set(names) - {"options", "head"}


def test_every_method_of_every_route_has_exactly_one_row():
    registered = sorted((method, path) for path, pattern in routes() for method in methods(pattern))
    assert sorted((row.method, row.route) for row in ROWS) == registered


@pytest.fixture
def ids(viewer, operator, admin_person, make_token, monkeypatch) -> dict[str, str]:
    """A world with one of each thing that the rows name, and no AWS."""

    def unreachable(*_: Any, **__: Any) -> None:
        raise CloudError("ec2", "describe_regions", "Unreachable", "There is no AWS in this test.", None, "", None)

    def one_change(data: Any, principal: Any) -> Plan:
        change = Change(resource_type="thing", name="thing", action="create")
        return Plan(kind="test", summary="Something", changes=(change,), basis={"spec": {**SPEC, "name": "new"}, **NO_GROUPS, **PROBED})

    world.outside = world.Outside()
    kept.forget()
    monkeypatch.setattr(cloud, "connect", unreachable)
    for kind in actions.kinds():
        if not kind.startswith("fake."):
            monkeypatch.setattr(actions.find(kind), "plan", one_change, raising=True)
    demo = make_cluster("demo")
    make_node_group(demo)
    make_stack(demo)
    drift = make_drift(demo)
    make_cluster("other")
    make_account()
    token, _ = make_token(viewer, name="theirs")
    entry = AuditEntry.objects.create(action="cluster.create", subject="cluster:demo", outcome="accepted")
    told = {
        "orphan": str(make_orphan().pk),
        "quota": str(make_quota().pk),
        "alert": str(make_alert().pk),
        "webhook": str(make_webhook().pk),
    }
    return {
        "drift": str(drift.pk),
        "token": str(token.uid),
        "entry": str(entry.pk),
        **told,
        **{state: make_operation(state, operator) for state in OperationState.values},
    }


def make_operation(state: str, actor: Any) -> str:
    action = actions.find("fake.make")
    data = fakes.Names(name="demo")
    plan = action.plan(data, None)
    operation = Operation.objects.create(
        kind="fake.make",
        title="Make",
        subject_type="cluster",
        subject="demo",
        cluster="demo",
        input=data.model_dump(mode="json"),
        request_fingerprint=request_fingerprint("fake.make", data),
        actor=actor,
        channel=Channel.API,
        plan=plan.model_dump(mode="json"),
        plan_fingerprint=plan.fingerprint,
        state=state,
        step="a",
        steps=[
            {
                "name": "a",
                "title": "Make a",
                "typical_seconds": None,
                "state": "absent",
                "started_at": None,
                "ended_at": None,
                "message": "",
            }
        ],
        created_at=timezone.now(),
    )
    return str(operation.pk)


@pytest.fixture
def callers(ids, viewer, operator, admin_person, api) -> dict[str, Any]:
    return {
        "anonymous": api,
        "viewer": lambda: api(viewer),
        "operator": lambda: api(operator),
        "admin": lambda: api(admin_person),
        "read_only": lambda: api(admin_person, read_only=True),
        "other_cluster": lambda: api(admin_person, clusters=["other"]),
    }


def everything() -> dict[str, list[Any]]:
    """Every row of ours, but for the traces that refusals are meant to leave and when a token was last used."""
    rows = {}
    for label in UNTOUCHED:
        for model in apps.get_app_config(label).get_models():
            if (label, model.__name__) not in MAY_DIFFER:
                fields = [field.attname for field in model._meta.concrete_fields if (model, field.name) != (ApiToken, "last_used_at")]
                rows[f"{label}.{model.__name__}"] = list(model._default_manager.order_by("pk").values_list(*fields))
    return rows


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.route}")
def test_each_caller_gets_what_the_matrix_says_and_a_refusal_changes_nothing(row: Row, ids, callers):
    answers = {}
    for caller in CALLERS:
        with transaction.atomic():
            answers[caller] = _call_and_check(row, callers[caller](), ids)
            transaction.set_rollback(True)
    assert {caller: answer.status_code for caller, answer in answers.items()} == dict(zip(CALLERS, row.statuses, strict=True))


def _call_and_check(row: Row, client: Any, ids: dict[str, str]) -> Any:
    before = everything()
    trail = AuditEntry.objects.filter(outcome="refused").count()
    answer = getattr(client, row.method)(f"/{PREFIX}{row.url.format(**ids)}", row.body, format="json")
    if answer.status_code >= 400:
        assert answer["Content-Type"] == "application/problem+json"
        assert json.loads(answer.content)["status"] == answer.status_code
        assert everything() == before
    refused = answer.status_code == 403 and row.method != "get"
    assert AuditEntry.objects.filter(outcome="refused").count() == trail + refused
    return answer


def test_options_tell_nothing_to_who_is_not_signed_in(ids, api):
    client = api()
    public = {"schema/"}
    told = {row.route: client.options(f"/{PREFIX}{row.url.format(**ids)}").status_code for row in ROWS if row.route not in public}
    assert set(told.values()) == {401}


def test_what_is_out_of_reach_looks_as_what_is_not_there(ids, callers):
    client = callers["other_cluster"]()

    def shape(url: str) -> Any:
        body = client.get(url).json()
        return {name: value for name, value in body.items() if name != "request_id"}

    assert shape("/api/v1/clusters/demo/") == shape("/api/v1/clusters/nowhere/")
    assert shape(f"/api/v1/operations/{ids['running']}/") == shape("/api/v1/operations/00000000-0000-0000-0000-000000000000/")
