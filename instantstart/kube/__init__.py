"""Kubernetes: EKS tokens, server-side apply, watch cache, Helm. Nobody else talks to a cluster's API.

`connect(target)` gives a Kube; `instantstart.kube.helm.Helm(target)` the Helm releases; `instantstart.kube.cache` the
watch cache. What goes wrong is a KubeError or HelmError; signing in may raise a CloudError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from instantstart.kube.client import Kube
    from instantstart.kube.target import KubeTarget


def connect(target: KubeTarget) -> Kube:
    """The API of that cluster. No call is made."""
    from instantstart.kube.client import Kube

    return Kube(target)
