"""How much a token may begin and spend within an hour: counted as operations are recorded, whatever comes at once."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import limits
from accounts.actions import token_limits, tokens
from accounts.models import ApiToken, AuditEntry, TokenUse, User
from accounts.principal import Principal
from accounts.principals import principal_for
from accounts.retention import prune_hourly
from instantstart.problem import Problem
from instantstart.tests.doors import MakeView, call
from instantstart.tests.test_idempotency import at_once
from operations.approve import refuse
from operations.models import Operation
from operations.submit import submit
from operations.tests import world
from operations.tests.conftest import DrivenClock, driven_clock

__all__ = ["driven_clock"]
pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
AT = timezone.now()


@pytest.fixture(autouse=True)
def _empty_world() -> None:
    world.outside = world.Outside()


def used(token: ApiToken, minutes_ago: float, cost: float = 0.0) -> None:
    limits.spend(token, uuid.uuid4(), cost, AT - timedelta(minutes=minutes_ago))


def refused(token: ApiToken, cost: float | None = 0.0, at: datetime = AT) -> Problem:
    before = TokenUse.objects.count()
    with pytest.raises(Problem) as caught:
        limits.spend(token, uuid.uuid4(), cost, at)
    assert TokenUse.objects.count() == before
    return caught.value


@pytest.mark.django_db(transaction=True)
def test_twenty_posts_at_once_of_a_token_limited_to_five_an_hour_record_exactly_five(operator: User, make_token: Any) -> None:
    token, secret = make_token(operator, operations_per_hour=5)
    names = iter([f"c{number}" for number in range(20)])

    def post() -> Any:
        answer = call(MakeView, "post", "/", secret, {"name": next(names)})
        return answer.status_code, answer.data.get("code"), answer.headers.get("Retry-After")

    answers = at_once(post, 20)
    assert sorted({answer[:2] for answer in answers}, key=str) == [(202, None), (429, "token_limit")]
    assert sum(status == 202 for status, *_ in answers) == 5
    assert all(3000 <= int(after) <= 3600 for status, _, after in answers if status == 429)
    assert Operation.objects.count() == TokenUse.objects.filter(token=token).count() == 5


def test_what_is_used_up_is_free_again_when_the_hour_has_passed_and_the_sentence_says_when(operator: User, make_token: Any) -> None:
    token, _ = make_token(operator, operations_per_hour=2)
    used(token, 50)
    used(token, 20)
    problem = refused(token)
    assert (problem.status, problem.code, problem.extra) == (429, "token_limit", {"retry_after": 600})
    assert problem.detail == "This token may begin 2 operations an hour and has begun 2."
    assert problem.hint.startswith("Try again in 600 s, at ")
    limits.spend(token, uuid.uuid4(), 0.0, AT + timedelta(seconds=600))
    assert refused(token, at=AT + timedelta(seconds=601)).extra == {"retry_after": 1799}


def test_cost_is_summed_over_the_hour_and_what_never_fits_is_no_matter_of_waiting(operator: User, make_token: Any) -> None:
    token, _ = make_token(operator, cost_per_hour=10.0)
    used(token, 50, 4.0)
    used(token, 40, 4.0)
    used(token, 10, 2.0)
    limits.spend(token, uuid.uuid4(), 0.0, AT)
    problem = refused(token, 5.0)
    assert (problem.status, problem.code, problem.extra) == (429, "token_limit", {"retry_after": 20 * 60})
    assert "$10.00/h are added by now, and this would add $5.00/h" in problem.detail
    for cost, words in ((10.01, "this alone would add $10.01/h"), (None, "is not known")):
        problem = refused(token, cost)
        assert (problem.status, problem.code) == (403, "token_cost") and words in problem.detail
    limits.spend(token, uuid.uuid4(), 5.0, AT + timedelta(minutes=20))


def test_what_a_token_uses_counts_against_the_tokens_it_was_made_from(operator: User, make_token: Any) -> None:
    parent, _ = make_token(operator, operations_per_hour=3, cost_per_hour=10.0)
    holder = principal_for(operator, parent)
    children = [tokens.create(holder, name=f"child {number}", operations_per_hour=2, channel="api")[0] for number in range(2)]
    assert [(child.operations_per_hour, child.cost_per_hour) for child in children] == [(2, 10.0), (2, 10.0)]
    used(children[0], 2, 4.0)
    used(children[0], 1, 4.0)
    assert refused(children[0]).detail == "This token may begin 2 operations an hour and has begun 2."
    assert refused(children[1], 4.0).detail.startswith(f"The token {parent.name}, which this one was made from, may add $10.00/h")
    used(children[1], 0, 2.0)
    children[0].delete()
    assert refused(children[1]).detail.startswith(f"The token {parent.name}, which this one was made from, may begin 3 operations an hour")


def test_a_token_gets_no_looser_limit_than_the_one_that_makes_it(operator: User, make_token: Any) -> None:
    parent, _ = make_token(operator, operations_per_hour=5, cost_per_hour=10.0)
    with pytest.raises(Problem) as caught:
        tokens.create(principal_for(operator, parent), name="child", operations_per_hour=6, cost_per_hour=11.0, channel="api")
    assert (caught.value.code, [error.field for error in caught.value.errors]) == (
        "exceeds_rights",
        ["operations_per_hour", "cost_per_hour"],
    )
    assert ApiToken.objects.count() == 1
    child, _ = tokens.create(principal_for(operator, parent), name="child", channel="api")
    assert (child.operations_per_hour, child.cost_per_hour) == (5, 10.0)
    for wished in ({"operations_per_hour": 6}, {"cost_per_hour": None}):
        with pytest.raises(Problem) as caught:
            token_limits.change(principal_for(operator), child, wished, channel="api")
        assert (caught.value.status, caught.value.code) == (422, "exceeds_rights")
    child.refresh_from_db()
    assert (child.operations_per_hour, child.cost_per_hour) == (5, 10.0)


def test_an_operation_that_ended_before_it_began_costs_nothing_and_a_dry_run_counts_nothing(
    operator: User, make_token: Any, driven_clock: DrivenClock
) -> None:
    token, _ = make_token(operator, cost_per_hour=10.0)
    who = principal_for(operator, token)
    submit("fake.buy", {"name": "a", "cost": 9.0}, who, channel="api", dry_run=True)
    assert not TokenUse.objects.exists()
    asked = submit("fake.buy", {"name": "a", "cost": 9.0}, who, channel="api").operation
    assert asked is not None and TokenUse.objects.get().cost == 8.0
    with pytest.raises(Problem) as caught:
        submit("fake.buy", {"name": "b", "cost": 9.0}, who, channel="api")
    assert (caught.value.code, caught.value.extra, Operation.objects.count()) == ("token_limit", {"retry_after": 3600}, 1)
    assert AuditEntry.objects.filter(action="fake.buy", code="token_limit", outcome="refused").count() == 1
    Operation.objects.filter(pk=asked.pk).update(state="awaiting_approval")
    refuse(asked, principal_for(operator))
    assert TokenUse.objects.get().cost == 0.0
    assert submit("fake.buy", {"name": "b", "cost": 9.0}, who, channel="api").operation
    driven_clock.forward(3600)
    assert submit("fake.buy", {"name": "c", "cost": 11.0}, who, channel="api").operation


def test_limits_are_set_by_rest_and_on_the_page_and_each_change_is_on_the_trail(operator: User, api: Any, make_token: Any) -> None:
    token, _ = make_token(operator, name="laptop")
    client = api(operator)
    url = f"/api/v1/tokens/{token.uid}/"
    body = client.patch(url, {"operations_per_hour": 5, "cost_per_hour": 2.5}, format="json").json()
    assert (body["operations_per_hour"], body["cost_per_hour"]) == (5, 2.5)
    assert client.patch(url, {"operations_per_hour": 5}, format="json").json()["changed"] is False
    browser = Client()
    browser.force_login(operator)
    browser.post(reverse("accounts-web:token-limits", args=[token.uid]), {"operations_per_hour": "", "cost_per_hour": "7"})
    token.refresh_from_db()
    assert (token.operations_per_hour, token.cost_per_hour) == (None, 7.0)
    for wrong in ({"operations_per_hour": "0"}, {"cost_per_hour": "-1"}, {"cost_per_hour": "nan"}):
        assert "alert-danger" in browser.post(reverse("accounts-web:token-limits", args=[token.uid]), wrong, follow=True).content.decode()
    token.refresh_from_db()
    assert token.cost_per_hour == 7.0
    details = AuditEntry.objects.filter(action="token.set_limits", outcome="accepted").order_by("id").values_list("detail", flat=True)
    assert list(details) == [
        "operations_per_hour None to 5, cost_per_hour None to 2.5",
        "operations_per_hour 5 to None, cost_per_hour 2.5 to 7.0",
    ]
    assert "$7.00/h" in browser.get(reverse("accounts-web:tokens")).content.decode()


def test_a_new_token_gets_its_limits_by_rest_and_by_the_page_and_me_tells_them(operator: User, api: Any) -> None:
    client = api(operator)
    made = client.post("/api/v1/tokens/", {"name": "a", "agent": True, "operations_per_hour": 3, "cost_per_hour": 1}, format="json").json()
    assert (made["operations_per_hour"], made["cost_per_hour"]) == (3, 1.0)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    me = client.get("/api/v1/me/").json()
    assert (me["operations_per_hour"], me["cost_per_hour"]) == (3, 1.0)
    browser = Client()
    browser.force_login(operator)
    form = {"name": "b", "role": "viewer", "expires_in_days": "3", "operations_per_hour": "4", "cost_per_hour": "2"}
    browser.post(reverse("accounts-web:tokens"), form)
    row = ApiToken.objects.get(name="b")
    assert (row.operations_per_hour, row.cost_per_hour) == (4, 2.0)


@pytest.mark.parametrize(("kind", "code"), [({"agent": True}, "agent_token"), ({"read_only": True}, "read_only_token")])
def test_agents_and_read_only_tokens_set_no_limits(operator: User, make_token: Any, kind: dict[str, bool], code: str) -> None:
    token, _ = make_token(operator, operations_per_hour=5, **kind)
    who: Principal = principal_for(operator, token)
    with pytest.raises(Problem) as caught:
        token_limits.change(who, token, {"operations_per_hour": 1}, channel="api")
    token.refresh_from_db()
    assert (caught.value.status, caught.value.code, token.operations_per_hour) == (403, code, 5)


def test_an_agents_token_sets_no_limit_by_rest(operator: User, api: Any, make_token: Any) -> None:
    token, _ = make_token(operator, operations_per_hour=5)
    answer = api(operator, agent=True).patch(f"/api/v1/tokens/{token.uid}/", {"operations_per_hour": 6}, format="json")
    token.refresh_from_db()
    assert (answer.status_code, answer.json()["code"], token.operations_per_hour) == (403, "agent_token", 5)


def test_a_revoked_token_records_nothing_more(operator: User, make_token: Any) -> None:
    token, _ = make_token(operator, operations_per_hour=5)
    ApiToken.objects.filter(pk=token.pk).delete()
    with pytest.raises(Problem) as caught:
        limits.spend(token, uuid.uuid4(), 0.0, AT)
    assert caught.value.status == 401


def test_uses_that_no_limit_looks_at_any_more_are_pruned(operator: User, make_token: Any) -> None:
    token, _ = make_token(operator, operations_per_hour=5)
    used(token, 61)
    used(token, 1)
    assert (prune_hourly(), TokenUse.objects.count()) == (1, 1)
