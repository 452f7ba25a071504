"""Who may look into the state folder."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from instantstart import private_folder
from instantstart.secret_key import kept_secret_key


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_a_new_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    private_folder.ensure(tmp_path / "new" / "state")
    assert mode(tmp_path / "new" / "state") == 0o700
    kept_secret_key(tmp_path / "other")
    assert mode(tmp_path / "other") == 0o700


@pytest.mark.parametrize("mark", private_folder.MARKS)
def test_one_of_ours_that_was_left_open_is_closed(tmp_path: Path, mark: str) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    (folder / mark).touch()
    private_folder.ensure(folder)
    assert mode(folder) == 0o700


def test_a_folder_of_somebody_else_s_things_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "things"
    folder.mkdir(mode=0o755)
    (folder / "letter").touch()
    private_folder.ensure(folder)
    assert mode(folder) == 0o755


def test_a_shared_folder_keeps_its_mode_even_with_our_files_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / "secret_key").touch()
    private_folder.ensure(folder)
    assert mode(folder) == 0o1777
