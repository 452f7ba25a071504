"""The VPC CNI's DaemonSet: nodes that need a CNI become Ready when its pod runs."""

from __future__ import annotations

from sandbox.kube.doubles.generic import Generic
from sandbox.kube.doubles.registry import register


@register
class VpcCni(Generic):
    images = ("*amazon-k8s-cni:*",)
    gives_network = True
