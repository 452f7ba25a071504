"""A cluster's life in the pages: created, watched, failing, tried again, cancelled, deleted."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import READY_SECONDS, Product, tab_to

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(600), pytest.mark.xdist_group("browser")]


def test_a_cluster_is_created_by_keyboard_alone_watched_and_deleted(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/")
    tab_to(page, page.get_by_role("link", name=re.compile("New cluster|Create the first cluster")).first)
    page.keyboard.press("Enter")
    page.wait_for_url("**/new-cluster/")
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
    expect(page.locator("#cluster .state").first).to_have_text("Ready")
    expect(page.get_by_role("cell", name="Ready", exact=True)).to_have_count(2)
    assert page.locator("#resources").get_attribute("open") is not None

    tab_to(page, page.get_by_role("link", name="Delete", exact=True))
    page.keyboard.press("Enter")
    page.wait_for_url("**/clusters/web-made/delete/")
    confirm = page.get_by_role("button", name="Delete it, and everything in it")
    expect(confirm).to_be_disabled()
    tab_to(page, page.get_by_label("Type web-made to confirm"))
    page.keyboard.type("web-mad")
    expect(confirm).to_be_disabled()
    page.keyboard.type("e")
    expect(confirm).to_be_enabled()
    tab_to(page, confirm)
    page.keyboard.press("Enter")
    page.wait_for_url("**/operations/**")
    product.wait_until_gone("web-made")
    expect(page.locator("#operation .state").first).to_have_text("Succeeded")


def test_a_right_that_is_missing_is_found_by_the_plan_which_then_can_not_be_confirmed(signed_in: Page, product: Product, demo: str) -> None:
    page = signed_in  # demo is ready: faults strike whoever calls, and must not strike its creation
    fault = product.strike(kind="access_denied", service="cloudformation", operation="CreateStack", count=None)
    try:
        page.goto("/new-cluster/")
        page.locator("#id_name").fill("not-allowed")
        page.get_by_role("button", name="Show the plan").last.click()
        expect(page.get_by_role("alert")).to_contain_text("1 check failed.")
        check = page.locator("[data-check]").first
        expect(check).to_contain_text("may not cloudformation:CreateStack")
        expect(check).to_contain_text("Allow cloudformation:CreateStack")
        assert page.get_by_role("button", name="Create the cluster").count() == 0
    finally:
        product.mend(fault)
    assert product.api.call("GET", "/clusters/not-allowed/").status == 404


def test_a_failed_phase_says_why_is_retried_by_keyboard_and_cancelled_from_the_page(signed_in: Page, product: Product, demo: str) -> None:
    page = signed_in
    # Not foreseen by the plan, which asks IAM: it does not know of the conditions in a guardrail of the organisation.
    refusal = "User: arn:aws:iam::123456789012:user/sandbox is not authorized to perform: cloudformation:CreateStack with an explicit deny"
    fault = product.strike(kind="error:AccessDenied", service="cloudformation", operation="CreateStack", count=None, message=refusal)
    try:
        product.create("denied")
        page.goto("/clusters/denied/")
        phase = page.locator("[data-phase='control_plane']")
        expect(phase).to_have_attribute("data-state", "failed")
        expect(page.get_by_role("status").filter(has_text="Failed")).to_contain_text("cloudformation:CreateStack")
    finally:
        product.mend(fault)
    # Now the way is free as far as HyperPod, where it stays until it is cancelled.
    fault = product.strike(kind="throttle", service="sagemaker", operation="CreateCluster", count=None)
    tab_to(page, page.get_by_role("link", name="Retry Control plane"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Retry Control plane of denied", exact=True)).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Retry, and go on with what follows"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/clusters/denied/")
    expect(phase).to_have_attribute("data-state", re.compile("^(running|ready)$"))
    expect(page.locator("[data-phase='select'][data-state='ready']")).to_be_visible(timeout=READY_SECONDS * 1000)

    page.get_by_role("button", name="Cancel").click()
    page.wait_for_url("**/operations/**")
    expect(page.get_by_text("Cancelling: what is under way may end")).to_be_visible()
    expect(page.locator("#operation .state").first).to_have_text("Cancelled", timeout=READY_SECONDS * 1000)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    product.mend(fault)


def test_a_protected_cluster_says_so_and_its_deletion_names_what_blocks_it(signed_in: Page, demo: str) -> None:
    page = signed_in
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("button", name="Protect").click()
    expect(page.get_by_text("demo is protected against deletion.")).to_be_visible()
    page.get_by_role("link", name="Delete", exact=True).click()
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
    assert page.locator("#bell [data-unread].bell-count").count() == 1
    told.get_by_role("button", name="Dismiss").click()
    expect(told).to_have_attribute("data-unread", "no")
    page.get_by_role("button", name="Dismiss all").click()
    expect(page.locator("#bell .bell-count")).to_have_count(0)
