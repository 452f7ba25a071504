"""Instance groups and nodes in the browser: added by keyboard, refused where HyperPod never changes, found on their page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import READY_SECONDS, Product, serious, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(600), pytest.mark.xdist_group("browser")]


def ended_well(page: Page) -> None:
    expect(page.locator("#operation .state").first).to_have_text("Succeeded", timeout=READY_SECONDS * 1000)


def test_a_spot_group_is_added_by_keyboard_alone_and_what_is_fixed_leads_to_a_group_to_add_instead(
    signed_in: Page, product: Product, demo: str
) -> None:
    page = signed_in
    page.goto(f"/clusters/{demo}/")
    tab_to(page, page.get_by_role("link", name="Add a group"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/groups/new/")
    tab_to(page, page.get_by_label("Group name"))
    page.keyboard.type("spot")
    tab_to(page, page.get_by_label("Capacity"))
    page.keyboard.type("Spot")
    tab_to(page, page.get_by_role("button", name="Show the plan"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=f"Add the group spot to {demo}", exact=True)).to_be_visible()
    expect(page.locator("main")).to_contain_text("Spot instances are taken back with about two minutes' notice")
    assert product.api.call("GET", f"/clusters/{demo}/groups/spot/").status == 404, "a plan makes nothing"
    tab_to(page, page.get_by_role("button", name="Add the group"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/operations/**")
    ended_well(page)
    page.goto(f"/clusters/{demo}/")
    group = page.locator("section[aria-labelledby='groups-title']").get_by_role("row", name="spot")
    expect(group).to_contain_text("1 of 1")
    assert product.api.call("GET", f"/clusters/{demo}/groups/spot/").body["capacity"] == "spot"

    group.get_by_role("link", name="Change").click()
    page.get_by_label("Capacity").select_option("on-demand")
    page.get_by_role("button", name="Show the plan").click()
    check = page.locator("[data-check='group_field_fixed']")
    expect(check).to_contain_text("HyperPod can't change the capacity mode of spot (spot) after its creation.")
    assert page.get_by_role("button", name="Change it").count() == 0
    page.get_by_role("link", name="Plan the group to add instead").click()
    expect(page.get_by_role("heading", name=f"Add the group spot-2 to {demo}, like spot", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Add the group")).to_be_enabled()
    assert serious(page) == []
    page.get_by_role("link", name="delete it").click()
    page.get_by_label("Type spot to confirm").fill("spot")
    page.get_by_role("button", name="Delete it, with its nodes").click()
    ended_well(page)


def test_nodes_are_found_on_a_page_of_their_own(signed_in: Page, product: Product, demo: str) -> None:
    page = signed_in
    key = product.api.call("GET", f"/clusters/{demo}/nodes/").body["results"][0]["instance_id"]
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("link", name="Find a node").click()
    page.get_by_label("Instance or name").fill(key[-6:])
    page.keyboard.press("Enter")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    page.get_by_label("Which").select_option("unwell")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="No node matches")).to_be_visible()
    page.get_by_role("link", name="Show all nodes").click()
    page.get_by_role("link", name=key).click()
    expect(page.get_by_role("heading", name=key)).to_be_visible()


def test_an_eks_node_group_is_made_scaled_and_deleted_after_its_name_was_typed(signed_in: Page, product: Product, demo: str) -> None:
    page = signed_in
    path = f"/clusters/{demo}/node-groups/cpu/"
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("link", name="Create a node group").click()
    page.get_by_label("Name", exact=True).fill("cpu")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("heading", level=1, name=f"Create the EKS node group cpu in {demo}")).to_be_visible()
    assert product.api.call("GET", path).status == 404, "a plan makes nothing"
    page.get_by_role("button", name="Create the node group").click()
    page.wait_for_url("**/operations/**")
    ended_well(page)
    page.goto(f"/clusters/{demo}/")
    group = page.locator("section[aria-labelledby='node-groups-title']").get_by_role("row", name="cpu")
    expect(group).to_contain_text("1 ready of 1")
    assert serious(page) == []
    group.get_by_role("link", name="Scale").click()
    page.get_by_label("Nodes it is to have").fill("2")
    page.get_by_role("button", name="Show the plan").click()
    page.get_by_role("button", name="Scale it to 2").click()
    page.wait_for_url("**/operations/**")
    ended_well(page)
    assert product.api.call("GET", path).body["desired"] == 2
    page.goto(f"/clusters/{demo}/node-groups/cpu/delete/")
    delete = page.get_by_role("button", name="Delete it, with its nodes")
    expect(delete).to_be_disabled()
    page.get_by_label("Type cpu to confirm").fill("cpu")
    delete.click()
    page.wait_for_url("**/operations/**")
    ended_well(page)
