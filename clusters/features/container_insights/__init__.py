"""Container Insights: metrics and logs of pods and nodes in CloudWatch."""

from __future__ import annotations

from clusters import names
from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature
from clusters.features.entry import Chosen
from clusters.features.role import Document
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow

NAMESPACE = "amazon-cloudwatch"


class ContainerInsights(AddonFeature):
    """Its role writes to the cluster's own log groups and to the metrics' namespace of Container Insights, nowhere else."""

    name = "container_insights"
    title = "Container Insights"
    summary = "Metrics and logs of pods and nodes in CloudWatch."
    addon = "amazon-cloudwatch-observability"
    workloads = (
        WorkloadName("Deployment", NAMESPACE, "amazon-cloudwatch-observability-controller-manager"),
        WorkloadName("DaemonSet", NAMESPACE, "cloudwatch-agent"),
        WorkloadName("DaemonSet", NAMESPACE, "fluent-bit"),
    )
    purpose = "insights"
    service_account = "cloudwatch-agent"
    needs = ("eks-pod-identity-agent",)

    def statements(self, spec: ResolvedSpec, settings: Chosen) -> list[Document]:
        groups = f"arn:{spec.partition}:logs:{spec.region}:{spec.account}:log-group:{names.insights_log_group_prefix(spec.eks)}*"
        return [
            allow(
                [
                    "logs:CreateLogGroup",
                    "logs:CreateLogStream",
                    "logs:DescribeLogGroups",
                    "logs:DescribeLogStreams",
                    "logs:PutLogEvents",
                    "logs:PutRetentionPolicy",
                ],
                groups,
                sid="OwnLogGroups",
            ),
            allow(
                ["cloudwatch:PutMetricData"],
                "*",
                sid="Metrics",
                condition={"StringEquals": {"cloudwatch:namespace": ["ContainerInsights", "ContainerInsights/Prometheus", "CWAgent"]}},
            ),
            allow(["ec2:DescribeTags", "ec2:DescribeVolumes"], "*", sid="ReadsWithoutResource"),
        ]


FEATURE = ContainerInsights()
