"""The clusters' pages without AWS: what is shown of the rows, what each role may do, what the wizard's form means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from accounts.models import Preference, User
from clusters.catalog.reading import TrainingPlan
from clusters.choices import State
from clusters.models import Cluster, Price
from clusters.spec import ClusterInput
from clusters.tests.rows import AT, make_cluster
from clusters.web import wizard
from clusters.web.forms import ClusterForm
from clusters.web.offered import Offered
from clusters.web.type_choices import type_choices
from instantstart.problem import FieldError, Problem
from operations.models import Alert, Operation
from operations.models.alert import AlertKind

PLAN = TrainingPlan(
    arn="arn:aws:sagemaker:us-west-2:123456789012:training-plan/p5-week",
    name="p5-week",
    status="Active",
    instance_types=("ml.p5.48xlarge",),
    zones=("us-west-2a",),
    zone_ids=("usw2-az1",),
    total=4,
    available=2,
    in_use=2,
    starts=datetime(2026, 12, 1, tzinfo=UTC),
    ends=datetime(2026, 12, 8, tzinfo=UTC),
    targets=("hyperpod-cluster",),
)
OFFERED = Offered(["us-east-1", "us-west-2"], ["us-west-2a", "us-west-2b"], ["1.36", "1.35"], [PLAN])
TYPED = {
    "name": "demo",
    "region": "us-west-2",
    "group_name": "workers",
    "group_instance_type": "ml.g5.8xlarge",
    "group_count": "2",
    "group_capacity": "on-demand",
    "group_volume_gb": "500",
    "storage_claim": "shared",
}
CHANGES = [("delete", ()), ("protect", ()), ("retry", ("hyperpod",))]


def sign_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def of_viewer(viewer: User) -> Client:
    return sign_in(viewer)


@pytest.fixture
def of_operator(operator: User) -> Client:
    return sign_in(operator)


@pytest.fixture
def aws_offers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The wizard's choices without AWS; the regions that were asked for."""
    asked: list[str] = []

    def answer(region: str, principal: Any, account: str = "") -> Offered:
        asked.append(region)
        return OFFERED

    monkeypatch.setattr(wizard, "offered", answer)
    return asked


def address(name: str, *rest: str, cluster: str = "demo") -> str:
    return reverse(f"clusters-web:{name}", args=[cluster, *rest])


def test_an_empty_list_says_what_to_do(of_viewer: Client, of_operator: Client) -> None:
    viewed = of_viewer.get(reverse("clusters-web:list")).content.decode()
    operated = of_operator.get(reverse("clusters-web:list")).content.decode()
    assert "Ask an operator to create one." in viewed and reverse("clusters-web:new") not in viewed
    assert "Create the first cluster" in operated


def test_the_list_shows_state_cost_and_instances(of_viewer: Client) -> None:
    make_cluster(nodes=3)
    page = of_viewer.get(reverse("clusters-web:list")).content.decode()
    assert "3 ready of 3" in page and "$3.20/h" in page and 'data-state="ready"' in page


def test_the_list_and_the_phase_say_why_a_cluster_failed(of_viewer: Client) -> None:
    operation = Operation.objects.create(
        kind="phase.control_plane", title="Create it", cluster="demo", state="failed", error_message="You may not.", created_at=AT
    )
    cluster = make_cluster("demo")
    Cluster.objects.update(state=State.FAILED, message="AWS knows no stack of this name", operation_id=operation.pk)
    cluster.phases.filter(name="control_plane").update(state=State.FAILED, operation_id=operation.pk)
    assert "You may not." in of_viewer.get("/").content.decode()
    assert "AWS knows no stack" not in of_viewer.get("/").content.decode()
    assert "You may not." in of_viewer.get("/clusters/demo/").content.decode()


def test_a_viewer_sees_the_cluster_without_buttons_that_change_it(of_viewer: Client, of_operator: Client) -> None:
    make_cluster(state=State.FAILED).phases.filter(name="hyperpod").update(state=State.FAILED)
    viewed, operated = of_viewer.get(address("detail")).content.decode(), of_operator.get(address("detail")).content.decode()
    assert [name for name, rest in CHANGES if address(name, *rest) in viewed] == []
    assert [name for name, rest in CHANGES if address(name, *rest) in operated] == ["delete", "protect", "retry"]


@pytest.mark.parametrize(("name", "rest"), CHANGES)
def test_what_a_viewer_sends_is_refused_and_changes_nothing(of_viewer: Client, name: str, rest: tuple[str, ...]) -> None:
    make_cluster()
    response = of_viewer.post(address(name, *rest), {"confirm": "demo", "enabled": "yes", "stage": "confirm"})
    assert response.status_code == 403
    assert not Operation.objects.exists() and not Cluster.objects.get().deletion_protection


def test_the_wizard_is_refused_to_a_viewer_before_aws_is_asked(of_viewer: Client, aws_offers: list[str]) -> None:
    assert of_viewer.post(reverse("clusters-web:new"), {"stage": "review", **TYPED}).status_code == 403
    assert aws_offers == []


@pytest.mark.parametrize("verb", ["delete", "replace"])
def test_a_value_that_no_database_takes_is_refused_on_a_page_that_names_it(of_operator: Client, verb: str) -> None:
    make_cluster()
    answer = of_operator.post(f"/clusters/demo/groups/workers/{verb}/", {"confirm": "\0", "plan_fingerprint": "x", "stage": "confirm"})
    assert (answer.status_code, "confirm" in answer.content.decode()) == (422, True)
    assert not Operation.objects.exists()


def test_the_page_of_a_cluster_says_above_all_what_is_the_matter(of_viewer: Client) -> None:
    make_cluster()
    Alert.objects.create(
        kind=AlertKind.NODE_UNHEALTHY,
        subject="node:demo/i-1",
        cluster="demo",
        severity="error",
        sentence="i-1 is not well.",
        fix="Replace it.",
        opened_at=AT,
        changed_at=AT,
    )
    assert "i-1 is not well. Replace it." in of_viewer.get("/clusters/demo/").content.decode()
    Alert.objects.update(closed_at=AT)
    assert "i-1 is not well." not in of_viewer.get("/clusters/demo/").content.decode()


def test_a_form_shows_the_newest_price_of_the_region(db: None) -> None:
    assert "ml.g5.8xlarge: price unknown" in dict(type_choices("us-west-2"))["ml.g5.8xlarge"]
    for day, per_hour in ((1, 3.0), (2, 3.06)):
        at = datetime(2026, 11, day, tzinfo=UTC)
        Price.objects.create(region="us-west-2", instance_type="ml.g5.8xlarge", per_hour=per_hour, effective_at=at, read_at=AT)
    assert dict(type_choices("us-west-2"))["ml.g5.8xlarge"].startswith("ml.g5.8xlarge: $3.06/h, ")
    assert "price unknown" in dict(type_choices("eu-west-1"))["ml.g5.8xlarge"]


def test_a_cluster_may_be_called_new(of_viewer: Client) -> None:
    make_cluster("new")
    answer = of_viewer.get(reverse("clusters-web:detail", kwargs={"name": "new"}))
    assert (answer.status_code, answer.templates[0].name) == (200, "clusters/detail.html")


def test_protection_is_switched_from_the_page(of_operator: Client) -> None:
    make_cluster()
    page = of_operator.post(address("protect"), {"enabled": "yes"}, follow=True).content.decode()
    assert Cluster.objects.get().deletion_protection and "Lift protection" in page
    of_operator.post(address("protect"), {"enabled": "no"})
    assert not Cluster.objects.get().deletion_protection


def test_a_viewer_may_prefer_a_cluster_for_themselves(of_viewer: Client, viewer: User) -> None:
    make_cluster()
    of_viewer.post(address("prefer"))
    assert Preference.objects.get(user=viewer).cluster == "demo"


def test_a_deletion_without_the_name_typed_changes_nothing(of_operator: Client) -> None:
    make_cluster()
    response = of_operator.post(f"{address('delete')}?empty_bucket=1", {"confirm": "demmo"})
    assert response.headers["Location"] == f"{address('delete')}?empty_bucket=1", "what was chosen is kept"
    assert not Operation.objects.exists()


def test_the_live_part_of_a_cluster_that_is_gone_says_so(of_viewer: Client) -> None:
    whole = of_viewer.get(address("detail", cluster="gone"))
    part = of_viewer.get(address("detail", cluster="gone"), headers={"HX-Request": "true"})
    assert (whole.status_code, part.status_code) == (404, 200)
    assert "gone is gone" in part.content.decode()


def test_what_could_not_be_read_is_said_with_its_age(of_viewer: Client) -> None:
    make_cluster(state=State.UNKNOWN, unreadable="AWS could not be read.", unreadable_since=datetime(2026, 12, 1, tzinfo=UTC))
    page = of_viewer.get(address("detail")).content.decode()
    assert "AWS could not be read." in page and "What is shown below is what was seen last." in page


def form(**changes: str) -> ClusterForm:
    return ClusterForm(QueryDict("&".join(f"{name}={value}" for name, value in {**TYPED, **changes}.items())), offered=OFFERED)


@pytest.mark.django_db
def test_the_form_means_what_the_action_takes() -> None:
    filled = form(zone="us-west-2b", network_public_access_cidrs="192.0.2.0/24, 198.51.100.0/24", tags="team=vision", fsx="on")
    assert filled.is_valid()
    data = ClusterInput.model_validate(filled.to_input())
    assert (data.name, data.availability_zones, data.group.count, data.fsx, data.kuberay) == ("demo", ["us-west-2b"], 2, True, False)
    assert data.network.public_access_cidrs == ["192.0.2.0/24", "198.51.100.0/24"] and data.tags == {"team": "vision"}


@pytest.mark.django_db
def test_an_existing_network_is_given_as_one() -> None:
    filled = form(
        network_existing_vpc_id="vpc-1",
        network_existing_private_subnet_ids="subnet-1 subnet-2",
        network_existing_compute_subnet_id="subnet-3",
    )
    assert filled.is_valid()
    existing = ClusterInput.model_validate(filled.to_input()).network.existing
    assert existing is not None and existing.private_subnet_ids == ["subnet-1", "subnet-2"]


@pytest.mark.django_db
def test_a_training_plan_says_what_is_left_of_it_and_counts_only_with_its_capacity() -> None:
    choices = dict(form().fields["group_training_plan_arn"].choices)  # type: ignore[attr-defined]
    assert choices[PLAN.arn] == "p5-week: 2 of 4 × ml.p5.48xlarge free, us-west-2a, 2026-12-01 to 2026-12-08, Active"
    for capacity, arn in (("on-demand", ""), ("training-plan", PLAN.arn)):
        filled = form(group_capacity=capacity, group_training_plan_arn=PLAN.arn)
        assert filled.is_valid() and filled.to_input()["group"]["training_plan_arn"] == arn


@pytest.mark.django_db
def test_a_problem_is_shown_beside_the_field_that_it_names() -> None:
    filled = form()
    assert filled.is_valid()
    places = {
        "name": "name",
        "network.public_access_cidrs.1": "network_public_access_cidrs",
        "availability_zones.0": "zone",
        "group": "group_training_plan_arn",
        "network.existing.private_subnet_ids": "network_existing_private_subnet_ids",
        "of.nothing": "__all__",
    }
    filled.add_problem(Problem(422, "invalid_input", "", "", errors=[FieldError(path, "bad", "No.", "Mend it.") for path in places]))
    assert {name: list(said) for name, said in filled.errors.items()} == {
        **{name: ["No. Mend it."] for name in places.values()},
        "__all__": ["of.nothing: No. Mend it."],
    }


def test_choosing_a_region_keeps_what_was_typed(of_operator: Client, aws_offers: list[str]) -> None:
    checks = ["InstanceStress", "InstanceConnectivity"]
    body: dict[str, Any] = {**TYPED, "stage": "region", "region": "us-east-1", "deep_health_checks": checks, "fsx": "on"}
    response = of_operator.post(reverse("clusters-web:new"), body)
    given = response.context["form"]
    assert (response.status_code, aws_offers) == (200, ["us-east-1"])
    assert given["deep_health_checks"].value() == checks and given["fsx"].value() and not given["kuberay"].value()
    assert (given["name"].value(), given["group_count"].value()) == ("demo", "2")


def test_the_way_back_from_the_plan_brings_the_form_as_it_was(of_operator: Client, aws_offers: list[str]) -> None:
    body = {"stage": "edit", "given": "name=demo&region=us-east-1&tags=a%3Db%0Ac%3Dd&deep_health_checks=InstanceStress&kuberay=on"}
    given = of_operator.post(reverse("clusters-web:new"), body).context["form"]
    assert aws_offers == ["us-east-1"]
    assert (given["name"].value(), given["tags"].value(), given["kuberay"].value()) == ("demo", "a=b\nc=d", True)


def test_a_yes_that_is_refused_shows_the_form_as_it_was_filled_in(of_operator: Client, aws_offers: list[str]) -> None:
    body = {"stage": "confirm", "data": "no json", "given": "name=demo&region=us-west-2&tags=a%3Db"}
    response = of_operator.post(reverse("clusters-web:new"), body)
    given = response.context["form"]
    assert response.status_code == 422 and "name" in given.errors
    assert (given["name"].value(), given["tags"].value()) == ("demo", "a=b")
    assert not Operation.objects.exists() and not Cluster.objects.exists()
