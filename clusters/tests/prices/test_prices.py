"""What runs costs: by dated prices of the right region; what is unknown is said, and never counted as 0."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.principals import principal_for
from clusters.catalog.cost import instances
from clusters.models import Cluster, InstanceGroup, Price, Resource
from clusters.prices import Book, quote
from clusters.prices.rate import rate
from clusters.prices.refresh import _prices, daily, refresh
from clusters.spec import Capacity
from clusters.tests.rows import AT, make_cluster
from clusters.tests.sandbox import Sandbox
from operations import clock
from operations.submit import submit

pytestmark = pytest.mark.django_db

TYPE = "ml.p5.48xlarge"


def make_price(dollars: float, *, day: int = 1, region: str = "us-west-2", kind: str = TYPE) -> None:
    Price.objects.create(
        region=region, instance_type=kind, per_hour=dollars, effective_at=datetime(2026, 11, day, tzinfo=UTC), read_at=clock.now()
    )


def group(row: Cluster, name: str, kind: str, count: int, capacity: str = "on-demand") -> None:
    InstanceGroup.objects.create(
        cluster=row,
        name=name,
        instance_type=kind,
        capacity=capacity,
        status="InService",
        current_count=count,
        target_count=count,
        observed_at=AT,
    )


def test_the_newest_price_of_the_region_counts_and_without_one_the_tables_which_says_so() -> None:
    make_price(60.0, day=1)
    make_price(50.0, day=2)
    make_price(99.0, region="eu-west-1")
    found = quote(TYPE, "us-west-2")
    assert found is not None and (found.per_hour, found.note) == (50.0, "us-west-2, on demand, 2026-11-02")
    elsewhere = quote(TYPE, "ap-south-1")
    assert elsewhere is not None and (elsewhere.per_hour, elsewhere.note) == (66.05, "us-east-1, on demand, 2026-10")
    assert quote("ml.nobody.knows", "us-west-2") is None
    book = Book(["us-west-2", "eu-west-1"])
    assert [book.quote(TYPE, region).per_hour for region in ("us-west-2", "eu-west-1", "ap-south-1")] == [50.0, 99.0, 66.05]  # type: ignore[union-attr]
    assert instances(TYPE, 3, Capacity.ON_DEMAND, "us-west-2").per_hour == 150.0


def test_the_price_list_is_read_in_aws_own_shape_and_kept_with_its_dates(sandbox: Sandbox) -> None:
    make_price(70.0, day=1)  # of an earlier day than none: it stays beside
    count = refresh("us-west-2")
    assert count == Price.objects.exclude(per_hour=70.0).count() > 20
    assert refresh("us-west-2") == count
    rows = Price.objects.filter(region="us-west-2", instance_type=TYPE).order_by("effective_at")
    assert [(row.per_hour, f"{row.effective_at:%Y-%m-%d}") for row in rows] == [(66.048, "2026-10-01"), (70.0, "2026-11-01")]
    assert daily() == {"us-west-2": count}
    [call] = {(row["service"], row["operation"]) for row in sandbox.requests() if row["service"] == "pricing"}
    assert call == ("pricing", "GetProducts")


def test_a_price_list_that_cannot_be_read_leaves_what_is_known_and_says_why(sandbox: Sandbox) -> None:
    make_price(70.0)
    sandbox.fault(kind="access_denied", service="pricing", operation="GetProducts", count=None)
    assert daily() == {"us-west-2": -1}
    with pytest.raises(CommandError, match="Allow pricing:GetProducts"):
        call_command("refresh-prices", "--region", "us-west-2")
    assert Price.objects.get().per_hour == 70.0


def test_entries_that_are_no_hourly_price_of_an_instance_on_demand_are_left_out() -> None:
    def item(usage: str, dollars: str = "1.5", unit: str = "Hrs") -> dict[str, Any]:
        dimension = {"unit": unit, "pricePerUnit": {"USD": dollars}}
        term = {"effectiveDate": "2026-10-01T00:00:00Z", "priceDimensions": {"x": dimension}}
        return {"product": {"attributes": {"usagetype": usage}}, "terms": {"OnDemand": {"t": term}}}

    given = [
        item("USE1-Cluster:ml.p5.48xlarge"),
        item("Cluster:ml.m5.large"),
        item("USE1-Cluster:ml.p5.48xlarge-Reserved"),
        item("USE1-Train:ml.p5.48xlarge"),
        item("USE1-Cluster:ml.g5.xlarge", dollars="0.0000000000"),
        item("USE1-Cluster:ml.g5.2xlarge", unit="Quantity"),
        {"product": {}},
    ]
    assert [(one["instance_type"], one["per_hour"]) for one in _prices(iter(given))] == [("ml.p5.48xlarge", 1.5), ("ml.m5.large", 1.5)]


def test_the_run_rate_is_told_by_cluster_group_and_owner_and_the_unknown_by_name(operator: User) -> None:
    make_price(10.0)
    ours = make_cluster("ours", nodes=0, created_by="ann")
    group(ours, "gpu", TYPE, 4)
    Resource.objects.create(
        cluster=ours, phase="control_plane", resource_type="AWS::EKS::Cluster", physical_id="ours", name="eks", status="x", observed_at=AT
    )
    theirs = make_cluster("theirs", nodes=0, created_by="bob")
    group(theirs, "cheap", TYPE, 2, "spot")
    group(theirs, "paid", TYPE, 2, "training-plan")
    found = rate(principal_for(operator))
    assert [(one.name, one.total.per_hour, one.total.known) for one in found.clusters] == [("ours", 40.1, 40.1), ("theirs", None, 0.0)]
    assert {part.name: (part.per_hour, part.note) for part in found.clusters[1].parts} == {
        "cheap": (None, "Spot prices change by the hour"),
        "paid": (0.0, "paid with the training plan"),
        "workers": (0.0, ""),
    }
    assert {name: total.per_hour for name, total in found.owners.items()} == {"ann": 40.1, "bob": None}
    assert (found.total.per_hour, found.total.known, found.total.unknown) == (None, 40.1, ["theirs: cheap"])


def test_a_limited_token_sees_what_its_clusters_cost_and_the_page_says_unknown(operator: User, api: Any, client: Any) -> None:
    row = make_cluster("ours", nodes=0)
    group(row, "cheap", TYPE, 2, "spot")
    make_cluster("theirs", nodes=0)
    body = api(operator, clusters=["ours"]).get("/api/v1/cost/").json()
    assert [one["name"] for one in body["clusters"]] == ["ours"]
    assert (body["total"]["per_hour"], body["total"]["known_per_hour"], body["total"]["unknown"]) == (None, 0.0, ["ours: cheap"])
    client.force_login(operator)
    shown = client.get("/cost/").content.decode()
    assert "the price of 1 part is unknown" in shown


def test_a_plan_tells_what_the_cluster_costs_before_and_after(sandbox: Sandbox, operator: User) -> None:
    make_cluster(cost_per_hour=3.2)
    plan = submit("cluster.delete", {"name": "demo", "confirm": "demo"}, principal_for(operator), channel="api", dry_run=True).plan
    assert (plan.cost_per_hour_before, plan.cost_per_hour) == (3.2, 0.0)


def test_the_catalogue_tells_the_newest_price_and_where_it_holds(sandbox: Sandbox, operator: User, api: Any) -> None:
    make_price(60.0)
    found = {one["name"]: one for one in api(operator).get("/api/v1/catalog/instance-types/?name=p5").json()["results"]}
    assert (found[TYPE]["price_per_hour"], found[TYPE]["price_region"], found[TYPE]["price_date"]) == (60.0, "us-west-2", "2026-11-01")
    elsewhere = found["ml.p5en.48xlarge"]
    assert (elsewhere["price_per_hour"], elsewhere["price_region"], elsewhere["price_date"]) == (75.96, "us-east-1", "2026-10")
