"""The commands with which a cluster can be looked at from outside, word for word."""

from __future__ import annotations

from clusters import names
from clusters.models import Cluster


def commands(cluster: Cluster) -> list[dict[str, str]]:
    """[{title, command}] for a shell with AWS credentials; those for Kubernetes only once it has an endpoint."""
    eks, hyperpod, region = cluster.eks, cluster.hyperpod, cluster.region
    found = [("The EKS cluster", f"aws eks describe-cluster --region {region} --name {eks}")]
    if not cluster.imported:
        stack = names.stack(cluster.name)
        found.insert(0, ("The stack and how it went", f"aws cloudformation describe-stack-events --region {region} --stack-name {stack}"))
    if cluster.hyperpod_arn:
        found += [
            ("The HyperPod cluster", f"aws sagemaker describe-cluster --region {region} --cluster-name {hyperpod}"),
            ("Its nodes", f"aws sagemaker list-cluster-nodes --region {region} --cluster-name {hyperpod}"),
            ("Its events", f"aws sagemaker list-cluster-events --region {region} --cluster-name {hyperpod}"),
        ]
    if cluster.endpoint:
        found += [
            ("Point kubectl at it", f"aws eks update-kubeconfig --region {region} --name {eks}"),
            ("Nodes in Kubernetes", "kubectl get nodes -o wide"),
            ("Pods", "kubectl get pods -A"),
            ("Helm releases", "helm list -A"),
        ]
    return [{"title": title, "command": command} for title, command in found]
