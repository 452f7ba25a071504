"""What a person does in the pages, from signing in to deleting a cluster."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Product, serious, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.xdist_group("browser")]

PAGES = ["/", "/clusters/new/", "/operations/", "/connection/", "/account/tokens/", "/account/password/", "/users/", "/audit/"]
READY_SECONDS = 120


def wait_for_state(product: Product, name: str, state: str, seconds: float = READY_SECONDS) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = product.api.call("GET", f"/clusters/{name}/")
        if answer.status == 200 and answer.body["state"] == state:
            found: dict[str, Any] = answer.body
            return found
        time.sleep(0.5)
    raise AssertionError(f"{name} did not become {state}: {answer.body}")


def test_a_wrong_password_is_refused_without_saying_what_was_wrong(page: Page, product: Product) -> None:
    page.goto("/sign-in/")
    page.get_by_label("User name").fill(product.username)
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("User name or password is wrong.")


def test_a_cluster_is_created_watched_and_deleted_from_the_pages(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/")
    page.get_by_role("link", name=re.compile("New cluster|Create the first cluster")).first.click()
    page.get_by_label("Name", exact=False).first.fill("web-made")
    page.get_by_label("Instances").fill("2")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.get_by_role("heading", name="Create the cluster web-made")).to_be_visible()
    expect(page.get_by_role("heading", name="Checks")).to_be_visible()
    assert page.locator("td", has_text="AWS::EKS::Cluster").count() >= 1
    assert product.api.call("GET", "/clusters/web-made/").status == 404, "a plan makes nothing"

    page.get_by_role("button", name="Create the cluster").click()
    page.wait_for_url("**/clusters/web-made/")
    expect(page.locator("[data-phase]")).to_have_count(5)
    expect(page.locator("[data-phase='storage'][data-state='ready']")).to_be_visible(timeout=READY_SECONDS * 1000)
    wait_for_state(product, "web-made", "ready")
    expect(page.locator("#cluster .state").first).to_have_text("Ready", timeout=15_000)
    assert serious(page) == []

    page.get_by_role("link", name="Create").first.click()
    expect(page.get_by_role("heading", name="Steps")).to_be_visible()
    assert serious(page) == []

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
        time.sleep(0.5)
    expect(page.locator(".state").first).to_have_text("Succeeded", timeout=15_000)


def test_a_change_made_elsewhere_is_on_the_page_within_two_seconds_without_polling(signed_in: Page, product: Product) -> None:
    """No Redis, polling switched off, the change made by another process."""
    page = signed_in
    page.add_init_script("document.addEventListener('DOMContentLoaded', () => { document.body.dataset.livePolling = 'off'; });")
    page.goto("/operations/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-live", "live")
    answer = product.api.call("POST", "/clusters/", {"name": "live-seen"}, **{"Idempotency-Key": "live-seen"})
    assert answer.status == 202, answer.body
    began = time.monotonic()
    expect(page.locator("tr", has_text="live-seen").first).to_be_visible(timeout=2_000)
    assert time.monotonic() - began < 2
    product.api.call("POST", f"/operations/{answer.body['id']}/cancel/", {})


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_have_no_serious_accessibility_findings_and_fit_the_screen(
    browser: Browser, product: Product, theme: str, width: int
) -> None:
    context = browser.new_context(base_url=product.url, viewport={"width": width, "height": 844}, color_scheme=theme)
    page = context.new_page()
    sign_in(page, product)
    for path in PAGES:
        page.goto(path)
        assert page.evaluate("document.documentElement.getAttribute('data-bs-theme')") == theme
        assert serious(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), f"{path} is wider than the screen"
    context.close()


def test_a_token_is_shown_once_and_revoked_by_keyboard_alone(signed_in: Page, product: Product) -> None:
    page = signed_in
    page.goto("/account/tokens/")
    page.get_by_label("Name").focus()
    page.keyboard.type("by keyboard")
    page.keyboard.press("Enter")
    secret = page.locator("#new-token").inner_text()
    assert len(secret) > 20
    page.goto("/account/tokens/")
    assert page.locator("#new-token").count() == 0
    revoke = page.get_by_role("button", name="Revoke by keyboard")
    revoke.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The token by keyboard is revoked")).to_be_visible()


def test_somebody_who_is_not_signed_in_is_led_to_the_sign_in_and_back(page: Page, product: Product) -> None:
    page.goto("/operations/")
    expect(page).to_have_url(re.compile(r"/sign-in/\?next=/operations/"))
    page.get_by_label("User name").fill(product.username)
    page.get_by_label("Password").fill(product.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(r"/operations/$"))
