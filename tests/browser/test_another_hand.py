"""What another hand made or changed, in the browser: imported under a name of its own, and accepted as drift."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import another_hand
from tests.browser.conftest import READY_SECONDS, Product, serious

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(600), pytest.mark.xdist_group("browser")]


def ended_well(page: Page) -> None:
    expect(page.locator("#operation .state").first).to_have_text("Succeeded", timeout=READY_SECONDS * 1000)


def test_a_cluster_that_another_hand_made_is_found_and_imported_under_a_name_of_its_own(signed_in: Page, product: Product) -> None:
    page = signed_in
    another_hand.make_eks_cluster(product, "theirs")
    page.goto("/import/")
    expect(page.get_by_role("heading", name="Not searched yet")).to_be_visible()
    page.get_by_label("Regions").select_option(another_hand.REGION)
    page.get_by_role("button", name="Search").click()
    row = page.locator("#found tbody tr").filter(has_text="theirs")
    expect(row).to_contain_text("none")  # no HyperPod cluster
    chosen, name = row.get_by_label("Choose theirs of"), row.get_by_label("Name here of theirs of")
    page.set_viewport_size({"width": 390, "height": 844})
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    chosen.check()
    name.fill("Not a name")
    page.get_by_role("button", name="Import what is chosen").click()
    expect(row.locator(".invalid-feedback")).to_be_visible()
    assert chosen.is_checked()
    name.fill("research")
    page.get_by_role("button", name="Import what is chosen").click()
    page.get_by_role("button", name="Observe them from now on").click()
    ended_well(page)
    page.goto("/clusters/research/")
    expect(page.locator("#cluster")).to_contain_text(another_hand.REGION)
    tags = another_hand.client(product, "eks", another_hand.REGION).describe_cluster(name="theirs")["cluster"]["tags"]
    assert tags == {"team": "research"}, "importing writes nothing"


def test_what_another_hand_changed_is_shown_with_its_name_and_accepted(signed_in: Page, product: Product, demo: str) -> None:
    page = signed_in
    another_hand.client(product, "sagemaker").update_cluster(ClusterName=demo, NodeRecovery="None")
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("link", name="Drift").click()
    expect(page.locator("main")).to_contain_text("Not known: nothing was compared yet.")
    page.get_by_role("button", name="Look now").click()
    ended_well(page)
    page.goto(f"/clusters/{demo}/drift/")
    row = page.locator("section[aria-labelledby='drift-open']").get_by_role("row").filter(has_text="node_recovery")
    expect(row).to_contain_text("Automatic → None")
    row.get_by_role("link", name="Accept").click()
    expect(page.get_by_role("heading", name=f"Accept: node_recovery of cluster in {demo}", exact=True)).to_be_visible()
    page.get_by_role("button", name="Accept it: it is meant as it is now").click()
    past = page.locator("section[aria-labelledby='drift-past']").get_by_role("row").filter(has_text="node_recovery")
    expect(past.locator("[data-state='accepted']")).to_be_visible()
    expect(past).to_contain_text(product.username)
    assert row.count() == 0
    said = another_hand.client(product, "sagemaker").describe_cluster(ClusterName=demo)
    assert said["NodeRecovery"] == "None", "accepting changes nothing in AWS"
    another_hand.client(product, "sagemaker").update_cluster(ClusterName=demo, NodeRecovery="Automatic")
