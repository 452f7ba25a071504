"""A sandbox process of a test's own, and its remote control over HTTP. Nothing of the sandbox is imported."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIASANDBOX0000000",
    "AWS_SECRET_ACCESS_KEY": "sandbox-secret-key",
    "AWS_DEFAULT_REGION": "us-west-2",
    "AWS_REGION": "us-west-2",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class Sandbox:
    """The process `python -m sandbox serve` on a free port."""

    def __init__(self, state_dir: Path, speed: float) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sandbox", "serve", "--port", "0", "--state-dir", str(state_dir), "--speed", str(speed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            _, said = self.process.communicate(timeout=10)
            raise RuntimeError(f"the sandbox did not start: {said[-2000:]}")
        self.endpoint: str = json.loads(line)["endpoint"]

    def environment(self) -> dict[str, str]:
        return {**CREDENTIALS, "AWS_ENDPOINT_URL": self.endpoint}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(  # noqa: S310  (always http on loopback)
            f"{self.endpoint}/_sandbox/{path}", data=data, method=method, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return json.loads(answer.read() or b"null")

    def forward(self, target: float | str = "next") -> None:
        """Jumps to the next moment at which something happens, or by so many seconds, or until nothing is under way."""
        self.call("POST", "clock", {"fast_forward": target})

    def ledger(self, *, alive: bool = True) -> list[dict[str, Any]]:
        """Resources ever made; only those still there unless told otherwise."""
        answer = self.call("GET", "ledger")
        rows: list[dict[str, Any]] = answer if isinstance(answer, list) else next(iter(answer.values()))
        return [row for row in rows if not alive or row["gone_at"] is None]

    def requests(self, **filters: str) -> list[dict[str, Any]]:
        query = "&".join(f"{key}={value}" for key, value in filters.items())
        answer = self.call("GET", f"requests?{query}")
        rows: list[dict[str, Any]] = answer if isinstance(answer, list) else next(iter(answer.values()))
        return rows

    def fault(self, **fault: Any) -> Any:
        return self.call("POST", "faults", fault)

    def faults(self) -> list[dict[str, Any]]:
        answer = self.call("GET", "faults")
        rows: list[dict[str, Any]] = answer if isinstance(answer, list) else next(iter(answer.values()))
        return rows

    def no_faults(self) -> None:
        self.call("DELETE", "faults")

    def reset(self) -> None:
        self.call("POST", "reset", {})

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
