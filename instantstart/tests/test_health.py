"""The probes test the path that work takes, and the metrics tell it in numbers."""

from __future__ import annotations

import datetime as dt

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from instantstart import health
from instantstart.tests.test_reading import make_operations
from operations.choices import OperationState
from operations.models import Heartbeat, ObservedSource, Operation

pytestmark = pytest.mark.django_db


def ago(seconds: float) -> dt.datetime:
    return timezone.now() - dt.timedelta(seconds=seconds)


def beat(seconds: float = 0) -> None:
    Heartbeat.objects.update_or_create(name="dispatcher:test:1", defaults={"at": ago(seconds)})


def make_due(seconds: float) -> None:
    make_operations(1)
    Operation.objects.update(state=OperationState.RUNNING, next_attempt_at=ago(seconds))


def make_source(seconds: float, **values: object) -> None:
    ObservedSource.objects.create(
        kind="fake.thing", key=f"k{seconds}", interval=90, next_due_at=ago(seconds), created_at=ago(900), **values
    )


def test_a_process_lives_without_a_database(client, monkeypatch):
    monkeypatch.setattr(connection, "cursor", None)
    assert client.get("/livez").json() == {"status": "live"}


def test_ready_when_the_dispatcher_ticks_and_nothing_is_late(client):
    beat()
    make_due(1)
    make_source(1)
    answer = client.get("/readyz")
    assert answer.status_code == 200 and answer["Cache-Control"].startswith("max-age=0")
    assert [(check["name"], check["ok"]) for check in answer.json()["checks"]] == [
        ("database", True),
        ("dispatcher", True),
        ("operations", True),
        ("observations", True),
    ]


@pytest.mark.parametrize(
    ("spoil", "name"),
    [
        (lambda: Heartbeat.objects.all().delete(), "dispatcher"),
        (lambda: beat(health.DISPATCHER_SILENT_AFTER + 1), "dispatcher"),
        (lambda: make_due(health.WORK_LATE_AFTER + 1), "operations"),
        (lambda: make_source(health.OBSERVATION_LATE_AFTER + 1), "observations"),
    ],
)
def test_not_ready_names_what_is_late_and_the_fix(client, spoil, name):
    beat()
    spoil()
    answer = client.get("/readyz")
    body = answer.json()
    assert (answer.status_code, answer["Content-Type"], body["code"]) == (503, "application/problem+json", "not_ready")
    assert [error["field"] for error in body["errors"]] == [name]
    assert body["errors"][0]["hint"].startswith("Start ")


def test_what_a_worker_has_in_hand_is_not_late(client):
    beat()
    make_due(health.WORK_LATE_AFTER + 1)
    Operation.objects.update(lease_owner="worker")
    make_source(health.OBSERVATION_LATE_AFTER + 1, lease_owner="worker")
    assert client.get("/readyz").status_code == 200


def test_not_ready_without_a_database(client, monkeypatch):
    def away(*_: object) -> None:
        raise DatabaseError("no route to host with the password in it")

    monkeypatch.setattr(connection, "cursor", away)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert [error["field"] for error in answer.json()["errors"]] == ["database"]
    assert b"password" not in answer.content


def samples(client: Client, **extra: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    text = client.get("/metrics", **extra).content.decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_tell_states_ages_and_latencies(client, operator, api):
    make_operations(3)
    Operation.objects.filter(subject="c1").update(state=OperationState.RUNNING, next_attempt_at=ago(30))
    beat(5)
    make_source(40, failures=2)
    route = (("method", "GET"), ("route", "api/v1/operations/<uuid:pk>/"), ("status", "404"))
    before = samples(client).get(("instantstart_http_request_seconds_count", route), 0)
    api(operator).get("/api/v1/operations/00000000-0000-0000-0000-000000000000/")
    seen = samples(client)
    assert seen[("instantstart_operations", (("state", "succeeded"),))] == 2
    assert seen[("instantstart_operations", (("state", "running"),))] == 1
    assert seen[("instantstart_operations", (("state", "failed"),))] == 0
    assert 30 <= seen[("instantstart_oldest_due_operation_seconds", ())] < 40
    assert 40 <= seen[("instantstart_oldest_due_observation_seconds", ())] < 50
    assert 5 <= seen[("instantstart_dispatcher_heartbeat_age_seconds", ())] < 15
    assert seen[("instantstart_observed_sources", (("readable", "false"),))] == 1
    assert seen[("instantstart_http_request_seconds_count", route)] == before + 1


def test_metrics_need_their_token_when_one_is_set(client, settings):
    settings.METRICS_TOKEN = "scrape-me"
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer other").status_code == 401
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer scrape-me").status_code == 200


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_probes_are_only_read(client, path):
    assert client.post(path).status_code == 405
