"""Changes of Helm releases, by the helm program: an argument list, a private kubeconfig, a time limit. No shell."""

from __future__ import annotations

import builtins
import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from instantstart import tools
from instantstart.kube.client import Kube
from instantstart.kube.errors import HelmError
from instantstart.kube.releases import Release, newest, releases
from instantstart.kube.target import KubeTarget, bearer_token

logger = structlog.get_logger(__name__)

_CODES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("PendingOperation", re.compile(r"another operation .* is in progress")),
    ("NotFound", re.compile(r"release: not found|has no deployed releases")),
    ("Unreachable", re.compile(r"Kubernetes cluster unreachable|connection refused|no such host|i/o timeout")),
    ("Unauthorized", re.compile(r"provide credentials|Unauthorized")),
    ("Forbidden", re.compile(r"is forbidden:")),
    ("ChartNotFound", re.compile(r"chart .*not found|path .* not found|failed to download|Chart\.yaml file is missing")),
    ("Timeout", re.compile(r"context deadline exceeded|timed out waiting")),
    (
        "Invalid",
        re.compile(r"YAML parse error|execution error at|cannot unmarshal|don't meet the specifications of the schema|is invalid:"),
    ),
)
"""What Helm's words mean; it has one exit code for all."""
_PASSED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""The environment that Helm gets: no AWS credentials among it."""


class Helm:
    """Releases of one cluster. Reads come from the API, changes from the helm program."""

    def __init__(self, target: KubeTarget) -> None:
        self.target = target

    def status(self, release: str, namespace: str) -> Release | None:
        """The newest revision, None when there is none. KubeError."""
        return newest(Kube(self.target), release, namespace)

    def list(self) -> builtins.list[Release]:
        """The newest revision of every release in every namespace. KubeError."""
        return releases(Kube(self.target))

    def upgrade(
        self,
        release: str,
        chart: str,
        namespace: str,
        values: dict[str, Any],
        timeout: float,
        *,
        version: str = "",
        create_namespace: bool = True,
        wait: bool = False,
    ) -> str:
        """Installs or upgrades and returns the revision made. chart: folder, archive or oci:// reference. HelmError."""
        with tempfile.TemporaryDirectory(prefix="instantstart-helm-") as folder:
            given = Path(folder) / "values.json"  # JSON is YAML, and cannot be misread
            given.touch(mode=0o600)
            given.write_text(json.dumps(values))
            arguments = ["upgrade", release, chart, "--install", "--namespace", namespace, "--values", str(given), "--output", "json"]
            arguments += ["--history-max", "5", "--timeout", f"{max(1, int(timeout))}s"]
            if version:
                arguments += ["--version", version]
            if create_namespace:
                arguments.append("--create-namespace")
            if wait:
                arguments.append("--wait")
            said = self._run("upgrade", arguments, timeout)
        try:
            return str(json.loads(said)["version"])
        except (ValueError, KeyError):
            return ""

    def rollback(self, release: str, namespace: str, revision: int = 0, timeout: float = 45.0) -> None:
        """Back to a revision (0: the one before). HelmError."""
        self._run(
            "rollback",
            ["rollback", release, *([str(revision)] if revision else []), "--namespace", namespace, "--timeout", f"{int(timeout)}s"],
            timeout,
        )

    def uninstall(self, release: str, namespace: str, timeout: float = 45.0) -> bool:
        """False when there was no such release. HelmError."""
        try:
            self._run("uninstall", ["uninstall", release, "--namespace", namespace, "--timeout", f"{int(timeout)}s"], timeout)
        except HelmError as error:
            if error.missing:
                return False
            raise
        return True

    def _run(self, operation: str, arguments: builtins.list[str], timeout: float) -> str:
        try:
            program = tools.path("helm")
        except tools.MissingTool as error:
            raise HelmError(operation, "MissingTool", str(error), sent=False) from error
        with _home(self.target) as environment:
            process = subprocess.Popen(
                [program, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                text=True,
                start_new_session=True,
            )
            try:
                out, err = process.communicate(timeout=timeout + 2)
            except subprocess.TimeoutExpired as error:
                out, err = _stop(process)
                raise HelmError(
                    operation, "Timeout", f"helm {operation} did not end within {timeout:.0f} s and was stopped. {_short(err)}"
                ) from error
            except BaseException:
                _stop(process)
                raise
        if process.returncode != 0:
            text = _short(err) or _short(out)
            code = next((code for code, pattern in _CODES if pattern.search(text)), "HelmFailed")
            logger.warning("helm_failed", operation=operation, cluster=self.target.name, code=code)
            raise HelmError(
                operation,
                code,
                text,
                process.returncode,
                sent=code not in ("ChartNotFound", "Unreachable", "Unauthorized", "Invalid") or None,
            )
        return out


def _stop(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Asks Helm to end, which lets it mark the release as failed; after 5 s it is killed."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        return process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.communicate()


def _short(text: str) -> str:
    """Helm's words without its leading "Error:" and warnings about file modes."""
    lines = [line for line in text.strip().splitlines() if not line.startswith("WARNING:")]
    return re.sub(r"^Error: ", "", " ".join(lines))[:2000]


@contextmanager
def _home(target: KubeTarget) -> Iterator[dict[str, str]]:
    """An environment with a home of its own, whose kubeconfig (mode 0600) holds a bearer token; all removed afterwards."""
    token = bearer_token(target)
    with tempfile.TemporaryDirectory(prefix="instantstart-helm-") as folder:  # made with mode 0700
        kubeconfig = Path(folder) / "kubeconfig"
        descriptor = os.open(kubeconfig, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(_kubeconfig(target, token), file)
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        yield {
            **environment,
            "HOME": folder,
            "KUBECONFIG": str(kubeconfig),
            "HELM_CACHE_HOME": f"{folder}/cache",
            "HELM_CONFIG_HOME": f"{folder}/config",
            "HELM_DATA_HOME": f"{folder}/data",
        }


def _kubeconfig(target: KubeTarget, token: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": target.name, "cluster": {"server": target.endpoint, "certificate-authority-data": target.ca_data}}],
        "users": [{"name": "instantstart", "user": {"token": token}}],
        "contexts": [{"name": target.name, "context": {"cluster": target.name, "user": "instantstart"}}],
        "current-context": target.name,
    }
