"""Training plans: searched with prices and dates, bought once and only by an explicit word."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.catalog import reading
from clusters.tests.driving import begin, failure, run
from clusters.tests.sandbox import Sandbox
from clusters.training_plans.offers import Offer, Wish, search
from instantstart import cloud
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = pytest.mark.django_db

TYPE = "ml.p5.48xlarge"


def offers(**changes: Any) -> list[Offer]:
    return search(cloud.connect("us-west-2"), Wish(**{"instance_type": TYPE, "count": 2, "hours": 48, **changes}))


def asked(offer: Offer, **changes: Any) -> dict[str, Any]:
    return {
        "region": "us-west-2",
        "plan": "big-run",
        "offering": offer.id,
        "instance_type": TYPE,
        "count": 2,
        "hours": 48,
        "fee": offer.fee,
        "confirm": "big-run",
        **changes,
    }


def purchases(sandbox: Sandbox) -> int:
    return len(sandbox.requests(operation="CreateTrainingPlan"))


def bought() -> list[str]:
    return [plan.name for plan in reading.training_plans_now(cloud.connect("us-west-2")) if plan.name != "sandbox-p5"]


def test_offers_are_told_with_price_dates_and_zone_and_narrowed(sandbox: Sandbox, operator: User, api: Any) -> None:
    client = api(operator)
    query = f"/api/v1/catalog/training-plan-offers/?instance_type={TYPE}&count=2&hours=48"
    found = client.get(query).json()["results"]
    assert [one["id"] for one in found] == [offer.id for offer in offers()]
    assert [one["per_instance_hour"] for one in found] == sorted(one["per_instance_hour"] for one in found)
    first = found[0]
    assert (first["count"], first["hours"], first["currency"]) == (2, 48, "USD")
    assert first["per_instance_hour"] == round(float(first["fee"]) / 96, 4)
    assert [one["zones"] for one in client.get(f"{query}&zone={first['zones'][0]}").json()["results"]] == [first["zones"]]
    wrong = client.get("/api/v1/catalog/training-plan-offers/?instance_type=x&count=0&hours=48&starts_after=soon").json()
    assert [error["field"] for error in wrong["errors"]] == ["instance_type", "count", "starts_after"]


def test_a_plan_of_a_purchase_shows_price_dates_and_that_nothing_takes_it_back(sandbox: Sandbox, admin_person: User) -> None:
    offer = offers()[0]
    plan = submit("training_plan.purchase", asked(offer), principal_for(admin_person), channel="api", dry_run=True).plan
    fields = {field.field: field.after for field in plan.changes[0].fields}
    assert fields["upfront_fee"] == offer.price and fields["zone"] == offer.zones[0]
    assert (plan.irreversible[0].what, plan.errors) == (f"The payment of {offer.price}", ())
    assert purchases(sandbox) == 0


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"confirm": "big"}, "confirmation_missing", "confirm"),
        ({"fee": "1.00"}, "offer_price_changed", "fee"),
        ({"offering": "tpo-nothing"}, "offer_gone", "offering"),
        ({"plan": "sandbox-p5", "confirm": "sandbox-p5"}, "training_plan_name_taken", "plan"),
        ({"count": 64}, "quota_too_low", "count"),
        ({"account": "999999999999"}, "unknown_account", "account"),
    ],
)
def test_a_purchase_that_is_not_meant_just_so_is_refused_and_nothing_is_bought(
    sandbox: Sandbox, admin_person: User, changes: dict[str, Any], code: str, field: str
) -> None:
    offer = offers(count=changes.get("count", 2))[0]
    with pytest.raises(Problem) as refused:
        submit("training_plan.purchase", asked(offer, **changes), principal_for(admin_person), channel="api")
    assert [(error.code, error.field) for error in refused.value.errors] == [(code, field)]
    assert (Operation.objects.count(), purchases(sandbox)) == (0, 0)


def test_a_plan_is_bought_once_though_the_reply_is_lost(sandbox: Sandbox, admin_person: User) -> None:
    sandbox.fault(kind="reply_lost", service="sagemaker", operation="CreateTrainingPlan", count=1)
    operation = run(sandbox, admin_person, "training_plan.purchase", **asked(offers()[0]))
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    assert (bought(), purchases(sandbox)) == (["big-run"], 1)
    assert operation.facts["buy"]["arn"].endswith(":training-plan/big-run")


def test_a_name_that_somebody_took_after_the_plan_was_seen_is_not_taken_for_ours(sandbox: Sandbox, admin_person: User) -> None:
    first, second = offers()[:2]
    operation = begin(admin_person, "training_plan.purchase", **asked(first))
    cloud.connect("us-west-2").write("sagemaker", "create_training_plan", TrainingPlanName="big-run", TrainingPlanOfferingId=second.id)
    drive(operation, on_idle=lambda: sandbox.forward("next"))
    operation.refresh_from_db()
    assert (operation.state, operation.error_code) == (OperationState.FAILED, "training_plan_name_taken")
    assert purchases(sandbox) == 1


def test_only_admins_buy_and_an_agents_purchase_waits_for_a_person(sandbox: Sandbox, operator: User, admin_person: User, api: Any) -> None:
    offer = offers()[0]
    assert api(operator).post("/api/v1/training-plans/", asked(offer), format="json").status_code == 403
    agent, address = api(admin_person, agent=True), "/api/v1/training-plans/"
    seen = agent.post(f"{address}?dry_run=true", asked(offer), format="json").json()["fingerprint"]
    waits = agent.post(f"{address}?plan_fingerprint={seen}", asked(offer), format="json").json()
    assert waits["state"] == OperationState.AWAITING_APPROVAL
    assert purchases(sandbox) == 0


def test_the_page_lists_plans_searches_offers_and_reviews_a_purchase(sandbox: Sandbox, admin_person: User, client: Any) -> None:
    client.force_login(admin_person)
    offer = offers()[0]
    shown = client.get(f"/training-plans/?instance_type={TYPE}&count=2&hours=48").content.decode()
    assert "sandbox-p5" in shown and f'data-offer="{offer.id}"' in shown and offer.price in shown
    address = f"/training-plans/buy/?plan=big-run&offering={offer.id}&instance_type={TYPE}&count=2&hours=48&fee={offer.fee}"
    review = client.get(address).content.decode()
    assert f"The payment of {offer.price}" in review and 'data-must-equal="big-run"' in review
    assert bought() == []
