"""EKS access policies as RBAC: each policy's rights are bound to a group that the sign-in gives to whoever has the policy.

Cluster scope: group `eks-access-policy:<policy>` by a ClusterRoleBinding made with the control plane. Namespace scope: group
`eks-access-policy:<policy>:<namespace>` by a RoleBinding that is made in the namespace when somebody with that scope signs in.
Source: reference/aws.md §7; the policies' rights are those of Kubernetes' own user-facing roles of the same names.
"""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Iterable
from typing import Any

from sandbox.kube.protocol import KubeClient, KubeError, Manifest

ARN_PREFIX = "arn:aws:eks::aws:cluster-access-policy/"
GROUP_PREFIX = "eks-access-policy"
_RBAC = "rbac.authorization.k8s.io"

_INFERENCE_MONITORING = "AmazonSagemakerHyperpodInferenceMonitoringPolicy"
_ADMIN_VIEW = "AmazonEKSAdminViewPolicy"

# policy name: the ClusterRole it stands for
POLICIES = {
    "AmazonEKSClusterAdminPolicy": "cluster-admin",
    "AmazonEKSAdminPolicy": "admin",
    "AmazonEKSEditPolicy": "edit",
    "AmazonEKSViewPolicy": "view",
    _ADMIN_VIEW: f"eks:{_ADMIN_VIEW}",
    _INFERENCE_MONITORING: f"eks:{_INFERENCE_MONITORING}",
}

# Roles that Kubernetes does not bring.
_RULES: dict[str, list[dict[str, Any]]] = {
    _ADMIN_VIEW: [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}],
    _INFERENCE_MONITORING: [
        {"apiGroups": ["inference.sagemaker.aws.amazon.com"], "resources": ["*"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["pods", "services", "endpoints"], "verbs": ["get", "list", "watch"]},
        {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
    ],
}


async def install(client: KubeClient) -> None:
    """The roles and cluster-wide bindings that every control plane has."""
    roles = [_object("ClusterRole", f"eks:{policy}", rules=rules) for policy, rules in _RULES.items()]
    bindings = [_binding("ClusterRoleBinding", policy, f"{GROUP_PREFIX}:{policy}") for policy in POLICIES]
    await asyncio.gather(*(client.apply(manifest) for manifest in [*roles, *bindings]))


def groups(policies: Iterable[dict[str, Any]]) -> list[str]:
    """The groups of an access entry: its `policies` are [{policyArn, accessScope: {type, namespaces}}], as the store keeps them."""
    found = []
    for item in policies:
        policy = item["policyArn"].removeprefix(ARN_PREFIX)
        if policy not in POLICIES:
            continue
        scope = item.get("accessScope") or {}
        if scope.get("type", "cluster") == "cluster":
            found.append(f"{GROUP_PREFIX}:{policy}")
        else:
            found += [f"{GROUP_PREFIX}:{policy}:{namespace}" for namespace in scope.get("namespaces") or []]
    return found


async def bind_in_namespaces(client: KubeClient, names: Iterable[str]) -> None:
    """Make the RoleBindings that namespace-scoped groups need; a namespace may be a pattern ("team-*")."""
    wanted = [(parts[1], parts[2], name) for name in names if len(parts := name.split(":", 2)) == 3 and parts[0] == GROUP_PREFIX]
    if not wanted:
        return
    namespaces = [item["metadata"]["name"] for item in await client.list("v1", "Namespace")]
    for policy, pattern, group in wanted:
        for namespace in fnmatch.filter(namespaces, pattern):
            try:
                binding = _binding("RoleBinding", policy, group, namespace)
                if await client.get(binding["apiVersion"], "RoleBinding", binding["metadata"]["name"], namespace) is None:
                    await client.apply(binding)
            except KubeError as error:
                # a namespace that is going away takes no new objects, and needs none
                if error.status not in (403, 404):
                    raise


def _binding(kind: str, policy: str, group: str, namespace: str = "") -> Manifest:
    name = f"eks:{policy}" if not namespace else f"eks:{group.removeprefix(GROUP_PREFIX + ':').replace('*', 'all')}"
    manifest = _object(
        kind,
        name,
        roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": POLICIES[policy]},
        subjects=[{"apiGroup": _RBAC, "kind": "Group", "name": group}],
    )
    if namespace:
        manifest["metadata"]["namespace"] = namespace
    return manifest


def _object(kind: str, name: str, **fields: Any) -> Manifest:
    labels = {"eks.amazonaws.com/component": "access-policy"}
    return {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": {"name": name, "labels": labels}, **fields}
