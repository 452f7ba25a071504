"""The FSx CSI driver: FSx for Lustre file systems as volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusters import names
from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature
from clusters.features.entry import Chosen, FeatureSeen
from clusters.features.role import Document
from clusters.features.users import objects
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow

DRIVER = "fsx.csi.aws.com"


def _on_fsx(item: Mapping[str, Any]) -> bool:
    return ((item.get("spec") or {}).get("csi") or {}).get("driver") == DRIVER


class FsxCsi(AddonFeature):
    """Where the cluster was created with it, the stack's role serves it, and none of ours is made."""

    name = "fsx_csi"
    title = "FSx CSI driver"
    summary = "FSx for Lustre file systems as volumes of pods."
    addon = "aws-fsx-csi-driver"
    workloads = (
        WorkloadName("Deployment", names.ADDON_NAMESPACE, "fsx-csi-controller"),
        WorkloadName("DaemonSet", names.ADDON_NAMESPACE, "fsx-csi-node"),
    )
    purpose = "fsx"
    service_account = names.FSX_CSI_SERVICE_ACCOUNT
    needs = ("eks-pod-identity-agent",)
    chosen_by = "fsx"

    def statements(self, spec: ResolvedSpec, settings: Chosen) -> list[Document]:
        systems = f"arn:{spec.partition}:fsx:{spec.region}:{spec.account}:file-system/*"
        linked = f"arn:{spec.partition}:iam::{spec.account}:role/aws-service-role/*"
        services = ["fsx.amazonaws.com", "s3.data-source.lustre.fsx.amazonaws.com"]
        return [
            allow(["fsx:CreateFileSystem", "fsx:DeleteFileSystem", "fsx:TagResource", "fsx:UpdateFileSystem"], systems, sid="FileSystems"),
            allow(
                [
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                    "fsx:DescribeFileSystems",
                ],
                "*",
                sid="ReadsWithoutResource",
            ),
            allow(
                ["iam:CreateServiceLinkedRole"],
                linked,
                sid="ServiceLinkedRoles",
                condition={"StringEquals": {"iam:AWSServiceName": services}},
            ),
        ]

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        return objects(reader, "v1", "PersistentVolume", _on_fsx)


FEATURE = FsxCsi()
