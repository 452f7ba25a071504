"""HyperPod's managed Karpenter, played: node classes and pools judged, nodes added for pods that wait, idle ones taken away.

It runs outside the cluster, as AWS's does, and acts on HyperPod under the cluster's role. What it leaves out of the real one is
listed in docs/sandbox.md. Definitions in crds/: kubernetes-sigs/karpenter v1.14.1; HyperpodNodeClass is reconstructed.
"""
