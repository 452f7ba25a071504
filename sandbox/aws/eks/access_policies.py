"""EKS's access policies: what can be associated with an access entry. Names: reference/aws.md §2.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

PREFIX = "arn:aws:eks::aws:cluster-access-policy/"
NAMES = (
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSViewPolicy",
    "AmazonSagemakerHyperpodInferenceMonitoringPolicy",
)
CLUSTER_ADMIN = f"{PREFIX}AmazonEKSClusterAdminPolicy"


def known(arn: str) -> bool:
    return arn.startswith(PREFIX) and arn.removeprefix(PREFIX) in NAMES


@operation("eks", "ListAccessPolicies")
def list_access_policies(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"accessPolicies": [{"name": name, "arn": f"{PREFIX}{name}"} for name in NAMES]}
