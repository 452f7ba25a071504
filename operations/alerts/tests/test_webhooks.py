"""Webhooks: signed messages, sent at least once under one id, to addresses on the internet alone."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import AuditEntry, User
from accounts.principal import Principal
from instantstart.problem import Problem
from operations import queue, tasks
from operations.alerts import AlertKind, Trouble, deliver, post, sealed, tell, webhooks
from operations.alerts.tests.conftest import Receiver
from operations.dispatcher import Dispatcher
from operations.driver import work
from operations.models import Delivery, Webhook
from operations.tests.conftest import DrivenClock

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

FULL = Trouble("The disk is full.", "Empty it.")


@pytest.fixture
def hook(receiver: Receiver, as_admin: Principal) -> tuple[Webhook, str]:
    return webhooks.add(as_admin, url=receiver.url(), channel="api")


def run(clock: DrivenClock | None = None, seconds: float = 0.0) -> Delivery:
    """Let time pass, then one tick; the one message as it is then."""
    if clock is not None:
        clock.forward(seconds)
    work(Dispatcher(name="one"))
    return Delivery.objects.get()


def proves(secret: str, headers: dict[str, str], body: str) -> bool:
    """What a receiver does, by Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == f"v1,{expected}"


def test_an_alert_is_told_signed_when_it_opens_and_when_it_closes(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock
) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL, cluster="demo")
    work(Dispatcher(name="one"))
    tell(AlertKind.DRIFT, "cluster:demo", None, cluster="demo")
    work(Dispatcher(name="one"))
    (first, opened), (second, closed) = receiver.got
    assert proves(hook[1], first, opened) and proves(hook[1], second, closed)
    assert not proves(sealed.new(), first, opened)
    assert first["webhook-timestamp"] == str(int(driven_clock.at.timestamp()))
    told = json.loads(opened)
    assert (told["type"], told["data"]["kind"], told["data"]["sentence"]) == ("alert.opened", "drift", "The disk is full.")
    assert json.loads(closed)["type"] == "alert.closed"
    assert first["webhook-id"] != second["webhook-id"]
    assert list(Delivery.objects.values_list("status", "attempts", "answer_status")) == [("delivered", 1, 200)] * 2


def test_a_webhook_hears_only_of_the_kinds_that_it_wants_and_nothing_once_it_is_off(receiver: Receiver, as_admin: Principal) -> None:
    row, _ = webhooks.add(as_admin, url=receiver.url(), kinds=["drift"], channel="api")
    tell(AlertKind.QUOTA_NEAR, "quota:a", FULL)
    assert Delivery.objects.count() == 0
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    webhooks.change(as_admin, row, enabled=False, channel="api")
    tell(AlertKind.DRIFT, "cluster:other", FULL)
    work(Dispatcher(name="one"))
    assert (Delivery.objects.get().status, receiver.got) == ("dropped", [])


def test_what_is_refused_is_sent_again_later_under_the_same_id(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock
) -> None:
    receiver.answers = [500, 302]
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    row = run()
    assert (row.status, row.attempts, row.error) == ("pending", 1, "It answered 500.")
    assert timedelta(seconds=5) <= row.next_attempt_at - driven_clock.at <= timedelta(seconds=6.25)
    assert run(driven_clock, 4).attempts == 1
    row = run(driven_clock, 3)
    assert (row.status, row.attempts, row.error) == ("pending", 2, "It answered 302: redirects are not followed.")
    row = run(driven_clock, 60)
    assert (row.status, row.attempts, row.error) == ("delivered", 3, "")
    assert receiver.ids == [row.message_id] * 3
    assert len({headers["webhook-timestamp"] for headers, _ in receiver.got}) == 3
    assert all(proves(hook[1], headers, body) for headers, body in receiver.got)


def test_a_dead_receiver_is_given_up_after_nine_attempts(as_admin: Principal, driven_clock: DrivenClock, settings: Any) -> None:
    settings.WEBHOOK_NETWORKS = ["127.0.0.0/8"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        webhooks.add(as_admin, url=f"http://127.0.0.1:{free.getsockname()[1]}/", channel="api")
        tell(AlertKind.DRIFT, "cluster:demo", FULL)
        row = run()
        assert (row.status, row.error) == ("pending", "127.0.0.1 refused the connection.")
        for _ in range(8):
            row = run(driven_clock, 45_001)
    assert (row.status, row.attempts) == ("failed", 9)
    assert row.error == "127.0.0.1 refused the connection. Given up after 9 attempts."
    assert run(driven_clock, 100_000).attempts == 9


def test_a_receiver_that_is_silent_is_cut_off(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(post.NotDelivered, match=r"127\.0\.0\.1 gave no answer within 0\.05 s\."):
            post.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", {}, b"{}", seconds=0.05)


@pytest.mark.parametrize(
    ("asked", "least", "most"),
    [
        ("90", 90, 90),
        ("Thu, 01 Jan 2099 00:00:00 GMT", 36000, 36000),
        ("999999999999", 36000, 36000),
        ("1", 5, 6.25),
        ("Thu, 01 Jan 1998 00:00:00 GMT", 5, 6.25),
        ("soon", 5, 6.25),
        ("-5", 5, 6.25),
    ],
)
def test_a_receiver_may_ask_for_a_longer_wait_within_bounds(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock, asked: str, least: float, most: float
) -> None:
    receiver.answers, receiver.headers = [429], {"Retry-After": asked}
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    row = run()
    assert (row.status, row.error) == ("pending", "It answered 429.")
    assert timedelta(seconds=least) <= row.next_attempt_at - driven_clock.at <= timedelta(seconds=most)


def test_a_receiver_that_wants_no_more_is_turned_off(hook: tuple[Webhook, str], receiver: Receiver) -> None:
    receiver.answers = [410]
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    assert run().status == "failed"
    row = Webhook.objects.get()
    assert (row.enabled, row.disabled_because) == (False, "It answered 410: it wants no more messages.")


def test_a_task_delivered_twice_sends_once(hook: tuple[Webhook, str], receiver: Receiver) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    given: list[tuple[Any, ...]] = []
    with queue.using(lambda *task: given.append(task)):
        Dispatcher(name="one").tick()
    assert [task[0] for task in given] == ["operations.tasks.deliver"]
    tasks.deliver(*given[0][1:])
    tasks.deliver(*given[0][1:])
    assert len(receiver.got) == 1


class Death(BaseException):
    """The worker dies."""


def test_a_worker_that_dies_between_sending_and_noting_it_leads_to_the_same_id_once_more(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise Death

    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    with monkeypatch.context() as patched:
        patched.setattr(deliver, "_settle", die)
        with pytest.raises(Death):
            work(Dispatcher(name="one"))
    row = run(driven_clock, 30)
    assert (row.status, len(receiver.got)) == ("pending", 1)  # the lease of the dead one still stands
    row = run(driven_clock, 40)
    assert (row.status, row.attempts) == ("delivered", 2)
    assert receiver.ids == [row.message_id] * 2


def test_a_message_over_which_every_worker_dies_is_given_up(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Any) -> None:
        raise Death

    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    monkeypatch.setattr(deliver, "_settle", die)
    for _ in range(9):
        with pytest.raises(Death):
            work(Dispatcher(name="one"))
        driven_clock.forward(100)
    row = run()
    assert (row.status, row.attempts, row.error) == ("failed", 9, "Given up after 9 attempts.")
    assert receiver.ids == [row.message_id] * 9


def test_a_worker_that_wakes_after_its_lease_was_taken_writes_nothing(
    hook: tuple[Webhook, str], receiver: Receiver, driven_clock: DrivenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    real = post.post

    def slow(*arguments: Any) -> post.Answer:
        answer = real(*arguments)
        monkeypatch.setattr(post, "post", real)
        driven_clock.forward(100)
        work(Dispatcher(name="two"))
        return post.Answer(500) if answer.status == 200 else answer

    monkeypatch.setattr(post, "post", slow)
    row = run()
    assert (row.status, row.attempts, row.answer_status) == ("delivered", 2, 200)
    assert receiver.ids == [row.message_id] * 2


def test_messages_never_keep_more_than_half_of_the_workers(hook: tuple[Webhook, str], settings: Any) -> None:
    settings.WORKERS = 4
    for number in range(5):
        tell(AlertKind.DRIFT, f"cluster:c{number}", FULL)
    with queue.using(lambda *task: None):
        assert Dispatcher(name="one").tick().deliveries == 2
        assert Dispatcher(name="two").tick().deliveries == 0


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://example.com/", "not_encrypted"),
        ("https://127.0.0.1/", "address_not_allowed"),
        ("https://169.254.169.254/latest/", "address_not_allowed"),
        ("https://10.1.2.3/", "address_not_allowed"),
        ("https://[::1]/", "address_not_allowed"),
        ("https://[::ffff:10.0.0.1]/", "address_not_allowed"),
        ("https://[64:ff9b::a00:1]/", "address_not_allowed"),
        ("https://[2002:a00:1::]/", "address_not_allowed"),
        ("https://[fd00:ec2::254]/", "address_not_allowed"),
        ("https://[fe80::1]/", "address_not_allowed"),
        ("https://224.0.0.1/", "address_not_allowed"),
        ("https://0.0.0.0/", "address_not_allowed"),
        ("https://user:word@example.com/", "credentials_in_url"),
        ("ftp://example.com/", "invalid_url"),
        ("https:///", "invalid_url"),
        ("https://example.com:0/", "invalid_url"),
        ("https://example.com/a b", "invalid_url"),
        ("https://[x/", "invalid_url"),
    ],
)
def test_an_address_that_may_not_be_reached_is_refused(as_admin: Principal, url: str, code: str) -> None:
    with pytest.raises(Problem) as refused:
        webhooks.add(as_admin, url=url, channel="api")
    assert [(error.field, error.code) for error in refused.value.errors] == [("url", code)]
    assert not Webhook.objects.exists()
    assert AuditEntry.objects.get().outcome == "refused"


def _named(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Every name means these addresses, in turn. The names asked for."""
    asked: list[str] = []

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        found = answers[min(len(asked), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def test_a_name_that_means_an_inner_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    _named(monkeypatch, ["10.0.0.1"])
    with pytest.raises(post.NotDelivered, match=r"10\.0\.0\.1 is not an address on the internet"):
        post.post("https://inside.example.com/", {}, b"{}")


def test_a_name_is_looked_up_once_and_what_it_means_later_does_not_count(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _named(monkeypatch, ["127.0.0.1"], ["10.0.0.1"])
    host = "hooks.example.com"
    assert post.post(receiver.url(host), {"Webhook-Id": "msg"}, b"{}").status == 200
    assert asked == [host]
    assert receiver.got[0][0]["host"] == f"{host}:{receiver.port}"


def test_the_secret_is_told_once_kept_encrypted_and_written_nowhere(
    admin_person: User, api: Any, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    client = api(admin_person)
    made = client.post("/api/v1/webhooks/", {"url": receiver.url(), "kinds": ["drift"]}, format="json")
    secret = made.json()["secret"]
    row = Webhook.objects.get()
    assert secret.encode() not in bytes(row.secret) and sealed.open_(row.secret) == secret
    address = f"/api/v1/webhooks/{row.pk}/"
    assert "secret" not in client.get(address).json()
    assert client.post(f"{address}test/").json()["event"] == "webhook.test"
    work(Dispatcher(name="one"))
    [(headers, body)] = receiver.got
    assert proves(secret, headers, body)
    assert client.get(f"{address}deliveries/").json()["results"][0]["status"] == "delivered"
    renewed = client.patch(address, {"new_secret": True}, format="json").json()["secret"]
    assert renewed != secret and sealed.open_(Webhook.objects.get().secret) == renewed
    written = caplog.text + json.dumps(list(AuditEntry.objects.values_list("subject", "detail")))
    assert secret not in written and renewed not in written and "key=1" not in written


def test_a_dry_run_of_adding_a_webhook_adds_none_and_tells_no_secret(admin_person: User, api: Any) -> None:
    answer = api(admin_person).post("/api/v1/webhooks/?dry_run=true", {"url": "https://example.com/"}, format="json")
    assert (answer.json()["kind"], "whsec_" in answer.content.decode(), Webhook.objects.count()) == ("webhook.add", False, 0)


def test_neither_agents_nor_tokens_of_some_clusters_manage_webhooks(admin_person: User, api: Any) -> None:
    for limits, code in (({"agent": True}, "agent_token"), ({"clusters": ["demo"]}, "exceeds_rights")):
        answer = api(admin_person, **limits).post("/api/v1/webhooks/", {"url": "https://example.com/"}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, code)


def test_a_secret_sealed_under_another_key_is_said_to_be_unreadable(hook: tuple[Webhook, str], receiver: Receiver, settings: Any) -> None:
    tell(AlertKind.DRIFT, "cluster:demo", FULL)
    settings.SECRET_KEY = "another key of the installation"
    row = run()
    assert (row.status, receiver.got) == ("pending", [])
    assert row.error == "The webhook's secret was sealed under another key of this installation: make a new one."
