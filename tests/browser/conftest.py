"""Headless Chromium of Debian against the whole product: sandbox, web server, dispatcher and workers, as `manage.py up` runs them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from instantstart.up.api import Api
from instantstart.up.preflight import claim, free_port
from instantstart.up.stack import Choices, Stack

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Product:
    """The running product and its admin."""

    stack: Stack
    api: Api
    username: str
    password: str

    @property
    def url(self) -> str:
        return self.stack.url


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("product")
    lock = claim(folder)
    stack = Stack(Choices(free_port(0, ""), free_port(0, ""), folder, 240.0))
    try:
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        account = json.loads(stack.manage("ensure_admin", "--json"))
        stack.start_product()
        yield Product(stack, Api(stack.http, stack.url, account["token"]), account["username"], account["password"])
    finally:
        stack.stop()
        lock.close()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
    yield browser
    browser.close()


@pytest.fixture
def context(browser: Browser, product: Product) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page that fails its test on a script error, a refused resource or a Content-Security-Policy violation."""
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    page.on(
        "console",
        lambda message: (
            wrong.append(f"console: {message.text}")
            if message.type == "error" and "the server responded with a status of" not in message.text
            else None
        ),
    )
    policies: list[str] = []
    page.on(
        "response",
        lambda response: (
            policies.append(response.headers.get("content-security-policy", "")) if response.request.is_navigation_request() else None
        ),
    )
    yield page
    assert wrong == []
    for policy in policies:
        assert "script-src 'self'" in policy and "style-src 'self'" in policy and "unsafe" not in policy, policy


@pytest.fixture
def signed_in(page: Page, product: Product) -> Page:
    sign_in(page, product)
    return page


def sign_in(page: Page, product: Product) -> None:
    page.goto("/sign-in/")
    page.get_by_label("User name").fill(product.username)
    page.get_by_label("Password").fill(product.password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")


def serious(page: Page) -> list[dict[str, Any]]:
    """axe's serious and critical findings on the page."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        {"id": row["id"], "nodes": [node["html"] for node in row["nodes"]]} for row in found if row["impact"] in ("serious", "critical")
    ]
