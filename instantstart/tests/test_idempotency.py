"""The same call under the same key is carried out once, however often, at once or late it comes."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry
from instantstart.api import idempotency
from instantstart.models import IdempotencyRecord
from instantstart.tests.doors import MakeView, call
from operations.models import Operation
from operations.tests import world

AT_ONCE = 50


@pytest.fixture(autouse=True)
def _empty_world():
    world.outside = world.Outside()


def post(secret: str, body: Any, key: str, path: str = "/") -> Any:
    return call(MakeView, "post", path, secret, body, **{"Idempotency-Key": key})


def at_once(work: Callable[[], Any], count: int = AT_ONCE) -> list[Any]:
    """`count` results of `work`, begun together by threads with connections of their own."""
    barrier = Barrier(count)

    def begin(_: int) -> Any:
        barrier.wait(timeout=60)
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_fifty_equal_posts_at_once_record_one_operation_and_are_answered_alike(operator, make_token):
    _, secret = make_token(operator)
    answers = at_once(lambda: post(secret, {"name": "demo"}, "key-1"))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    operation = Operation.objects.get()
    assert {answer["Location"] for answer in answers} == {f"/api/v1/operations/{operation.pk}/"}
    assert AuditEntry.objects.filter(action="fake.make").count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_fifty_equal_posts_of_a_token_make_one_and_show_the_same_secret(operator, api):
    client = api(operator)
    credentials = client._credentials
    before = ApiToken.objects.count()

    def make() -> Any:
        from rest_framework.test import APIClient

        return APIClient().post("/api/v1/tokens/", {"name": "laptop"}, HTTP_IDEMPOTENCY_KEY="key-1", **credentials)

    answers = at_once(make)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["token"] for answer in answers}) == 1
    assert ApiToken.objects.count() == before + 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_posts_without_a_key_at_once_record_one_operation_since_the_subject_is_locked(operator, make_token):
    _, secret = make_token(operator)
    answers = at_once(lambda: call(MakeView, "post", "/", secret, {"name": "demo"}), 20)
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 19
    assert Operation.objects.count() == 1


def test_a_repeated_call_is_answered_as_the_first_and_marked(operator, make_token):
    _, secret = make_token(operator)
    first = post(secret, {"name": "demo"}, "key-1")
    again = post(secret, {"name": "demo"}, "key-1")
    assert (again.status_code, again.content, again["Location"]) == (202, first.content, first["Location"])
    assert "Idempotent-Replayed" not in first and again["Idempotent-Replayed"] == "true"


def test_spelling_does_not_make_another_body(operator, make_token):
    _, secret = make_token(operator)
    first = post(secret, {"name": "demo", "things": ["a"]}, "key-1")
    again = post(secret, {"things": ["a"], "name": "demo"}, "key-1")
    assert again.content == first.content


@pytest.mark.parametrize(
    ("body", "path"), [({"name": "other"}, "/"), ({"name": "demo"}, "/elsewhere/"), ({"name": "demo"}, "/?plan_fingerprint=x")]
)
def test_another_call_under_the_same_key_is_refused(operator, make_token, body, path):
    _, secret = make_token(operator)
    post(secret, {"name": "demo"}, "key-1")
    answer = post(secret, body, "key-1", path)
    assert (answer.status_code, json.loads(answer.content)["code"]) == (422, "idempotency_key_reused")
    assert Operation.objects.count() == 1


def test_keys_are_not_shared_between_tokens(operator, make_token):
    _, one = make_token(operator)
    _, other = make_token(operator)
    assert post(one, {"name": "demo"}, "key-1").status_code == 202
    assert post(other, {"name": "other"}, "key-1").status_code == 202
    assert Operation.objects.count() == 2


def test_a_refused_call_may_be_tried_again_under_its_key_but_not_another(operator, make_token):
    _, secret = make_token(operator)
    holder = post(secret, {"name": "demo"}, "key-1")
    assert post(secret, {"name": "demo", "things": ["b"]}, "key-2").status_code == 409
    Operation.objects.update(state="succeeded")
    assert post(secret, {"name": "demo", "things": ["c"]}, "key-2").status_code == 422
    answer = post(secret, {"name": "demo", "things": ["b"]}, "key-2")
    assert answer.status_code == 202 and answer.content != holder.content


def test_a_dry_run_uses_no_key_up(operator, make_token):
    _, secret = make_token(operator)
    plan = post(secret, {"name": "demo"}, "key-1", "/?dry_run=true")
    assert (plan.status_code, json.loads(plan.content)["changed"]) == (200, True)
    assert (Operation.objects.count(), IdempotencyRecord.objects.count()) == (0, 0)
    assert post(secret, {"name": "demo"}, "key-1").status_code == 202


def test_a_caller_that_died_after_the_effect_leaves_it_to_be_found_not_repeated(operator, make_token, monkeypatch):
    class Died(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Died

    _, secret = make_token(operator)
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "answer", die)
        patch.setattr(idempotency, "reopen", lambda claimed: None)  # a killed process reopens nothing
        with pytest.raises(Died):
            post(secret, {"name": "demo"}, "key-1")
    assert Operation.objects.count() == 1
    with time_machine.travel(timezone.now() + idempotency.CLAIM + dt.timedelta(seconds=1)):
        answer = post(secret, {"name": "demo"}, "key-1")
    assert answer.status_code == 202
    assert answer["Location"] == f"/api/v1/operations/{Operation.objects.get().pk}/"


@pytest.mark.django_db(transaction=True)
def test_a_caller_that_died_before_its_answer_was_kept_made_no_token(operator, api, monkeypatch):
    class Died(BaseException):
        pass

    def die(*_: Any) -> None:
        raise Died

    client = api(operator)
    with monkeypatch.context() as patch:
        patch.setattr(idempotency, "answer", die)
        patch.setattr(idempotency, "reopen", lambda claimed: None)
        with pytest.raises(Died):
            client.post("/api/v1/tokens/", {"name": "laptop"}, HTTP_IDEMPOTENCY_KEY="key-1")
    assert not ApiToken.objects.filter(name="laptop").exists()
    with time_machine.travel(timezone.now() + idempotency.CLAIM + dt.timedelta(seconds=1)):
        assert client.post("/api/v1/tokens/", {"name": "laptop"}, HTTP_IDEMPOTENCY_KEY="key-1").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_caller_whose_claim_was_taken_over_takes_its_change_back(operator, api, monkeypatch):
    """It was so slow that another carried the call out meanwhile: its own token is not kept, the other's answer is given."""
    client = api(operator)
    claim = idempotency.claim
    overtaken = []

    def claim_and_lose(*call: str) -> Any:
        claimed = claim(*call)
        if not overtaken:
            overtaken.append(claimed)
            IdempotencyRecord.objects.filter(pk=claimed.record_id).update(owner="another", state="open")
        return claimed

    monkeypatch.setattr(idempotency, "claim", claim_and_lose)
    answer = client.post("/api/v1/tokens/", {"name": "laptop"}, HTTP_IDEMPOTENCY_KEY="key-1")
    assert answer.status_code == 201
    assert [str(token.uid) for token in ApiToken.objects.filter(name="laptop")] == [answer.json()["id"]]


def test_a_kept_answer_does_not_show_the_secret_it_holds(operator, api):
    secret = api(operator).post("/api/v1/tokens/", {"name": "laptop"}, HTTP_IDEMPOTENCY_KEY="key-1").json()["token"]
    assert secret.encode() not in bytes(IdempotencyRecord.objects.get().answer)


@pytest.mark.parametrize("key", ["", "k" * 256, "schl\u00fcssel"])
def test_a_malformed_key_is_refused(operator, make_token, key):
    _, secret = make_token(operator)
    answer = post(secret, {"name": "demo"}, key)
    assert (answer.status_code, json.loads(answer.content)["code"]) == (400, "invalid_idempotency_key")
    assert Operation.objects.count() == 0


def test_a_plan_that_has_changed_since_it_was_agreed_to_is_refused_with_the_new_one(operator, make_token):
    _, secret = make_token(operator, role=Role.OPERATOR)
    agreed = json.loads(call(MakeView, "post", "/?dry_run=true", secret, {"name": "demo"}).content)["fingerprint"]
    world.outside.things["other"] = 0
    answer = call(MakeView, "post", f"/?plan_fingerprint={agreed}", secret, {"name": "demo"})
    body = json.loads(answer.content)
    assert (answer.status_code, body["code"]) == (409, "plan_changed")
    assert call(MakeView, "post", f"/?plan_fingerprint={body['plan']['fingerprint']}", secret, {"name": "demo"}).status_code == 202


def test_a_plan_without_differences_is_answered_without_an_operation(operator, make_token):
    _, secret = make_token(operator)
    answer = call(MakeView, "post", "/", secret, {"name": "demo", "nothing": True})
    body = json.loads(answer.content)
    assert (answer.status_code, body["changed"], body["operation"]) == (200, False, None)
    assert Operation.objects.count() == 0
