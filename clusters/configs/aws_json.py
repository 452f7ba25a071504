"""AWS's `create-cluster --cli-input-json` document, EKS orchestrator."""

from __future__ import annotations

import re
from typing import Any

from clusters.configs import groups
from clusters.configs.converted import EMPTY, Converted, Kind

FORMAT = "aws-create-cluster"
REASONS: dict[str, tuple[Kind, str]] = {
    "RestrictedInstanceGroupsConfig": ("unsupported", "Restricted groups are not made here."),
    "VpcConfig": ("replaced", "The cluster gets a network of its own; to use an existing VPC, give it and its subnets in the input."),
    "TieredStorageConfig": ("unsupported", "Turn tiered checkpointing on as a managed feature when the cluster is there."),
    "ClusterRole": ("unsupported", "Turn autoscaling on as a managed feature when the cluster is there: it makes its own role."),
    "AutoScaling": ("unsupported", "Turn autoscaling on as a managed feature when the cluster is there."),
}
TAKEN = ("ClusterName", "InstanceGroups", "RestrictedInstanceGroups", "Orchestrator", "Tags", "NodeRecovery", "NodeProvisioningMode")
_REGION = re.compile(r"^arn:aws[\w-]*:\w+:([a-z]{2}(?:-[a-z]+)+-\d):")


def convert(given: dict[str, Any]) -> Converted:
    converted = Converted(FORMAT)
    if given.get("ClusterName") not in EMPTY:
        groups.name(converted, "ClusterName", given["ClusterName"])
    groups.place(converted, "InstanceGroups", given.get("InstanceGroups") or [])
    groups.restricted(converted, "RestrictedInstanceGroups", given.get("RestrictedInstanceGroups") or [])
    groups.tags(converted, "Tags", given.get("Tags") or [])
    _orchestrator(converted, given.get("Orchestrator") or {})
    _modes(converted, given)
    converted.leave("", given, REASONS, TAKEN)
    return converted


def _orchestrator(converted: Converted, given: dict[str, Any]) -> None:
    eks = given.get("Eks") or {}
    arn = str(eks.get("ClusterArn") or "")
    region = _REGION.match(arn)
    if region is not None:
        converted.input["region"] = region.group(1)
    if arn:
        converted.found(
            "Orchestrator.Eks.ClusterArn",
            "replaced",
            "The cluster gets an EKS cluster of its own name, in the same region; an existing EKS cluster can be imported instead.",
        )
    converted.leave("Orchestrator.Eks", eks, {}, ("ClusterArn",))
    converted.leave("Orchestrator", given, {}, ("Eks", "Slurm"))


def _modes(converted: Converted, given: dict[str, Any]) -> None:
    if given.get("NodeRecovery") == "None":
        converted.found("NodeRecovery", "unsupported", "Clusters are made with automatic node recovery.")
    if "NodeProvisioningMode" not in given:
        converted.found("NodeProvisioningMode", "changed", "It is absent, which means off; clusters are made with Continuous.")


def slurm(given: dict[str, Any]) -> bool:
    """Whether it asks for a cluster under Slurm: it names Slurm, or no orchestrator at all, which is HyperPod's word for it."""
    orchestrator = given.get("Orchestrator") or {}
    return "Slurm" in orchestrator or "Eks" not in orchestrator
