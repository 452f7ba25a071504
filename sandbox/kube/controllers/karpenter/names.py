"""Groups, kinds, labels and taints of Karpenter and of HyperPod's provider for it."""

from __future__ import annotations

PROVIDER = "karpenter.sagemaker.amazonaws.com"
CORE = "karpenter.sh"
PROVIDER_API, CORE_API = f"{PROVIDER}/v1", f"{CORE}/v1"
NODE_CLASS, NODE_POOL, NODE_CLAIM = "HyperpodNodeClass", "NodePool", "NodeClaim"

POOL_LABEL = f"{CORE}/nodepool"
CAPACITY_LABEL = f"{CORE}/capacity-type"
REGISTERED_LABEL, INITIALIZED_LABEL = f"{CORE}/registered", f"{CORE}/initialized"
DISRUPTED_TAINT = f"{CORE}/disrupted"
FINALIZER = f"{CORE}/termination"
LOGICAL_ID = f"{PROVIDER}/node-logical-id"

TYPE_LABEL = "node.kubernetes.io/instance-type"
ZONE_LABEL = "topology.kubernetes.io/zone"
HOSTNAME_LABEL = "kubernetes.io/hostname"
GROUP_LABEL = "sagemaker.amazonaws.com/instance-group-name"
