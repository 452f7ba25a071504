"""The node plugin of the Mountpoint for Amazon S3 CSI driver."""

from __future__ import annotations

from sandbox.kube.doubles.generic import Generic
from sandbox.kube.doubles.registry import register


@register
class S3CsiNode(Generic):
    images = ("*aws-s3-csi-driver*", "*aws-mountpoint-s3-csi-driver*")
    csi_driver = "s3.csi.aws.com"
