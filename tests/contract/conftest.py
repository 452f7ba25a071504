"""The sandbox as a process of its own, and the real `aws` and boto3 in front of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from sandbox.kube import binary

ROOT = Path(__file__).resolve().parents[2]
AWS = ROOT / ".venv-aws" / "bin" / "aws"
READY_SECONDS = 20


@dataclass
class Sandbox:
    """A running sandbox. `state_dir` is its own; `home` is an empty HOME for the tools."""

    state_dir: Path
    home: Path
    process: subprocess.Popen[str] | None = None
    endpoint: str = ""
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.home / "sandbox.log"

    def start(self, *options: str) -> Sandbox:
        """Start it, on a free port, and wait for its line."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "sandbox", "serve", "--port", "0", "--state-dir", str(self.state_dir), *options],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                # the control plane's binary is in the developer's own cache folder, whatever HOME is
                env={**self.environment(), "PYTHONPATH": str(ROOT), "INSTANTSTART_KUBE_BIN": str(binary.cache_folder())},
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the sandbox ended before it was ready:\n{self.log.read_text()[-2000:]}"
        self.endpoint = json.loads(line)["endpoint"]
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signal it and return its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def environment(self, **more: str) -> dict[str, str]:
        """What a tool needs, and nothing of the developer's own AWS."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": "AKIASANDBOX0000000",
            "AWS_SECRET_ACCESS_KEY": "sandbox-secret-key",
            "AWS_DEFAULT_REGION": "us-west-2",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_MAX_ATTEMPTS": "1",
            "AWS_PAGER": "",
            "NO_PROXY": "127.0.0.1",
            **more,
        }

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """The real aws command."""
        command = [str(AWS), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, env=self.environment(**environment), check=False)

    def aws(self, *arguments: str, **environment: str) -> Any:
        """What the aws command prints, as JSON (None for nothing). It must succeed."""
        done = self.run(*arguments, "--output", "json", **environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else None

    def client(self, service: str, *, region: str = "us-west-2", attempts: int = 1, checked: bool = True, **credentials: str) -> Any:
        """A boto3 client. credentials: aws_access_key_id …; the sandbox's own without. checked: boto3 validates parameters itself."""
        keys = credentials or {"aws_access_key_id": "AKIASANDBOX0000000", "aws_secret_access_key": "sandbox-secret-key"}
        config = Config(
            retries={"total_max_attempts": attempts, "mode": "standard"},
            connect_timeout=5,
            read_timeout=20,
            proxies={},
            parameter_validation=checked,
        )
        return boto3.session.Session().client(service, region_name=region, endpoint_url=self.endpoint, config=config, **keys)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """`/_sandbox/…`: the JSON that it answers, whatever the status."""
        request = urllib.request.Request(  # noqa: S310 - its own address
            f"{self.endpoint}/_sandbox/{path}", method=method, data=None if body is None else json.dumps(body).encode()
        )
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            return {"status": error.code, **json.load(error)}

    def fault(self, **fault: Any) -> Any:
        return self.control("POST", "faults", fault)

    def fast_forward(self, target: float | str = "settled") -> Any:
        return self.control("POST", "clock", {"fast_forward": target})

    def wait_until(self, true: Any, seconds: float = 20) -> None:
        """For what happens in real time (Kubernetes): ask until it is true."""
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, "it did not come true in time"
            time.sleep(0.05)


def new_sandbox(folder: Path) -> Sandbox:
    home = folder / "home"
    home.mkdir(parents=True)
    return Sandbox(folder / "state", home)


@pytest.fixture(scope="session")
def running_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """One process for the session."""
    made = new_sandbox(tmp_path_factory.mktemp("sandbox")).start("--speed", "60")
    yield made
    made.stop()


@pytest.fixture
def sandbox(running_sandbox: Sandbox) -> Sandbox:
    """An empty account with a clock that stands still: `fast_forward` moves it."""
    running_sandbox.control("POST", "reset")
    running_sandbox.control("POST", "clock", {"pause": True})
    return running_sandbox


@pytest.fixture
def own_sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    """A process for one test, not started yet: for tests that kill it."""
    made = new_sandbox(tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.stop(signal.SIGKILL)
