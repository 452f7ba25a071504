"""The unmodified helm against the sandbox: install, upgrade, rollback, test, uninstall, and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.tests.kube.rig import ClusterUnderTest

pytestmark = pytest.mark.kube

CHART = """
apiVersion: v2
name: probe
version: 0.1.0
appVersion: "1"
"""
VALUES = """
replicas: 2
image: nginx:1
fault: ""
testCommand: "echo checked"
"""
TEMPLATE = """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations: {sandbox.instantstart.dev/fault: {{ .Values.fault | quote }}}
    spec:
      containers: [{name: main, image: {{ .Values.image | quote }}}]
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {app: {{ .Release.Name }}}
  ports: [{port: 80}]
"""
HOOK = """
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-prepare
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: prepare, image: busybox, command: [sh, -c, "echo prepared"]}]
"""
TEST = """
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}-test
  annotations: {helm.sh/hook: test, helm.sh/hook-delete-policy: before-hook-creation}
spec:
  restartPolicy: Never
  containers: [{name: test, image: busybox, command: [sh, -c, {{ .Values.testCommand | quote }}]}]
"""


@pytest.fixture
def chart(tmp_path: Path) -> str:
    folder = tmp_path / "probe"
    (folder / "templates" / "tests").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(CHART.lstrip())
    (folder / "values.yaml").write_text(VALUES.lstrip())
    (folder / "templates" / "deployment.yaml").write_text(TEMPLATE.lstrip())
    (folder / "templates" / "hook.yaml").write_text(HOOK.lstrip())
    (folder / "templates" / "tests" / "test.yaml").write_text(TEST.lstrip())
    return str(folder)


def status(cluster: ClusterUnderTest, release: str = "probe") -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(cluster.helm("status", release, "-o", "json"))
    return answer


def images(cluster: ClusterUnderTest) -> set[str]:
    return {container["image"] for container in cluster.get("deployment", "probe")["spec"]["template"]["spec"]["containers"]}


def test_a_release_lives_from_install_to_uninstall(cluster: ClusterUnderTest, chart: str) -> None:
    cluster.add_nodes(2)
    cluster.helm("install", "probe", chart, "--wait", "--timeout", "60s")
    assert status(cluster)["info"]["status"] == "deployed"
    assert cluster.get("deployment", "probe")["status"]["readyReplicas"] == 2
    assert cluster.kubectl("logs", "job/probe-prepare") == "prepared\n"

    cluster.helm("upgrade", "probe", chart, "--wait", "--timeout", "60s", "--set", "image=nginx:2,replicas=3")
    assert images(cluster) == {"nginx:2"}
    assert cluster.get("deployment", "probe")["status"]["readyReplicas"] == 3

    tested = cluster.helm("test", "probe", "--timeout", "30s", "--logs")
    assert "Phase:          Succeeded" in tested
    assert "checked" in tested

    cluster.helm("rollback", "probe", "1", "--wait", "--timeout", "60s")
    assert images(cluster) == {"nginx:1"}
    (release,) = json.loads(cluster.helm("list", "-A", "-o", "json"))
    assert (release["name"], release["revision"], release["status"], release["chart"]) == ("probe", "3", "deployed", "probe-0.1.0")
    history = json.loads(cluster.helm("history", "probe", "-o", "json"))
    assert [entry["status"] for entry in history] == ["superseded", "superseded", "deployed"]

    cluster.helm("uninstall", "probe", "--wait", "--timeout", "30s")
    assert json.loads(cluster.helm("list", "-A", "-o", "json")) == []
    cluster.until(lambda: not cluster.get("deployments")["items"])
    cluster.until(lambda: not cluster.get("pods", namespace="default")["items"] or all_are_hooks(cluster))


def all_are_hooks(cluster: ClusterUnderTest) -> bool:
    """Helm leaves what hooks made."""
    return all(pod["metadata"]["name"].startswith(("probe-prepare", "probe-test")) for pod in cluster.get("pods")["items"])


def test_a_failing_test_is_told(cluster: ClusterUnderTest, chart: str) -> None:
    cluster.add_nodes(1)
    cluster.helm("install", "probe", chart, "--wait", "--timeout", "60s", "--set", "testCommand=exit 3")
    done = cluster.tool("helm", "test", "probe", "--timeout", "30s")
    assert done.returncode == 1
    assert "Failed" in done.stdout + done.stderr


def test_an_upgrade_that_does_not_become_ready_fails_and_can_be_rolled_back(cluster: ClusterUnderTest, chart: str) -> None:
    cluster.add_nodes(1)
    cluster.helm("install", "probe", chart, "--wait", "--timeout", "60s")
    done = cluster.tool("helm", "upgrade", "probe", chart, "--wait", "--timeout", "4s", "--set", "fault=CrashLoopBackOff")
    assert done.returncode == 1
    assert status(cluster)["info"]["status"] == "failed"
    cluster.helm("rollback", "probe", "1", "--wait", "--timeout", "60s")
    assert status(cluster)["info"]["status"] == "deployed"


def test_an_install_without_nodes_waits_and_fails(cluster: ClusterUnderTest, chart: str) -> None:
    done = cluster.tool("helm", "install", "probe", chart, "--no-hooks", "--wait", "--timeout", "3s")
    assert done.returncode == 1
    cluster.helm("uninstall", "probe")


def test_upgrade_install_into_a_new_namespace_is_the_same_twice(cluster: ClusterUnderTest, chart: str) -> None:
    cluster.add_nodes(1)
    arguments = ("upgrade", "--install", "probe", chart, "-n", "tools", "--create-namespace", "--wait", "--timeout", "60s")
    cluster.helm(*arguments)
    before = cluster.get("deployment", "probe", namespace="tools")["metadata"]
    cluster.helm(*arguments)
    after = cluster.get("deployment", "probe", namespace="tools")["metadata"]
    assert (after["uid"], after["generation"]) == (before["uid"], before["generation"])
