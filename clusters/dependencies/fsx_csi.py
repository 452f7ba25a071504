"""Amazon FSx CSI driver, where FSx for Lustre is wanted."""

from __future__ import annotations

from clusters import names
from clusters.dependencies.addon import NAMESPACE, AddonDependency, role_arn
from clusters.dependencies.entry import WorkloadName
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject


class FsxCsi(AddonDependency):
    name = "aws-fsx-csi-driver"
    title = "Amazon FSx CSI driver"
    workloads = (WorkloadName("Deployment", NAMESPACE, "fsx-csi-controller"), WorkloadName("DaemonSet", NAMESPACE, "fsx-csi-node"))

    def wanted(self, spec: ResolvedSpec) -> bool:
        return spec.fsx

    def role_arn(self, subject: Subject) -> str:
        return role_arn(subject, names.fsx_csi_role(subject.name))
