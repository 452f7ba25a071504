"""The page of managed features without AWS: what is shown of the rows, and what a form asks for."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from clusters import features
from clusters.features import REGISTRY
from clusters.features.node_autoscaling.settings import DEFAULTS
from clusters.models import ClusterFeature
from clusters.tests.rows import make_cluster
from clusters.web import features as pages
from clusters.web.feature_form import FeatureForm
from instantstart.problem import FieldError, Problem
from instantstart.web.review import Review
from operations.plan import Plan

pytestmark = pytest.mark.django_db
Asked = list[Review]


@pytest.fixture
def of_operator(operator: User) -> Client:
    client = Client()
    client.force_login(operator)
    return client


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """The plans that were asked for, which are all empty."""
    found: Asked = []

    def plan_of(_request: object, review: Review) -> Plan:
        found.append(review)
        return Plan(kind=review.kind, summary="Set it", changes=())

    monkeypatch.setattr(pages, "plan_of", plan_of)
    monkeypatch.setattr("instantstart.web.review.plan_of", plan_of)
    return found


def on_page(feature: str, **query: str) -> str:
    return reverse("clusters-web:feature-on", args=["demo", feature], query=query)


def row(name: str, **fields: Any) -> None:
    ClusterFeature.objects.filter(name=name).update(**fields)


def text_of(client: Client, address: str) -> str:
    return html.unescape(client.get(address).content.decode())


def test_each_feature_is_shown_once_with_its_state_and_what_can_be_done(of_operator: Client) -> None:
    make_cluster()
    row("metrics_server", state="active", version="v0.8.0-eksbuild.1", source="EKS add-on")
    said = text_of(of_operator, reverse("clusters-web:features", args=["demo"]))
    assert [said.count(f'data-feature="{name}"') for name in REGISTRY] == [1] * len(REGISTRY)
    assert "v0.8.0-eksbuild.1" in said
    assert said.count("Turn off<") == 1
    assert said.count("Turn on<") == len(REGISTRY) - 1


def test_a_viewer_is_offered_no_change(viewer: User) -> None:
    make_cluster()
    client = Client()
    client.force_login(viewer)
    assert "Turn on" not in text_of(client, reverse("clusters-web:features", args=["demo"]))


def test_a_half_made_feature_says_why_and_offers_to_complete_or_remove_it(of_operator: Client) -> None:
    make_cluster()
    fault = {"code": "half_made", "message": "There is a role, but no association.", "hint": "Turn it on to complete it."}
    part = {"key": "role", "resource_type": "AWS::IAM::Role", "name": "demo-role", "state": "ready", "message": "", "version": ""}
    row("training_operator", state="degraded", faults=[fault], parts=[part])
    said = text_of(of_operator, reverse("clusters-web:features", args=["demo"]))
    assert "There is a role, but no association. Turn it on to complete it." in said
    assert "demo-role" in said
    assert "Complete<" in said
    assert "Turn off<" in said


def test_a_form_shows_the_settings_as_they_are_and_plans_only_what_differs(of_operator: Client, asked: Asked) -> None:
    make_cluster()
    current = {"memory_percent": 40, "buckets": ["one", "two/path"], "namespace": "team", "service_account": "train"}
    row("tiered_checkpointing", state="active", settings=current)
    said = text_of(of_operator, on_page("tiered_checkpointing"))
    assert 'value="40"' in said
    assert "one\ntwo/path" in said
    assert asked == []
    answer = of_operator.get(
        on_page(
            "tiered_checkpointing",
            plan="1",
            memory_percent="60",
            buckets="one\r\ntwo/path",
            namespace="team",
            service_account="",
        )
    )
    assert answer.status_code == 200
    change = {"tiered_checkpointing": {"enabled": True, "settings": {"memory_percent": 60}}}
    assert [one.data for one in asked] == [{"name": "demo", "features": change, "cascade": False}]


def test_settings_that_are_lists_and_maps_are_typed_as_json_and_only_what_differs_is_planned(of_operator: Client, asked: Asked) -> None:
    make_cluster()
    row("node_autoscaling", state="active", settings={**DEFAULTS, "groups": ["gpu"]})
    said = text_of(of_operator, on_page("node_autoscaling"))
    assert "node.kubernetes.io/instance-type" in said
    typed = {"groups": "gpu\r\ncpu", "limits": '{"nvidia.com/gpu": 8}', "budgets": '[{"nodes": "10%"}]', "consolidate_after": "2m"}
    assert of_operator.get(on_page("node_autoscaling", plan="1", **typed)).status_code == 200
    settings = {"groups": ["gpu", "cpu"], "limits": {"nvidia.com/gpu": 8}}
    change = {"node_autoscaling": {"enabled": True, "settings": settings}}
    assert [one.data for one in asked] == [{"name": "demo", "features": change, "cascade": False}]


def test_a_number_out_of_range_is_told_beside_its_field_and_nothing_is_planned(of_operator: Client, asked: Asked) -> None:
    make_cluster()
    answer = of_operator.get(on_page("tiered_checkpointing", plan="1", memory_percent="10"))
    assert (answer.status_code, asked) == (422, [])
    assert answer.context["form"].errors == {"memory_percent": ["Ensure this value is greater than or equal to 20."]}


def test_what_the_action_refuses_is_told_beside_its_field(of_operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_cluster()

    def refuse(*_: object) -> Plan:
        error = FieldError("features.tiered_checkpointing.settings.buckets.0", "wrong", "No such bucket.", "Make it.")
        raise Problem(422, "invalid_input", "Invalid input", "Wrong.", errors=[error])

    monkeypatch.setattr(pages, "plan_of", refuse)
    answer = of_operator.get(on_page("tiered_checkpointing", plan="1", buckets="nowhere"))
    assert answer.status_code == 422
    assert answer.context["form"].errors == {"buckets": ["No such bucket. Make it."]}


def test_a_feature_without_settings_goes_straight_to_its_plan(of_operator: Client, asked: Asked) -> None:
    make_cluster()
    of_operator.get(on_page("metrics_server", cascade="1"))
    assert [one.data for one in asked] == [
        {"name": "demo", "features": {"metrics_server": {"enabled": True, "settings": {}}}, "cascade": True}
    ]


@pytest.mark.parametrize("cascade", [False, True])
def test_turning_off_plans_the_removal_with_what_needs_it_only_when_chosen(of_operator: Client, asked: Asked, cascade: bool) -> None:
    make_cluster()
    address = reverse("clusters-web:feature-off", args=["demo", "metrics_server"])
    of_operator.get(address, {"cascade": "1"} if cascade else {})
    assert [one.data for one in asked] == [{"name": "demo", "features": {"metrics_server": {"enabled": False}}, "cascade": cascade}]


def test_there_is_no_page_for_a_feature_that_does_not_exist(of_operator: Client, asked: Asked) -> None:
    make_cluster()
    assert [of_operator.get(on_page(name)).status_code for name in ("nothing", "Metrics")] == [404, 404]
    assert asked == []


@pytest.mark.parametrize("name", REGISTRY)
def test_every_feature_has_a_form_whose_fields_are_its_settings_and_empty_asks_for_nothing(name: str) -> None:
    feature = features.find(name)
    form = FeatureForm(feature, {}, {})
    assert list(form.fields) == list(feature.Settings.model_fields)
    assert form.is_valid()
    assert form.changed_settings() == {}
