"""What the pages' tags make of codes and sentences."""

from __future__ import annotations

import pytest

from instantstart.web import tags


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("cluster.create", "Create a cluster"),
        ("session.sign_in", "Sign in"),
        ("operation.approve", "Approve an operation"),
        ("POST /api/v1/clusters/", ""),
    ],
)
def test_an_entry_of_the_trail_is_said_in_words(code: str, words: str) -> None:
    assert tags.deed(code) == words


@pytest.mark.parametrize(("channel", "door"), [("web", "Web"), ("mcp", "MCP"), ("", "–"), ("cellar", "–")])
def test_a_door_is_said_in_words(channel: str, door: str) -> None:
    assert tags.door(channel) == door


def test_commands_in_a_sentence_are_set_as_code_and_all_else_is_escaped() -> None:
    assert tags.said("Run `manage.py doctor` & <see>.") == "Run <code>manage.py doctor</code> &amp; &lt;see&gt;."
    assert tags.said("`<b>`") == "<code>&lt;b&gt;</code>"


@pytest.mark.parametrize(("seconds", "words"), [(0.81, "0.8 s"), (5, "5 s"), (0.5, "0.5 s"), (9.96, "10 s")])
def test_a_short_interval_has_one_decimal(seconds: float, words: str) -> None:
    assert tags.interval(seconds) == words
