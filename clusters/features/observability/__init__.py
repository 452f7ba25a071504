"""HyperPod observability: collectors that write GPU, node, network and job metrics to Amazon Managed Service for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature, Values, configured
from clusters.features.entry import Chosen, FeatureSeen, FeatureSettings
from clusters.features.role import Document
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow
from operations.choices import Severity
from operations.plan import Check

NAMESPACE = "hyperpod-observability"
WorkspaceArn = Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:aps:[a-z0-9-]+:\d{12}:workspace/ws-[0-9a-f-]+$")]


class ObservabilitySettings(FeatureSettings):
    workspace_arn: WorkspaceArn | None = Field(default=None, description="ARN of the Amazon Managed Service for Prometheus workspace.")


def remote_write_url(workspace_arn: str) -> str:
    """Where the workspace takes metrics."""
    region, workspace = workspace_arn.split(":")[3], workspace_arn.rsplit("/", 1)[-1]
    return f"https://aps-workspaces.{region}.amazonaws.com/workspaces/{workspace}/api/v1/remote_write"


class Observability(AddonFeature):
    """Its role writes to that one workspace."""

    name = "observability"
    title = "Observability"
    summary = "GPU, network, node and job metrics in Amazon Managed Service for Prometheus."
    Settings = ObservabilitySettings
    addon = "amazon-sagemaker-hyperpod-observability"
    workloads = (
        WorkloadName("Deployment", NAMESPACE, "hyperpod-observability-operator"),
        WorkloadName("Deployment", NAMESPACE, "hyperpod-observability-central-collector"),
        WorkloadName("DaemonSet", NAMESPACE, "hyperpod-observability-node-collector"),
    )
    purpose = "observe"
    service_account = "hyperpod-observability-operator-otel-collector"
    needs = ("eks-pod-identity-agent",)

    def current(self, reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
        workspace = configured(reader, self.addon).get("ampWorkspace") or {}
        return {"workspace_arn": workspace.get("arn") if isinstance(workspace, dict) else None}

    def statements(self, spec: ResolvedSpec, settings: Chosen) -> list[Document]:
        workspace = settings.get("workspace_arn") or f"arn:{spec.partition}:aps:{spec.region}:{spec.account}:workspace/none"
        return [allow(["aps:RemoteWrite"], workspace, sid="WriteMetrics")]

    def configuration(self, spec: ResolvedSpec, settings: Chosen) -> Values:
        workspace = settings.get("workspace_arn")
        return {"ampWorkspace": {"arn": workspace, "prometheusEndpoint": remote_write_url(workspace)}} if workspace else {}

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        if not settings.get("workspace_arn"):
            yield Check(
                code="workspace_missing",
                severity=Severity.ERROR,
                title=self.title,
                detail="Observability writes to a workspace of Amazon Managed Service for Prometheus, and none is named.",
                fix="Give settings.workspace_arn.",
                field=f"features.{self.name}.settings.workspace_arn",
            )


FEATURE = Observability()
