"""The node plugin of the Amazon FSx for Lustre CSI driver."""

from __future__ import annotations

from sandbox.kube.doubles.generic import Generic
from sandbox.kube.doubles.registry import register


@register
class FsxCsiNode(Generic):
    images = ("*aws-fsx-csi-driver*",)
    csi_driver = "fsx.csi.aws.com"
