"""Headless Chromium of Debian against the whole product: sandbox, web server, dispatcher and workers, as `manage.py up` runs them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, Response, expect, sync_playwright

from instantstart.up.api import Api
from instantstart.up.preflight import claim, free_port
from instantstart.up.stack import Choices, Stack

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
READY_SECONDS = 240
PATIENCE = 30_000
"""Milliseconds that any one thing may take to show on a machine that is busy with something else; nothing waits longer than it must."""
expect.set_options(timeout=PATIENCE)
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

    def wait_for(self, name: str, state: str, seconds: float = READY_SECONDS) -> dict[str, Any]:
        """The cluster once it is in that state, which the API tells. A cluster that has failed is not waited for."""
        deadline = time.monotonic() + seconds
        while True:
            answer = self.api.call("GET", f"/clusters/{name}/")
            found: dict[str, Any] = answer.body
            now = found["state"] if answer.status == 200 else f"HTTP {answer.status}"
            if now == state:
                return found
            assert now != "failed" and time.monotonic() < deadline, f"{name} did not become {state} but is {now}: {self._why(found)}"
            self.look()
            time.sleep(0.3)

    def _why(self, cluster: dict[str, Any]) -> list[Any]:
        """What is seen of the cluster, and what its operation says."""
        operation = self.api.call("GET", f"/operations/{cluster.get('operation_id')}/").body
        return [cluster.get("message"), operation.get("error_message"), operation.get("waiting_for")]

    def wait_until_gone(self, name: str, seconds: float = READY_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while self.api.call("GET", f"/clusters/{name}/").status != 404:
            assert time.monotonic() < deadline, f"{name} was not deleted within {seconds:.0f} s"
            self.look()
            time.sleep(0.3)

    def look(self) -> None:
        """Fails when a process has ended: whatever is waited for would not come."""
        ended = [part for part in self.stack.supervisor.parts if not part.running]
        assert not ended, "\n".join(f"{part.name} has ended; the end of {part.log}:\n{part.last_lines()}" for part in ended)

    def create(self, name: str) -> str:
        """Asks for a cluster of that name with every default. Returns the operation's id."""
        answer = self.api.call("POST", "/clusters/", {"name": name}, **{"Idempotency-Key": f"browser-{name}"})
        assert answer.status == 202, [answer.body.get(part) for part in ("detail", "errors", "request_id")]
        return str(answer.body["id"])

    def strike(self, **fault: Any) -> str:
        """Let the sandbox fail so, whoever calls: a test that strikes asks for `demo` too, lest its creation is struck. Returns its id."""
        reply = self.stack.http.request("POST", f"{self.stack.endpoint}/_sandbox/faults", json=fault)
        assert reply.status == 200, reply.data
        return str(reply.json()["id"])

    def mend(self, fault_id: str) -> None:
        self.stack.http.request("DELETE", f"{self.stack.endpoint}/_sandbox/faults/{fault_id}")


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("product")
    lock = claim(folder)
    stack = Stack(Choices(free_port(0, ""), free_port(0, ""), folder, 240.0))
    try:
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        account = json.loads(stack.manage("ensure_admin", "--json"))
        stack.start_product()
        running = Product(stack, Api(stack.http, stack.url, account["token"]), account["username"], account["password"])
        running.create("demo")  # gets ready while the first tests run
        yield running
    finally:
        stack.stop()
        lock.close()


@pytest.fixture(scope="package")
def demo(product: Product) -> str:
    """The name of a ready cluster, which tests leave as it is. Waited for once: what fails here fails at once for all who ask for it."""
    product.wait_for("demo", "ready")
    return "demo"


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
    yield browser
    browser.close()


@pytest.fixture
def context(browser: Browser, product: Product) -> Iterator[BrowserContext]:
    product.look()
    context = browser.new_context(base_url=product.url, viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
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
    policies: list[tuple[str, str]] = []
    page.on("response", lambda response: policies.append(_policy(response)) if _ours(response) else None)
    yield page
    assert wrong == []
    assert policies, "no page was looked at"
    for url, policy in policies:
        assert "script-src 'self'" in policy and "style-src 'self'" in policy and "unsafe" not in policy, f"{url}: {policy or 'no policy'}"


def _ours(response: Response) -> bool:
    """Whether it is an answer of the product's views: pages, fragments and API, not static files."""
    return "/static/" not in response.url and response.url.startswith("http://127.0.0.1") and response.status < 400


def _policy(response: Response) -> tuple[str, str]:
    return response.url, response.headers.get("content-security-policy", "")


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


def tab_to(page: Page, target: Locator, most: int = 80) -> None:
    """Reach an element as a keyboard does."""
    for _ in range(most):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} is not reached by {most} presses of Tab")
