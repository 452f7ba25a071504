"""Managed features in the browser: turned on by the form and its plan, watched, turned off again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import READY_SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(600), pytest.mark.xdist_group("browser")]


def card(page: Page, feature: str) -> Locator:
    return page.locator(f"[data-feature='{feature}']")


def test_checkpointing_is_turned_on_by_the_fields_that_differ_and_off_again(signed_in: Page, demo: str) -> None:
    page = signed_in
    page.goto(f"/clusters/{demo}/")
    page.get_by_role("link", name="Features").click()
    checkpointing = card(page, "tiered_checkpointing")
    expect(checkpointing.locator(".card-header .state")).to_have_text("Absent")
    checkpointing.get_by_role("link", name="Turn on").click()
    page.get_by_label("Memory percent").fill("10")
    page.get_by_role("button", name="Show the plan").click()
    assert page.get_by_label("Memory percent").evaluate("field => field.validity.rangeUnderflow")
    page.get_by_label("Memory percent").fill("40")
    page.get_by_role("button", name="Show the plan").click()
    expect(page.locator("main")).to_contain_text("40")
    page.get_by_role("button", name="Turn it on").click()
    expect(page.locator("#operation .state").first).to_have_text("Succeeded", timeout=READY_SECONDS * 1000)
    page.goto(f"/clusters/{demo}/features/")
    expect(checkpointing.locator(".card-header .state")).to_have_text("Active", timeout=READY_SECONDS * 1000)
    expect(checkpointing.locator("dl")).to_contain_text("40")
    checkpointing.get_by_role("link", name="Turn off").click()
    page.get_by_role("button", name="Turn it off").click()
    expect(page.locator("#operation .state").first).to_have_text("Succeeded", timeout=READY_SECONDS * 1000)
    page.goto(f"/clusters/{demo}/features/")
    expect(checkpointing.locator(".card-header .state")).to_have_text("Absent", timeout=READY_SECONDS * 1000)
