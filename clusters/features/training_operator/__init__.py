"""The HyperPod training operator: runs HyperPodPyTorchJobs, restarts them process by process after a fault."""

from __future__ import annotations

from clusters import names
from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature
from clusters.features.entry import Chosen, FeatureSeen
from clusters.features.role import Document
from clusters.features.users import objects
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow

SERVICE_ACCOUNT = "hp-training-operator-controller-manager"


class TrainingOperator(AddonFeature):
    """Its role says less than AWS's managed policy: what it looks up are nodes of HyperPod clusters (reference/aws.md §4.7, §7)."""

    name = "training_operator"
    title = "Training operator"
    summary = "Runs HyperPodPyTorchJobs: restarts by process, watches logs for hangs, keeps spare nodes."
    addon = "amazon-sagemaker-hyperpod-training-operator"
    workloads = (WorkloadName("Deployment", names.HYPERPOD_NAMESPACE, "hp-training-operator-controller-manager"),)
    purpose = "training"
    service_account = SERVICE_ACCOUNT
    needs = ("cert-manager", "eks-pod-identity-agent")

    def statements(self, spec: ResolvedSpec, settings: Chosen) -> list[Document]:
        clusters = f"arn:{spec.partition}:sagemaker:{spec.region}:{spec.account}:cluster/*"
        return [allow(["sagemaker:DescribeClusterNode", "sagemaker:ListClusterNodes"], clusters, sid="Nodes")]

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        return objects(reader, "sagemaker.amazonaws.com/v1", "HyperPodPyTorchJob")


FEATURE = TrainingOperator()
