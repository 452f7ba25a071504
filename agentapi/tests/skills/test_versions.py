"""A changed text has a higher version."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentapi.skills.skill import parse
from agentapi.skills.versions import committed, entry, findings, write
from agentapi.tests.skills.examples import TEXT

SKILL = parse(TEXT)


def changed(version: int) -> str:
    return TEXT.replace("Words for", "Other words for").replace("version: 3", f"version: {version}")


def test_an_unchanged_skill_has_no_finding() -> None:
    assert findings([SKILL], {SKILL.name: entry(SKILL)}) == []


def test_a_text_that_changed_under_its_version_is_found_and_is_not_taken_as_committed(tmp_path: Path) -> None:
    file = tmp_path / "versions.json"
    write([SKILL], file)
    before = file.read_text()
    assert findings([parse(changed(3))], committed(file)) == [
        "make-a-thing has changed since version 3: raise its version, then run `make snapshots`."
    ]
    with pytest.raises(ValueError, match="Raise the version of make-a-thing first"):
        write([parse(changed(3))], file)
    assert file.read_text() == before


def test_a_raised_version_is_taken_when_the_snapshot_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "versions.json"
    write([SKILL], file)
    raised = parse(changed(4))
    assert findings([raised], committed(file)) == [
        "make-a-thing is version 4, which skills/versions.json does not know: run `make snapshots`."
    ]
    write([raised], file)
    assert findings([raised], committed(file)) == []


def test_a_new_and_a_removed_skill_are_found() -> None:
    assert findings([SKILL], {}) == ["make-a-thing is not in skills/versions.json: run `make snapshots`."]
    assert findings([], {"gone": {"version": 1, "digest": ""}}) == [
        "skills/versions.json names gone, which there is not: run `make snapshots`."
    ]
