"""Every feature of the registry, as tests turn it on, and what it brings into Kubernetes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clusters.features import REGISTRY

GROUPS = {"gpu": "ml.g5.8xlarge", "cpu": "ml.m5.xlarge"}
"""Groups without instances that node autoscaling is given."""
WORKSPACE = "arn:aws:aps:us-west-2:123456789012:workspace/ws-0a1b2c3d-0000-4444-8888-0123456789ab"
SETTINGS: dict[str, Any] = {
    "observability": {"workspace_arn": WORKSPACE},
    "node_autoscaling": {"groups": ["gpu"], "limits": {"nvidia.com/gpu": 2}, "budgets": [{"nodes": "100%"}]},
}
ON: dict[str, Any] = {name: SETTINGS.get(name, True) for name in REGISTRY}

KEDA = ("clustertriggerauthentications", "scaledobjects", "triggerauthentications")
KUEUE = (
    "admissionchecks",
    "clusterqueues",
    "cohorts",
    "localqueues",
    "resourceflavors",
    "topologies",
    "workloadpriorityclasses",
    "workloads",
)
INFERENCE = ("inferenceendpointconfigs", "jumpstartmodels", "sagemakerendpointregistrations")


def _in(namespace: str, **names: str) -> set[str]:
    return {f"{kind} {namespace}/{name}" for kind, listed in names.items() for name in listed.split()}


def _definitions(group: str, *kinds: str) -> set[str]:
    return {f"CustomResourceDefinition {kind}.{group}" for kind in kinds}


BRINGS: dict[str, set[str]] = {
    "training_operator": {
        *_definitions("sagemaker.amazonaws.com", "hyperpodpytorchjobs"),
        *_in(
            "aws-hyperpod",
            Deployment="hp-training-operator-controller-manager",
            ServiceAccount="hp-training-operator-controller-manager",
        ),
    },
    "inference_operator": {
        *_definitions("inference.sagemaker.aws.amazon.com", *INFERENCE),
        *_definitions("keda.sh", *KEDA),
        "Namespace hyperpod-inference-system",
        *_in(
            "hyperpod-inference-system",
            Deployment="hyperpod-inference-controller-manager keda-operator",
            ServiceAccount="hyperpod-inference-controller-manager keda-operator",
        ),
    },
    "tiered_checkpointing": {"ServiceAccount default/tiered-checkpointing"},
    "node_autoscaling": {
        *_definitions("karpenter.sagemaker.amazonaws.com", "hyperpodnodeclasses"),
        *_definitions("karpenter.sh", "nodeclaims", "nodepools"),
    },
    "task_governance": {
        *_definitions("kueue.x-k8s.io", *KUEUE),
        "Namespace kueue-system",
        *_in("kueue-system", Deployment="kueue-controller-manager", ServiceAccount="kueue-controller-manager"),
    },
    "observability": {
        "Namespace hyperpod-observability",
        *_in(
            "hyperpod-observability",
            Deployment="hyperpod-observability-operator hyperpod-observability-central-collector",
            DaemonSet="hyperpod-observability-node-collector",
            ServiceAccount="hyperpod-observability-operator hyperpod-observability-operator-otel-collector",
        ),
    },
    "container_insights": {
        "Namespace amazon-cloudwatch",
        *_in(
            "amazon-cloudwatch",
            Deployment="amazon-cloudwatch-observability-controller-manager",
            DaemonSet="cloudwatch-agent fluent-bit",
            ServiceAccount="cloudwatch-agent amazon-cloudwatch-observability-controller-manager",
        ),
    },
    "fsx_csi": _in(
        "kube-system", Deployment="fsx-csi-controller", DaemonSet="fsx-csi-node", ServiceAccount="fsx-csi-controller-sa fsx-csi-node-sa"
    ),
    "metrics_server": _in("kube-system", Deployment="metrics-server", ServiceAccount="metrics-server"),
    "kuberay": {"Namespace kuberay-operator", *_in("kuberay-operator", Deployment="kuberay-operator")},
}
STAYS = {"Namespace kuberay-operator"}
"""Helm makes a release's namespace, and leaves it."""

_CHART = {
    "Chart.yaml": "apiVersion: v2\nname: kuberay-operator\nversion: 1.7.0\n",
    "templates/operator.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata: {name: kuberay-operator, labels: {app.kubernetes.io/managed-by: Helm, app.kubernetes.io/instance: {{ .Release.Name }}}}
spec:
  selector: {matchLabels: {app: kuberay-operator}}
  template:
    metadata: {labels: {app: kuberay-operator}}
    spec: {containers: [{name: operator, image: "quay.io/kuberay/operator:v1.7.0"}]}
""",
}


def write_chart(folder: Path) -> str:
    """A chart that stands for KubeRay's, which is not part of the project."""
    for name, text in _CHART.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)
