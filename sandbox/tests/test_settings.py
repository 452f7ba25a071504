"""What a state folder remembers of its sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import settings
from sandbox.database import Database


def test_a_folder_of_another_format_is_refused_with_the_fix(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.sqlite3")
    settings.load(database, tmp_path, speed=600.0)
    database.set_setting("format", settings.FORMAT + 1)
    with pytest.raises(ValueError, match=r"was written by another version of the sandbox .* remove it"):
        settings.load(database, tmp_path)


def test_what_was_given_once_holds_for_later_starts(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.sqlite3")
    settings.load(database, tmp_path, speed=600.0)
    assert settings.load(database, tmp_path).speed == 600.0
