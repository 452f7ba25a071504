"""The chart of device plugins and the health-monitoring agent, by the real helm."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from clusters.catalog.instance_types import INSTANCE_TYPES, NOT_DESCRIBED
from instantstart import tools

CHART = Path(settings.BASE_DIR) / "deploy" / "charts" / "hyperpod-dependencies"


def helm(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    return subprocess.run([tools.path("helm"), *arguments], capture_output=True, text=True, timeout=60, env=environment, check=False)


def rendered(tmp_path: Path, *settings: str) -> list[dict[str, Any]]:
    done = helm(tmp_path, "template", "hyperpod-dependencies", str(CHART), "--namespace", "kube-system", *settings)
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def names(documents: list[dict[str, Any]], kind: str) -> list[tuple[str, str]]:
    return sorted((found["metadata"].get("namespace", ""), found["metadata"]["name"]) for found in documents if found["kind"] == kind)


def daemon_set(documents: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(found for found in documents if found["kind"] == "DaemonSet" and found["metadata"]["name"] == name)


def instance_types(found: dict[str, Any]) -> set[str]:
    terms = found["spec"]["template"]["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    return set(terms[0]["matchExpressions"][0]["values"])


def test_helm_finds_nothing_to_complain_about(tmp_path: Path) -> None:
    done = helm(tmp_path, "lint", "--strict", str(CHART))
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_is_on_by_default(tmp_path: Path) -> None:
    documents = rendered(tmp_path)
    assert names(documents, "DaemonSet") == [
        ("aws-hyperpod", "health-monitoring-agent"),
        ("aws-hyperpod", "health-monitoring-agent-neuron"),
        ("kube-system", "aws-efa-k8s-device-plugin"),
        ("kube-system", "nvidia-device-plugin"),
    ]
    assert names(documents, "Namespace") == [("", "aws-hyperpod")]
    for found in documents:
        assert found["metadata"]["labels"]["app.kubernetes.io/instance"] == "hyperpod-dependencies"


@pytest.mark.parametrize(
    ("part", "left"),
    [
        ("nvidiaDevicePlugin", 3),
        ("efaDevicePlugin", 3),
        ("healthMonitoringAgent", 2),
    ],
)
def test_each_part_can_be_left_out(tmp_path: Path, part: str, left: int) -> None:
    assert len(names(rendered(tmp_path, "--set", f"{part}.enabled=false"), "DaemonSet")) == left


def test_images_come_from_the_regions_registries(tmp_path: Path) -> None:
    documents = rendered(tmp_path, "--set", "region=eu-west-1")
    images = {
        found["metadata"]["name"]: found["spec"]["template"]["spec"]["containers"][0]["image"]
        for found in documents
        if found["kind"] == "DaemonSet"
    }
    assert images["aws-efa-k8s-device-plugin"].startswith("602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/aws-efa-k8s-device-plugin:v")
    assert images["health-monitoring-agent"].startswith("533267293120.dkr.ecr.eu-west-1.amazonaws.com/hyperpod-health-monitoring-agent:1.")


def test_a_region_without_the_agents_registry_is_refused_with_the_fix(tmp_path: Path) -> None:
    done = helm(tmp_path, "template", "x", str(CHART), "--set", "region=mars-1")
    assert done.returncode == 1
    assert "set healthMonitoringAgent.registry" in done.stderr
    assert len(names(rendered(tmp_path, "--set", "region=mars-1,healthMonitoringAgent.registry=example.test"), "DaemonSet")) == 4


def test_the_lists_of_instance_types_are_the_catalogues(tmp_path: Path) -> None:
    documents = rendered(tmp_path)
    gpu = {name for name, found in INSTANCE_TYPES.items() if found.gpu} | NOT_DESCRIBED
    assert instance_types(daemon_set(documents, "nvidia-device-plugin")) == gpu
    assert instance_types(daemon_set(documents, "health-monitoring-agent")) == gpu
    efa = {name for name, found in INSTANCE_TYPES.items() if found.efa}
    assert instance_types(daemon_set(documents, "aws-efa-k8s-device-plugin")) == efa
    neuron = {name for name, found in INSTANCE_TYPES.items() if found.accelerator and not found.gpu}
    assert instance_types(daemon_set(documents, "health-monitoring-agent-neuron")) == neuron


def test_nothing_runs_on_nodes_that_are_not_hyperpods(tmp_path: Path) -> None:
    for found in rendered(tmp_path):
        if found["kind"] == "DaemonSet":
            assert found["spec"]["template"]["spec"]["nodeSelector"] == {"sagemaker.amazonaws.com/compute-type": "hyperpod"}


def test_the_agent_may_mark_nodes_and_write_events_and_nothing_else(tmp_path: Path) -> None:
    role = next(found for found in rendered(tmp_path) if found["kind"] == "ClusterRole")
    allowed = {(resource, verb) for rule in role["rules"] for resource in rule["resources"] for verb in rule["verbs"]}
    assert allowed == {
        ("nodes", "get"),
        ("nodes", "patch"),
        ("nodes/status", "patch"),
        ("events", "create"),
        ("events", "patch"),
        ("events", "update"),
    }
