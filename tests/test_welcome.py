"""What `make up` tells and shows: the sign-in once, commands that can be pasted, lines that fit."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from instantstart import command_line
from instantstart.bootstrap import report
from instantstart.bootstrap.layout import ROOT
from instantstart.up.screen import Screen, shortened
from instantstart.up.welcome import Account, look_around, sign_in

URL = "http://127.0.0.1:3099"
NEW = Account("admin", "a-password", "is_secret", "make up 1")
OLD = Account("admin", None, "is_secret", "make up 2")


def test_a_new_admin_s_password_is_told_and_is_in_the_json_document() -> None:
    assert sign_in(URL, NEW, ROOT / "var") == f"\n  Open      {URL}\n  User      admin\n  Password  a-password\n"
    assert NEW.shown() == {"admin": {"username": "admin", "password": "a-password"}}


def test_of_an_older_admin_the_way_to_another_password_is_told() -> None:
    assert sign_in(URL, OLD, Path("/srv/a b")).splitlines()[-2:] == [
        "  Password  was shown when it was made. Lost? This sets another:",
        "            INSTANTSTART_STATE_DIR='/srv/a b' .venv/bin/python manage.py changepassword admin",
    ]
    assert OLD.shown() == {}


def test_the_usual_state_folder_is_not_named() -> None:
    assert sign_in(URL, OLD, ROOT / "var").splitlines()[-1] == "            .venv/bin/python manage.py changepassword admin"
    assert next(look_around(ROOT / "var", usual=True)) == 'eval "$(.venv/bin/python manage.py sandbox env)"'
    assert next(look_around(Path("/srv/two"), usual=False)) == 'eval "$(.venv/bin/python manage.py sandbox env --state-dir /srv/two)"'


def test_where_there_is_no_virtualenv_the_python_of_the_path_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_line, "ROOT", tmp_path)
    assert command_line.manage("doctor") == "python manage.py doctor"


def exported(folder: Path) -> dict[str, str]:
    """What `sandbox env --state-dir folder` exports."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SANDBOX", "AWS"))}
    command = [sys.executable, "manage.py", "sandbox", "env", "--state-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=True, timeout=60)
    lines = [line.removeprefix("export ").partition("=") for line in done.stdout.splitlines() if line.startswith("export ")]
    return {name: value.strip("'") for name, _, value in lines}


def test_sandbox_env_takes_the_folder_that_up_was_given(tmp_path: Path) -> None:
    own = tmp_path / "sandbox"
    own.mkdir()
    (own / "endpoint.json").write_text('{"endpoint": "http://127.0.0.1:4711"}')
    of_up, of_sandbox = exported(tmp_path), exported(own)
    assert of_up == of_sandbox
    assert (of_up["AWS_ENDPOINT_URL"], of_up["KUBECONFIG"]) == ("http://127.0.0.1:4711", str(own / "kubeconfig"))


def test_a_long_step_ends_behind_a_whole_word() -> None:
    assert shortened("Waits for 40 nodes; 33 ready", 28) == "Waits for 40 nodes; 33 ready"
    assert shortened("Waits for 40 nodes; 33 ready", 26) == "Waits for 40 nodes; 33 …"
    assert shortened("x" * 30, 10) == "xxxxxxxx …"


def test_what_was_made_is_counted_by_its_kind() -> None:
    stream = io.StringIO()
    Screen(stream).made(["AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::Subnet"])
    assert stream.getvalue() == "  3 resources: VPC, 2 Subnet\n"


def test_a_stage_of_set_up_that_goes_on_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    told = io.StringIO()
    monkeypatch.setattr(report, "STILL_SECONDS", 0.01)
    monkeypatch.setattr(report.sys, "stderr", told)
    with report.stage("Fetching", "two minutes"):
        while "so far" not in told.getvalue():
            pass
    lines = told.getvalue().splitlines()
    assert lines[:2] == ["  · Fetching … (usually two minutes)", "    Fetching: 0 s so far"]
    assert lines[-1] == "  ✓ Fetching (0 s)"


def test_a_stage_that_fails_does_not_say_that_it_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(report.SetupError), report.stage("Fetching"):
        raise report.SetupError("no network")
    assert capsys.readouterr().err == "  · Fetching …\n"
