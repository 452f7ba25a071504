"""The processes of `up`, in the order they start, and the environment they share."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

from instantstart.bootstrap.layout import ROOT
from instantstart.supervisor import Part, Supervisor, expand, read_procfile
from instantstart.up.refusal import Refusal

START_SECONDS = 60.0


@dataclass(frozen=True)
class Choices:
    """What the command line chose; ports are final (0 is resolved)."""

    port: int
    sandbox_port: int
    state_dir: Path
    speed: float


@dataclass
class Stack:
    choices: Choices
    supervisor: Supervisor = field(default_factory=Supervisor)
    builder: Part | None = None
    environment: dict[str, str] = field(default_factory=dict)
    up: bool = False
    """Whether everything is there; ending from now on is a success."""
    http: urllib3.PoolManager = field(
        default_factory=lambda: urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(connect=2, read=40))
    )

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.choices.sandbox_port}"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.choices.port}"

    @property
    def logs(self) -> Path:
        return self.choices.state_dir / "logs"

    def start_build(self) -> Part:
        """Build the sandbox's Kubernetes beside the rest; ends at once when the user's cache has it."""
        log = self.logs / "kube-build.log"
        log.unlink(missing_ok=True)
        self.builder = Part("kube-build", [sys.executable, "-m", "sandbox.kube.build"], dict(os.environ), log, ROOT, restart=False)
        self.builder.start()
        return self.builder

    def start_sandbox(self) -> None:
        """Start simulated AWS and wait for its answer; its credentials and endpoint become the product's environment."""
        folder = self.choices.state_dir / "sandbox"
        argv = [sys.executable, "-m", "sandbox", "serve", "--port", str(self.choices.sandbox_port), "--state-dir", str(folder)]
        part = self.supervisor.add(
            Part("sandbox", [*argv, "--speed", f"{self.choices.speed:g}"], dict(os.environ), self.logs / "sandbox.log", ROOT)
        )
        self._wait(f"{self.endpoint}/_sandbox/status", part, "The sandbox")
        self.environment = self._environment(self._credentials(folder))

    def _credentials(self, folder: Path) -> dict[str, str]:
        done = subprocess.run(
            [sys.executable, "-m", "sandbox", "env", "--state-dir", str(folder)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=30,
        )
        if done.returncode:
            raise Refusal(f"The sandbox does not tell its credentials: {done.stderr.strip()}")
        words = [word for line in done.stdout.splitlines() if line.startswith("export ") for word in shlex.split(line)[1:]]
        return {name: value for name, _, value in (word.partition("=") for word in words) if name.startswith("AWS_")}

    def _environment(self, aws: dict[str, str]) -> dict[str, str]:
        defaults = {
            "INSTANTSTART_POLL_TRANSITION": "0.5",
            "INSTANTSTART_POLL_STEADY": "5",
            "INSTANTSTART_AWS_RATE": "100",
            "DATABASE_URL": f"sqlite:///{self.choices.state_dir / 'instantstart.sqlite3'}",
        }
        fixed = {"INSTANTSTART_STATE_DIR": str(self.choices.state_dir), "PORT": str(self.choices.port), **aws}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {**defaults, **kept, **fixed, "AWS_ENDPOINT_URL": self.endpoint, "PYTHONUNBUFFERED": "1"}

    def manage(self, *arguments: str) -> str:
        """Run a management command to its end in the product's environment. Returns its standard output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
        )
        if done.returncode:
            raise Refusal(f"`manage.py {arguments[0]}` failed: {(done.stderr.strip().splitlines() or ['no output'])[-1]}")
        return done.stdout

    def start_product(self) -> None:
        """Start the parts of the Procfile and wait until the work path is ready."""
        for name, command in read_procfile(ROOT / "Procfile").items():
            self.supervisor.add(Part(name, expand(command, self.environment), self.environment, self.logs / f"{name}.log", ROOT))
        web = next(part for part in self.supervisor.parts if part.name == "web")
        self._wait(f"{self.url}/readyz", web, "The web server")

    def _wait(self, url: str, part: Part, what: str) -> None:
        began = time.monotonic()
        while time.monotonic() - began < START_SECONDS:
            if not part.running:
                raise Refusal(f"{what} ended at once; the end of {part.log}:\n{part.last_lines()}")
            try:
                if self.http.request("GET", url).status == 200:
                    return
            except urllib3.exceptions.HTTPError:
                pass
            time.sleep(0.05)
        raise Refusal(f"{what} did not get ready within {START_SECONDS:.0f} s; the end of {part.log}:\n{part.last_lines()}")

    def tend(self) -> list[str]:
        """Restart what died. Returns the names of the parts that are down now. To be called often."""
        self.supervisor.check()
        return [part.name for part in self.supervisor.parts if not part.running]

    def stop(self) -> None:
        """End everything that was started."""
        if self.builder is not None and self.builder.running:
            self.builder.finish(time.monotonic())
        self.supervisor.stop()

    def clock_speed(self) -> float:
        """The sandbox's speed, in virtual seconds for each second."""
        answer: dict[str, Any] = self.http.request("GET", f"{self.endpoint}/_sandbox/clock").json()
        return float(answer["speed"])
