"""Quotas: observed with what is in use, held against what is planned, asked to be raised once."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from clusters.catalog import quotas
from clusters.models import Quota
from clusters.quotas import schedule
from clusters.quotas.fit import fits
from clusters.spec import Capacity
from clusters.tests.aws_accounts.rows import make_account
from clusters.tests.driving import failure, run
from clusters.tests.rows import make_cluster, make_quota
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from operations.choices import OperationState
from operations.models import Alert, Operation

pytestmark = pytest.mark.django_db

TYPE = "ml.p5.48xlarge"
USAGE = quotas.cluster_usage(TYPE)


def increases(sandbox: Sandbox) -> int:
    return len(sandbox.requests(operation="RequestServiceQuotaIncrease"))


def row(name: str = USAGE) -> Quota:
    return Quota.objects.get(region="us-west-2", name=name)


def test_quotas_are_seen_with_what_is_in_use_and_the_hourly_look_brings_them_up_to_date(sandbox: Sandbox, operator: User) -> None:
    aws = cloud.connect("us-west-2")
    before = run(sandbox, operator, "quota.observe", region="us-west-2")
    assert before.state == OperationState.SUCCEEDED, failure(before)
    one = row()
    assert (one.limit, one.used, one.instance_type, one.service, one.request_status) == (16.0, 0.0, TYPE, "sagemaker", "")
    vpcs = row(quotas.VPCS)
    assert vpcs.used == len(aws.read("ec2", "describe_vpcs")["Vpcs"])
    aws.write("ec2", "create_vpc", CidrBlock="10.9.0.0/16")
    assert schedule.hourly() == {"123456789012/us-west-2": Quota.objects.count()}
    assert row(quotas.VPCS).used == vpcs.used + 1
    assert row(quotas.VPCS).pk == vpcs.pk


def test_what_could_not_be_counted_is_unknown_and_the_rest_is_seen(sandbox: Sandbox, operator: User) -> None:
    sandbox.fault(kind="access_denied", service="ec2", operation="DescribeVpcs", count=None)
    seen = run(sandbox, operator, "quota.observe", region="us-west-2")
    assert seen.state == OperationState.SUCCEEDED, failure(seen)
    assert row(quotas.VPCS).used is None
    assert row(quotas.EKS_CLUSTERS).used == 0


def test_a_request_for_more_is_sent_once_and_followed_until_the_limit_rises(sandbox: Sandbox, operator: User, api: Any) -> None:
    run(sandbox, operator, "quota.observe", region="us-west-2")
    client = api(operator)
    address = f"/api/v1/quotas/{row().pk}/increase/"
    plan = client.post(f"{address}?dry_run=true", {"value": 32}, format="json").json()
    assert [change["fields"] for change in plan["changes"]] == [[{"field": "limit", "before": 16.0, "after": 32.0}]]
    assert plan["irreversible"][0]["what"] == "The request"
    asked = run(sandbox, operator, "quota.request_increase", region="us-west-2", quota=USAGE, value=32)
    assert asked.state == OperationState.SUCCEEDED, failure(asked)
    assert (row().requested, row().pending, increases(sandbox)) == (32.0, True, 1)

    again = client.post(address, {"value": 32}, format="json").json()
    assert again["changed"] is False
    assert [check["code"] for check in again["plan"]["checks"]] == ["quota_request_pending"]
    more = client.post(address, {"value": 64}, format="json")
    assert (more.status_code, more.json()["errors"][0]["code"]) == (422, "quota_request_open")
    assert increases(sandbox) == 1

    sandbox.forward(30 * 86400)
    run(sandbox, operator, "quota.observe", region="us-west-2")
    assert (row().limit, row().request_status, row().pending) == (32.0, "APPROVED", False)
    enough = client.post(address, {"value": 20}, format="json").json()
    assert (enough["changed"], enough["plan"]["checks"][0]["code"]) == (False, "quota_high_enough")


def test_a_lost_reply_to_a_request_for_more_is_settled_by_looking(sandbox: Sandbox, operator: User) -> None:
    sandbox.fault(service="service-quotas", operation="RequestServiceQuotaIncrease", kind="reply_lost", count=1)
    asked = run(sandbox, operator, "quota.request_increase", region="us-west-2", quota=USAGE, value=32)
    assert asked.state == OperationState.SUCCEEDED, failure(asked)
    assert increases(sandbox) == 1


def test_a_quota_that_most_of_is_used_is_an_alert_until_it_is_not(sandbox: Sandbox, operator: User) -> None:
    from clusters.quotas.look import _tell

    quota = make_quota(used=13)
    _tell(quota.account, quota.region)
    _tell(quota.account, quota.region)
    alert = Alert.objects.get()
    assert (alert.kind, alert.open) == ("quota_near", True)
    assert alert.sentence == "13 of 16 are in use of the quota 'ml.p5.48xlarge for cluster usage' in us-west-2."
    Quota.objects.update(limit=32)
    _tell(quota.account, quota.region)
    assert not Alert.objects.get().open


def test_a_planned_group_is_held_against_each_quota_that_it_would_meet() -> None:
    make_quota(USAGE, used=10)
    make_quota(quotas.INSTANCES_PER_CLUSTER, limit=20, used=20)
    make_quota(quotas.INSTANCES_ALL_CLUSTERS, limit=30, used=None)
    found = {fit.name: (fit.more, fit.fits) for fit in fits(Quota.objects.all(), TYPE, 8, Capacity.ON_DEMAND)}
    assert found == {USAGE: (8, False), quotas.INSTANCES_PER_CLUSTER: (8, True), quotas.INSTANCES_ALL_CLUSTERS: (8, None)}
    assert {fit.name for fit in fits(Quota.objects.all(), TYPE, 8, Capacity.TRAINING_PLAN)} == {
        quotas.INSTANCES_PER_CLUSTER,
        quotas.INSTANCES_ALL_CLUSTERS,
    }


def test_quotas_are_narrowed_and_wrong_questions_are_answered_with_what_is_right(operator: User, api: Any) -> None:
    make_quota(USAGE, used=15)
    make_quota("other", used=0, instance_type="")
    client = api(operator)

    def names(query: str) -> list[str]:
        return [one["name"] for one in client.get(f"/api/v1/quotas/?{query}").json()["results"]]

    assert names("in_use=true") == names("near=true") == names(f"instance_type={TYPE}") == [USAGE]
    assert names("in_use=false") == ["other"]
    wrong = client.get("/api/v1/quotas/fit/?count=x&capacity=free").json()
    assert [error["field"] for error in wrong["errors"]] == ["instance_type", "count", "capacity"]


def test_the_page_shows_bars_and_asks_with_a_reviewed_plan(sandbox: Sandbox, operator: User, client: Any) -> None:
    make_cluster()
    run(sandbox, operator, "quota.observe", region="us-west-2")
    client.force_login(operator)
    shown = client.get(f"/quotas/?region=us-west-2&instance_type={TYPE}&count=8&capacity=on-demand").content.decode()
    assert f'data-quota="{USAGE}"' in shown and '<progress max="16"' in shown and "8 × ml.p5.48xlarge would take" in shown
    review = client.get(f"/quotas/{row().pk}/increase/?value=32")
    assert "Ask AWS for 32" in review.content.decode()
    assert Operation.objects.filter(kind="quota.request_increase").count() == 0


def test_quotas_of_accounts_that_a_token_is_not_for_are_not_there_and_several_are_told_apart(operator: User, api: Any) -> None:
    mine = make_quota(USAGE)
    make_quota("of another")
    Quota.objects.filter(name="of another").update(account="999999999999")
    client = api(operator)
    ask = f"/api/v1/quotas/fit/?instance_type={TYPE}"
    assert [error["field"] for error in client.get(ask).json()["errors"]] == ["account"]
    assert client.get(f"{ask}&account={mine.account}").json()["results"][-1]["fits"] is True
    limited = api(operator, accounts=[mine.account])
    assert [one["name"] for one in limited.get("/api/v1/quotas/").json()["results"]] == [USAGE]
    assert limited.get(ask).json()["results"][-1]["limit"] == 16


@pytest.mark.django_db
def test_the_page_offers_every_account_that_was_added_though_it_was_not_looked_at_yet(operator: User, client: Any) -> None:
    make_account()
    client.force_login(operator)

    def choices() -> list[str]:
        return [digits for digits, _ in client.get("/quotas/").context["accounts"]]

    assert (choices(), client.get("/quotas/").context["account"]) == (["", "222233334444"], "")
    make_quota()
    assert (choices(), client.get("/quotas/").context["account"]) == (["123456789012", "222233334444"], "123456789012")
    chosen = client.get("/quotas/?account=222233334444").content.decode()
    assert "second (222233334444)" in chosen and "/quotas/observe/?region=us-west-2&amp;account=222233334444" in chosen
