"""Building the control plane's binary, with a Go toolchain that is a small script."""

from __future__ import annotations

import fcntl
import io
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sandbox.kube import binary, build, progress
from sandbox.tests.kube.rig import until

GO = """#!/bin/sh
echo "$@" >> "{calls}"
case "$1 $2" in
  "mod download") {download} ;;
  "list -deps") printf 'a\\nb\\nc\\n' ;;
  "build -v") {compile} ;;
esac
"""
COMPILE = 'echo a; echo b; echo c; while [ "$1" != -o ]; do shift; done; echo binary > "$2"'


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("INSTANTSTART_KUBE_BIN", raising=False)


@pytest.fixture
def make_go(tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch) -> GoMaker:
    return GoMaker(tmp_path, calls, monkeypatch)


class GoMaker:
    def __init__(self, folder: Path, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._calls, self._monkeypatch = folder, calls, monkeypatch

    def __call__(self, download: str = ":", compile: str = COMPILE) -> None:
        """A toolchain that does these shell commands, in a virtualenv of its own."""
        go = self._folder / "venv" / "bin" / "go"
        go.parent.mkdir(parents=True, exist_ok=True)
        go.write_text(GO.format(calls=self._calls, download=download, compile=compile))
        go.chmod(0o755)
        self._monkeypatch.setattr(sys, "prefix", str(self._folder / "venv"))


def test_a_build_reports_packages_and_leaves_only_the_binary(make_go: GoMaker, capsys: pytest.CaptureFixture[str]) -> None:
    make_go()
    assert build.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kube-build: fetching modules"
    assert lines[-2:] == ["kube-build: 3/3 packages", f"kube-build: ready {binary.path()}"]
    assert binary.path().read_text() == "binary\n"
    assert sorted(path.name for path in binary.cache_folder().iterdir()) == ["build.lock", "hyperkube"]


def test_the_binary_that_is_there_is_not_built_again(make_go: GoMaker, calls: Path) -> None:
    make_go()
    build.build()
    before = calls.read_text()
    build.build()
    assert calls.read_text() == before


def test_the_version_is_linked_into_the_binary(make_go: GoMaker, calls: Path) -> None:
    make_go()
    build.build()
    assert f"-X k8s.io/component-base/version.gitVersion={binary.VERSION}" in calls.read_text()
    assert "-X k8s.io/component-base/version.gitMinor=36" in calls.read_text()


def test_a_second_builder_waits_and_uses_what_the_first_made(make_go: GoMaker, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_go()
    said = io.StringIO()  # not capsys: what another thread writes while it is read there is lost
    monkeypatch.setattr(sys, "stdout", said)
    folder = binary.cache_folder()
    folder.mkdir(parents=True)
    with (folder / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = threading.Thread(target=build.build)
        second.start()
        until(lambda: "waiting for another builder" in said.getvalue(), what="the second builder waits")
        binary.path().write_text("made by the first")
        binary.path().chmod(0o755)
    second.join(10)
    assert not second.is_alive()
    assert not calls.exists()
    assert binary.path().read_text() == "made by the first"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("dial tcp: lookup host: no such host", "Go modules cannot be fetched: check the network and the proxy settings"),
        ("write /x: no space left on device", "the disk is full: the build needs 4.5 GB"),
        ("compile: signal: killed", "a compiler was killed, most likely for want of memory"),
        ("main.go:3: undefined: x", "go build failed: main.go:3: undefined: x"),
    ],
)
def test_a_failure_is_one_sentence_with_what_to_do(make_go: GoMaker, capsys: pytest.CaptureFixture[str], said: str, sentence: str) -> None:
    make_go(compile=f"echo '{said}'; exit 1")
    assert build.main() == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"kube-build: {sentence}")
    assert not binary.ready()
    assert progress.read().sentence().startswith(f"the build failed: {sentence}")


def test_a_failed_build_keeps_its_modules_for_the_next_attempt(make_go: GoMaker) -> None:
    make_go(compile="exit 1")
    with pytest.raises(build.BuildError):
        build.build()
    assert (binary.cache_folder() / "work").is_dir()
    make_go()
    build.build()
    assert not (binary.cache_folder() / "work").exists()


def test_without_a_toolchain_it_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(build.BuildError, match=r"there is no Go toolchain at .*/bin/go: install the requirements"):
        build.build()


def test_too_little_disk_is_told_before_anything_is_fetched(make_go: GoMaker, calls: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_go()
    monkeypatch.setattr(build, "_NEEDED_BYTES", 10**18)
    with pytest.raises(build.BuildError, match=r"the build needs 1000000000\.0 GB in .*: free some space or set XDG_CACHE_HOME"):
        build.build()
    assert not calls.exists()


def test_a_given_folder_without_a_binary_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSTANTSTART_KUBE_BIN", str(tmp_path))
    with pytest.raises(build.BuildError, match="which holds no executable hyperkube: unset it to build one"):
        build.build()


def test_a_given_folder_with_a_binary_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hyperkube").write_text("")
    (tmp_path / "hyperkube").chmod(0o755)
    monkeypatch.setenv("INSTANTSTART_KUBE_BIN", str(tmp_path))
    assert build.build() == tmp_path / "hyperkube"


def test_the_cache_key_changes_with_the_go_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = binary.source_hash()
    for name in binary.SOURCES:
        (tmp_path / name).write_bytes((binary.MODULE / name).read_bytes())
    (tmp_path / "main.go").write_text("package main")
    binary.source_hash.cache_clear()
    monkeypatch.setattr(binary, "MODULE", tmp_path)
    after = binary.source_hash()
    binary.source_hash.cache_clear()
    assert before != after


def test_an_interrupted_build_takes_its_compiler_with_it(make_go: GoMaker, tmp_path: Path) -> None:
    make_go(compile="echo $$ > pid; sleep 60")
    code = f"import sys; sys.prefix = {str(tmp_path / 'venv')!r}; from sandbox.kube import build; sys.exit(build.main())"
    process = subprocess.Popen([sys.executable, "-c", code])
    pid_file = binary.cache_folder() / "work" / "module" / "pid"
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert process.poll() is None
    process.terminate()
    assert process.wait(30) == 128 + 15
    until(lambda: not Path(f"/proc/{int(pid_file.read_text())}").exists(), 10, what="end of the compiler, which the kernel reaps")
