"""The rules by REST and as a page."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from clusters.rules import RULES

pytestmark = pytest.mark.django_db


def ask(user: User, **query: str) -> Any:
    client = APIClient()
    client.force_authenticate(user)
    return client.get("/api/v1/rules/", query)


def test_every_rule_is_listed_in_the_order_of_the_table(viewer: User) -> None:
    found = ask(viewer).json()["results"]
    assert [row["code"] for row in found] == [rule.code for rule in RULES]
    first = next(row for row in found if row["code"] == "spot_with_training_plan")
    assert (first["noun"], first["severity"], first["field"]) == ("group", "error", "capacity")
    assert first["sentence"].startswith("‹group name› asks for Spot capacity and for a training plan:")
    assert not [row["code"] for row in found if "{" in row["sentence"] + row["fix"]]


def test_rules_can_be_narrowed_to_a_noun_and_a_severity(viewer: User) -> None:
    found = ask(viewer, noun="job", severity="warning").json()["results"]
    assert [row["code"] for row in found] == ["checkpointless_type"]


def test_a_noun_that_is_not_there_is_refused(viewer: User) -> None:
    answer = ask(viewer, noun="pod")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "noun" and answer.json()["hint"] == "Send cluster, group, feature, job, endpoint."


def test_the_page_shows_every_rule_with_its_source(viewer: User) -> None:
    client = Client()
    client.force_login(viewer)
    shown = client.get(reverse("clusters-web:rules")).content.decode()
    for rule in RULES:
        assert f'id="{rule.code}"' in shown
    assert "AWS documentation, elastic training: not with Spot" in shown
