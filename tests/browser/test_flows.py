"""A cluster's life in the pages: created, watched, failing, tried again, cancelled, deleted."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import READY_SECONDS, Product, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.xdist_group("browser")]


def test_a_cluster_is_created_by_keyboard_alone_watched_and_deleted(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/")
    tab_to(page, page.get_by_role("link", name=re.compile("New cluster|Create the first cluster")).first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/clusters/new/")
    tab_to(page, page.locator("#id_name"))
    page.keyboard.type("web-made")
    tab_to(page, page.locator("#id_group_count"))
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Create the cluster web-made", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Checks")).to_be_visible()
    assert page.locator("td", has_text="AWS::EKS::Cluster").count() >= 1
    assert product.api.call("GET", "/clusters/web-made/").status == 404, "a plan makes nothing"

    tab_to(page, page.get_by_role("button", name="Create the cluster"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/clusters/web-made/")
    expect(page.locator("[data-phase]")).to_have_count(5)
    # What a person has opened stays open while the page renews itself.
    page.locator("#resources > summary").click()
    expect(page.locator("[data-phase='storage'][data-state='ready']")).to_be_visible(timeout=READY_SECONDS * 1000)
    expect(page.locator("#cluster .state").first).to_have_text("Ready", timeout=15_000)
    expect(page.get_by_role("cell", name="Ready", exact=True)).to_have_count(2)
    assert page.locator("#resources").get_attribute("open") is not None

    page.goto("/clusters/web-made/delete/")
    confirm = page.get_by_role("button", name="Delete it, and everything in it")
    expect(confirm).to_be_disabled()
    page.get_by_label("Type web-made to confirm").fill("web-mad")
    expect(confirm).to_be_disabled()
    page.get_by_label("Type web-made to confirm").fill("web-made")
    confirm.click()
    page.wait_for_url("**/operations/**")
    deadline = time.monotonic() + READY_SECONDS
    while product.api.call("GET", "/clusters/web-made/").status != 404:
        assert time.monotonic() < deadline, "the cluster was not deleted in time"
        time.sleep(0.3)
    expect(page.locator("#operation .state").first).to_have_text("Succeeded", timeout=15_000)


def test_a_failed_phase_says_why_is_retried_from_the_page_and_cancelled_from_the_page(signed_in: Page, product: Product) -> None:
    page = signed_in
    fault = product.strike(kind="access_denied", service="cloudformation", operation="CreateStack", count=None)
    try:
        product.create("denied")
        page.goto("/clusters/denied/")
        phase = page.locator("[data-phase='control_plane']")
        expect(phase).to_have_attribute("data-state", "failed", timeout=20_000)
        expect(page.get_by_role("status").filter(has_text="Failed")).to_contain_text("cloudformation:CreateStack")
    finally:
        product.mend(fault)
    page.get_by_role("link", name="Retry Control plane").click()
    expect(page.get_by_role("heading", name="Retry Control plane of denied", exact=True)).to_be_visible()
    page.get_by_role("button", name="Retry, and go on with what follows").click()
    page.wait_for_url("**/clusters/denied/")
    expect(phase).to_have_attribute("data-state", "running", timeout=10_000)

    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url("**/operations/**")
    expect(page.get_by_text("Cancelling: what is under way may end")).to_be_visible()
    expect(page.locator("#operation .state").first).to_have_text("Cancelled", timeout=40_000)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_a_protected_cluster_says_so_and_its_deletion_names_what_blocks_it(signed_in: Page, demo: str) -> None:
    page = signed_in
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("button", name="Protect").click()
    expect(page.get_by_text("demo is protected against deletion.")).to_be_visible()
    page.get_by_role("link", name="Delete").click()
    expect(page.locator("[data-check='deletion_protected']")).to_contain_text("Switch deletion protection off first.")
    assert page.get_by_role("button", name="Delete it, and everything in it").count() == 0
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("button", name="Lift protection").click()
    expect(page.get_by_text("demo is no longer protected.")).to_be_visible()


def test_the_cluster_page_gives_commands_and_json_as_aws_gives_it(signed_in: Page, demo: str) -> None:
    page = signed_in
    page.goto(f"/clusters/{demo}/")
    expect(page.locator("#commands")).to_contain_text("aws eks update-kubeconfig --region us-west-2 --name demo")
    page.get_by_role("link", name="JSON as AWS gives it").click()
    expect(page.locator("pre").filter(has_text='"ClusterStatus": "InService"')).to_have_count(1)


def test_the_end_of_an_operation_is_told_by_the_bell_until_it_is_dismissed(signed_in: Page, demo: str) -> None:
    page = signed_in
    page.goto("/notifications/")
    told = page.get_by_role("listitem").filter(has_text="Create a cluster (demo): succeeded")
    expect(told).to_have_attribute("data-unread", "yes")
    assert page.locator("[data-unread].bell-count").count() == 1
    told.get_by_role("button", name="Dismiss").click()
    expect(told).to_have_attribute("data-unread", "no")
    page.get_by_role("button", name="Dismiss all").click()
    expect(page.locator(".bell-count")).to_have_count(0)
