"""Mountpoint for Amazon S3 CSI driver, with a role that reaches the cluster's buckets only."""

from __future__ import annotations

from clusters import names
from clusters.dependencies.addon import NAMESPACE, AddonDependency, role_arn
from clusters.dependencies.entry import WorkloadName
from clusters.steps.base import Subject


class MountpointS3Csi(AddonDependency):
    name = "aws-mountpoint-s3-csi-driver"
    title = "Mountpoint for Amazon S3 CSI driver"
    workloads = (WorkloadName("DaemonSet", NAMESPACE, "s3-csi-node"),)

    def role_arn(self, subject: Subject) -> str:
        return role_arn(subject, names.s3_csi_role(subject.name))
