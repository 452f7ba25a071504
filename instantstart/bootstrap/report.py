"""Progress and refusals of set-up: on standard error, one line each, so that standard output stays free for results."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


class SetupError(Exception):
    """Set-up cannot go on; the text is one sentence with the fix."""


STILL_SECONDS = 10.0
"""How often a stage that goes on says so."""


@contextmanager
def stage(title: str, usual: str = "") -> Iterator[None]:
    """Say what begins and how long it usually takes, every few seconds that it goes on, and how long it took once it ends."""
    began = time.monotonic()
    print(f"  · {title} …{f' (usually {usual})' if usual else ''}", file=sys.stderr, flush=True)
    ended = threading.Event()
    teller = threading.Thread(target=_tell_that_it_goes_on, args=(title, began, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
    print(f"  ✓ {title} ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)


def _tell_that_it_goes_on(title: str, began: float, ended: threading.Event) -> None:
    while not ended.wait(STILL_SECONDS):
        print(f"    {title}: {time.monotonic() - began:.0f} s so far", file=sys.stderr, flush=True)


_NETWORK = "check the network or the proxy settings and run again."
_CHECKSUM = "A downloaded package does not have the expected checksum: the registry serves something else; do not go on."
_FIXES = (
    ("No space left on device", "The disk is full: free some space (set-up needs about 4 GB) and run the command again."),
    ("Temporary failure resolving", f"Debian's package servers cannot be reached: {_NETWORK}"),
    ("Temporary failure in name resolution", f"The package registry cannot be reached: {_NETWORK}"),
    ("Name or service not known", f"The package registry's name cannot be resolved: {_NETWORK}"),
    ("No address associated with hostname", f"The package registry's name cannot be resolved: {_NETWORK}"),
    ("getaddrinfo", f"The package registry's name cannot be resolved: {_NETWORK}"),
    ("Cannot connect to proxy", f"The proxy does not let through to the package registry: {_NETWORK}"),
    ("Connection refused", f"The package registry refuses connections: {_NETWORK}"),
    ("ECONNREFUSED", f"The package registry refuses connections: {_NETWORK}"),
    ("ConnectTimeoutError", f"The package registry does not answer: {_NETWORK}"),
    ("ReadTimeoutError", f"The package registry does not answer: {_NETWORK}"),
    ("ETIMEDOUT", f"The package registry does not answer: {_NETWORK}"),
    ("Network is unreachable", "There is no network: connect this machine and run again."),
    ("ENETUNREACH", "There is no network: connect this machine and run again."),
    ("DO NOT MATCH THE HASHES", _CHECKSUM),
    ("EINTEGRITY", _CHECKSUM),
)
"""What a part of the output of pip, npm or apt-get means; the first that is found counts."""


def run(argv: Sequence[str | Path], *, what: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a command quietly. Raises SetupError with its last lines, and the fix where it is known."""
    try:
        done = subprocess.run(
            [str(part) for part in argv], cwd=cwd, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=1800
        )
    except FileNotFoundError:
        raise SetupError(f"{what} needs the program {argv[0]}, which is not installed.") from None
    except subprocess.TimeoutExpired:
        raise SetupError(f"{what} took more than 30 minutes and was stopped: check the network and run again.") from None
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        fix = next((fix for sign, fix in _FIXES if sign in output), "")
        tail = "\n    ".join(output.splitlines()[-6:])
        raise SetupError(f"{what} failed. {fix}\n    {tail}" if not fix else f"{what} failed. {fix}")
    return done.stdout
