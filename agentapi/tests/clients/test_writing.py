"""Files of a client are written, updated, and keep what their user has changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentapi.clients.document import Document
from agentapi.clients.merging import ABSENT, merge
from agentapi.clients.writing import MEMORY, UnreadableError, Written, write


def put(folder: Path, *documents: Document, secret: str = "") -> list[Written]:
    return list(write(folder, documents, secret))


def test_documents_are_written_once_and_then_left_alone(tmp_path: Path) -> None:
    documents = [Document("a/b.json", {"k": 1}), Document("c.md", "text\n")]
    assert put(tmp_path, *documents) == [Written("a/b.json", "written"), Written("c.md", "written")]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "a/b.json", tmp_path / "c.md")}
    assert put(tmp_path, *documents) == [Written("a/b.json", "unchanged"), Written("c.md", "unchanged")]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_new_version_of_ours_goes_in_where_the_user_changed_nothing(tmp_path: Path) -> None:
    put(tmp_path, Document("c.md", "one\n"), Document("x.json", {"k": [1]}))
    assert put(tmp_path, Document("c.md", "two\n"), Document("x.json", {"k": [2]})) == [
        Written("c.md", "updated"),
        Written("x.json", "updated"),
    ]
    assert (tmp_path / "c.md").read_text() == "two\n"
    assert json.loads((tmp_path / "x.json").read_text()) == {"k": [2]}


def test_a_text_that_the_user_changed_is_kept_and_ours_is_put_beside_it(tmp_path: Path) -> None:
    put(tmp_path, Document("c.md", "one\n"))
    (tmp_path / "c.md").write_text("mine\n")
    assert put(tmp_path, Document("c.md", "two\n")) == [Written("c.md", "kept")]
    assert (tmp_path / "c.md").read_text() == "mine\n"
    assert (tmp_path / "c.md.new").read_text() == "two\n"


def test_a_json_document_keeps_the_users_keys_values_and_list_items_and_takes_our_news(tmp_path: Path) -> None:
    put(tmp_path, Document("x.json", {"url": "one", "allowed": ["a", "b"], "gone": True, "kept": 1}))
    (tmp_path / "x.json").write_text(json.dumps({"url": "one", "allowed": ["a", "mine"], "gone": True, "kept": 7, "theirs": {"deep": 1}}))
    put(tmp_path, Document("x.json", {"url": "two", "allowed": ["a", "b", "c"], "kept": 2}))
    assert json.loads((tmp_path / "x.json").read_text()) == {"url": "two", "allowed": ["a", "c", "mine"], "kept": 7, "theirs": {"deep": 1}}


def test_a_file_that_was_there_before_us_keeps_all_that_it_says(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"other": {"url": "elsewhere"}}}))
    put(tmp_path, Document(".mcp.json", {"mcpServers": {"instantstart": {"url": "here"}}}))
    assert json.loads((tmp_path / ".mcp.json").read_text()) == {
        "mcpServers": {"other": {"url": "elsewhere"}, "instantstart": {"url": "here"}}
    }


def test_an_unreadable_json_file_stops_everything_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{ not json")
    with pytest.raises(UnreadableError, match=r"x\.json is no JSON .*Mend it or move it away"):
        put(tmp_path, Document("c.md", "one\n"), Document("x.json", {}))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.json"]


def test_a_document_that_is_no_longer_ours_goes_unless_the_user_changed_it(tmp_path: Path) -> None:
    put(tmp_path, Document("a.md", "a\n"), Document("b.md", "b\n"), Document("c.md", "c\n"))
    (tmp_path / "b.md").write_text("mine\n")
    assert put(tmp_path, Document("c.md", "c\n")) == [Written("c.md", "unchanged"), Written("a.md", "removed")]
    assert sorted(path.name for path in tmp_path.iterdir()) == [MEMORY, "b.md", "c.md"]


def test_a_secret_is_written_where_asked_kept_private_renewed_and_never_remembered(tmp_path: Path) -> None:
    put(tmp_path, Document("x.json", {"auth": "Bearer first-secret"}), Document("c.md", "c\n"), secret="first-secret")
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "c.md").stat().st_mode & 0o077 != 0
    assert "first-secret" not in (tmp_path / MEMORY).read_text()
    put(tmp_path, Document("x.json", {"auth": "Bearer second-secret"}), Document("c.md", "c\n"), secret="second-secret")
    assert json.loads((tmp_path / "x.json").read_text()) == {"auth": "Bearer second-secret"}


@pytest.mark.parametrize(
    ("base", "theirs", "ours", "merged"),
    [
        (1, 1, 2, 2),
        (1, 5, 2, 5),
        (ABSENT, ABSENT, 2, 2),
        (ABSENT, 5, 2, 5),
        (1, ABSENT, 1, ABSENT),
        (1, 1, ABSENT, ABSENT),
        (["a"], [], ["a", "b"], ["b"]),
    ],
)
def test_a_merge_lets_the_one_win_who_changed_something_and_the_user_where_both_did(
    base: object, theirs: object, ours: object, merged: object
) -> None:
    found = merge(base, theirs, ours)
    assert found == merged or found is merged
