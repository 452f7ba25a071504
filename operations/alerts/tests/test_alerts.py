"""Alerts: one open row for what is the matter, closed when it is over, known to whoever says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, User
from operations.alerts import AlertKind, AlertSeverity, Trouble, forget_cluster, tell, tell_all
from operations.driver import drive
from operations.models import Alert, Operation, StatusEvent
from operations.tests import fakes
from operations.tests.conftest import DrivenClock, driven_clock
from operations.tests.world import Outside, OutsideError

__all__ = ["driven_clock"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

Begin = Callable[..., Operation]
FULL = Trouble("The disk is full.", "Empty it.")


def states() -> list[tuple[str, str, bool]]:
    return [(alert.kind, alert.subject, alert.open) for alert in Alert.objects.order_by("id")]


def test_the_same_trouble_is_one_open_row_and_a_new_one_after_it_was_over(driven_clock: DrivenClock) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    assert states() == [("drift", "cluster:demo", True)]
    driven_clock.forward(60)
    tell(AlertKind.DRIFT, "cluster:demo", None, cluster="demo")
    assert Alert.objects.get().closed_at == driven_clock.at
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    assert states() == [("drift", "cluster:demo", False), ("drift", "cluster:demo", True)]


def test_other_words_for_the_same_trouble_change_the_row_and_open_none() -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    tell(AlertKind.DRIFT, "cluster:demo", Trouble("The disk is fuller.", severity=AlertSeverity.ERROR))
    alert = Alert.objects.get()
    assert (alert.sentence, alert.severity, alert.fix) == ("The disk is fuller.", "error", "")


def test_what_is_not_among_a_clusters_troubles_is_over_and_other_clusters_and_kinds_stay() -> None:
    tell_all(AlertKind.NODE_UNHEALTHY, "demo", {"node:demo/a": FULL, "node:demo/b": FULL})
    tell_all(AlertKind.NODE_UNHEALTHY, "other", {"node:other/a": FULL})
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    tell_all(AlertKind.NODE_UNHEALTHY, "demo", {"node:demo/b": FULL, "node:demo/c": FULL})
    assert {subject for _, subject, is_open in states() if is_open} == {"node:demo/b", "node:demo/c", "node:other/a", "cluster:demo"}
    forget_cluster("demo")
    assert {subject for _, subject, is_open in states() if is_open} == {"node:other/a"}


def test_a_look_that_finds_nothing_reads_once_and_writes_nothing() -> None:
    with CaptureQueriesContext(connection) as queries:
        tell_all(AlertKind.NODE_UNHEALTHY, "demo", {})
    assert len(queries) == 1


def test_pages_are_told_when_an_alert_opens_and_closes() -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    tell(AlertKind.DRIFT, "cluster:demo", None, cluster="demo")
    told = StatusEvent.objects.filter(topic="alerts").order_by("id").values_list("payload", flat=True)
    assert [(payload["cluster"], payload["open"]) for payload in told] == [("demo", True), ("demo", False)]


def test_an_operation_that_fails_is_an_alert_until_the_same_succeeds(begin: Begin, outside: Outside) -> None:
    outside.broken["a"] = fakes.TERMINAL
    failed = begin()
    drive(failed)
    alert = Alert.objects.get()
    assert (alert.kind, alert.subject, alert.cluster) == ("operation_failed", "cluster:demo fake.make", "demo")
    assert (alert.sentence, alert.fix) == ("Make things (demo) failed. It is broken for good.", "Mend it.")
    assert alert.link == f"/operations/{failed.pk}/"
    outside.broken.clear()
    drive(begin())
    alert.refresh_from_db()
    assert not alert.open


def test_a_failed_part_speaks_through_its_whole(begin: Begin, outside: Outside) -> None:
    outside.broken["a"] = fakes.TERMINAL
    drive(begin("fake.pipeline", things=["a", "b"]))
    assert states() == [("operation_failed", "cluster:demo fake.pipeline", True)]


def test_an_unknown_outcome_is_an_alert_too(begin: Begin, outside: Outside) -> None:
    outside.after.append(OutsideError("ReadTimeout", status=None, sent=None))
    operation = begin("fake.reboot")
    outside.during = outside.things.pop
    drive(operation)
    operation.refresh_from_db()
    assert operation.state == "unknown"
    assert states() == [("operation_failed", "cluster:demo fake.reboot", True)]


def test_who_acknowledges_is_noted_and_what_nothing_watches_is_closed_by_it(operator: User, api: Any) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    tell(AlertKind.OPERATION_FAILED, "cluster:demo x", FULL, cluster="demo")
    watched, failed = Alert.objects.order_by("id")
    client = api(operator)
    answer = client.post(f"/api/v1/alerts/{watched.pk}/acknowledge/").json()
    assert (answer["acknowledged_by"], answer["open"]) == ("operator", True)
    assert client.post(f"/api/v1/alerts/{failed.pk}/acknowledge/").json()["open"] is False
    again = client.post(f"/api/v1/alerts/{watched.pk}/acknowledge/").json()
    assert again["changed"] is False
    assert AuditEntry.objects.filter(action="alert.acknowledge", outcome="accepted").count() == 2


def test_alerts_are_narrowed_by_kind_and_by_whether_they_are_open_and_a_limited_token_sees_its_clusters(operator: User, api: Any) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    tell(AlertKind.NODE_UNHEALTHY, "node:other/a", FULL, cluster="other")
    tell(AlertKind.NODE_UNHEALTHY, "node:other/a", None, cluster="other")
    tell(AlertKind.QUOTA_NEAR, "quota:us-west-2/x", FULL)

    def subjects(client: Any, query: str = "") -> list[str]:
        return [row["subject"] for row in client.get(f"/api/v1/alerts/{query}").json()["results"]]

    client = api(operator)
    assert subjects(client) == ["quota:us-west-2/x", "node:other/a", "cluster:demo"]
    assert subjects(client, "?open=true") == ["quota:us-west-2/x", "cluster:demo"]
    assert subjects(client, "?kind=drift&kind=quota_near") == ["quota:us-west-2/x", "cluster:demo"]
    assert subjects(api(operator, clusters=["other"])) == ["node:other/a"]
