"""The schema: committed, complete, and shown without anything from elsewhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client

from instantstart.api import snapshot
from instantstart.api.docs import schema
from instantstart.tests.authorization_matrix import ROWS

SNAPSHOT = Path(settings.BASE_DIR) / "docs" / "openapi.yaml"
REMAKE = "`manage.py spectacular --file docs/openapi.yaml`"


def test_the_schema_is_the_committed_one():
    current = json.loads(json.dumps(schema()))
    assert current == yaml.safe_load(SNAPSHOT.read_text()), f"the API has changed; look at what it means for clients, then {REMAKE}"


def test_make_check_shows_where_the_committed_one_differs(monkeypatch, capsys, tmp_path):
    (tmp_path / "openapi.yaml").write_text("openapi: 3.1.1\ninfo: old\n")
    monkeypatch.setattr(snapshot, "COMMITTED", tmp_path / "openapi.yaml")
    monkeypatch.setattr(snapshot, "generated", lambda: "openapi: 3.1.1\ninfo: new\n")
    assert snapshot.main() == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-3:] == [
        "-info: old",
        "+info: new",
        "docs/openapi.yaml is not what the code says: `.venv/bin/python manage.py spectacular --file docs/openapi.yaml` remakes it.",
    ]
    monkeypatch.setattr(snapshot, "generated", lambda: "openapi: 3.1.1\ninfo: old\n")
    assert snapshot.main() == 0
    assert capsys.readouterr().err == ""


def test_it_is_openapi_31():
    assert schema()["openapi"] == "3.1.1"


@pytest.mark.parametrize("row", [row for row in ROWS if row.route != "schema/"], ids=lambda row: f"{row.method} {row.route}")
def test_every_call_is_described_with_its_conventions(row):
    path = "/api/v1/" + re.sub(r"<\w+:(\w+)>", lambda found: f"{{{'id' if found[1] == 'pk' else found[1]}}}", row.route)
    call = schema()["paths"][path][row.method]
    assert call["description"]
    named = {(parameter["in"], parameter["name"]) for parameter in call["parameters"]}
    problems = {status for status, answer in call["responses"].items() if "application/problem+json" in answer.get("content", {})}
    assert {"400", "401", "403", "500"} <= problems
    if row.method == "get":
        assert ("header", "If-None-Match") in named and "304" in call["responses"]
    else:
        assert {("header", "Idempotency-Key"), ("query", "dry_run"), ("query", "plan_fingerprint")} <= named
        assert {"409", "415", "422"} <= problems
    if "{" in path:
        assert "404" in problems


def test_every_query_parameter_is_described_in_words_or_by_its_type():
    for path, calls in schema()["paths"].items():
        for method, call in calls.items():
            for parameter in call["parameters"]:
                assert parameter["schema"], f"{method} {path} {parameter['name']}"


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "link", "img"):
            self.links.append(given.get("src") or given.get("href") or "")
            if tag == "script" and not given.get("src"):
                self.inline.append(tag)
        self.inline += [name for name in given if name.startswith("on") or name == "style"] + ([tag] if tag == "style" else [])


def test_the_browsable_page_needs_nothing_from_elsewhere_and_no_inline_code(db):
    client = Client()
    page = client.get("/api/docs/")
    policy = page["Content-Security-Policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= set(policy)
    found = Links()
    found.feed(page.content.decode())
    assert found.inline == []
    static = [link for link in found.links if link.startswith("/static/")]
    assert all(finders.find(link.removeprefix("/static/")) for link in static) and len(static) == 6
    (script,) = set(found.links) - set(static)
    assert script.startswith("/api/docs/?script")
    source = client.get(script)
    assert source["Content-Type"].startswith("application/javascript")
    assert '"validatorUrl": null' in source.content.decode()
