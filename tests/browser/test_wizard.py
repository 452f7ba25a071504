"""The wizard keeps what was typed, whatever happens in between."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Product, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(600), pytest.mark.xdist_group("browser")]


def test_refused_input_is_explained_beside_the_field_and_the_rest_is_kept(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/new-cluster/")
    page.locator("#id_name").fill("Not A Name")
    page.locator("#id_group_count").fill("3")
    tab_to(page, page.locator("summary", has_text="Network, storage and the rest"))
    page.keyboard.press("Enter")
    page.locator("#id_network_vpc_cidr").fill("10.1.2.3/16")
    page.locator("#id_tags").fill("team=vision")
    page.get_by_role("button", name="Show the plan").last.click()
    expect(page.locator("#id_name_error")).to_be_visible()
    expect(page.locator("#id_network_vpc_cidr_error")).to_contain_text("host bits set")
    assert page.locator("[id$='_error']").count() == 2
    assert page.locator("#id_name").input_value() == "Not A Name"
    assert page.locator("#id_group_count").input_value() == "3"
    assert page.locator("#id_tags").input_value() == "team=vision"


def test_another_region_brings_its_zones_and_keeps_what_was_typed(signed_in: Page) -> None:
    page = signed_in
    page.goto("/new-cluster/")
    page.locator("#id_name").fill("elsewhere")
    page.get_by_label("Stress every instance").check()
    page.get_by_label("Test the network between instances").check()
    page.locator("#id_region").select_option("us-east-1")
    expect(page.locator("#id_zone option", has_text="us-east-1a")).to_have_count(1)
    assert page.locator("#id_zone option", has_text="us-west-2a").count() == 0
    assert page.locator("#id_region").input_value() == "us-east-1"
    assert page.locator("#id_name").input_value() == "elsewhere"
    assert page.locator("input[name=deep_health_checks]:checked").count() == 2


def test_the_way_back_from_the_plan_keeps_all_that_was_typed(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/new-cluster/")
    page.locator("#id_name").fill("second-thought")
    page.locator("#id_group_count").fill("4")
    page.locator("#id_group_threads_per_core").select_option("2")
    page.get_by_text("Network, storage and the rest").click()
    page.get_by_label("Deletion protection").check()
    page.locator("#id_tags").fill("team=vision\ncost=42")
    page.get_by_role("button", name="Show the plan").last.click()
    page.get_by_role("button", name="Back to the form").click()
    assert page.locator("#id_name").input_value() == "second-thought"
    assert page.locator("#id_group_count").input_value() == "4"
    assert page.locator("#id_group_threads_per_core").input_value() == "2"
    assert page.locator("#id_tags").input_value() == "team=vision\ncost=42"
    assert page.locator("#id_deletion_protection").is_checked()
    assert product.api.call("GET", "/clusters/second-thought/").status == 404


def test_training_plans_of_the_account_are_offered_while_that_capacity_is_chosen(signed_in: Page) -> None:
    page = signed_in
    page.goto("/new-cluster/")
    plans = page.locator("#id_group_training_plan_arn")
    expect(plans).to_be_hidden()
    page.locator("#id_group_capacity").select_option("training-plan")
    expect(plans).to_be_visible()
    assert plans.locator("option[value*=':training-plan/']").count() >= 1
    page.locator("#id_name").fill("planned")
    page.get_by_role("button", name="Show the plan").last.click()
    expect(page.locator("#id_group_training_plan_arn_error")).to_contain_text("a training plan ARN goes with capacity training-plan")
