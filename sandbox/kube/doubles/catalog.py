"""Importing this module registers every double. One line for each."""

from __future__ import annotations

from sandbox.kube.doubles import fsx_csi_node, s3_csi_node, vpc_cni

__all__ = ["fsx_csi_node", "s3_csi_node", "vpc_cni"]
