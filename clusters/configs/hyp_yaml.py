"""`hyp`'s cluster configuration: the config.yaml that `hyp init cluster-stack` writes (template hyperpod-cluster-stack 1.0)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from clusters.configs import groups
from clusters.configs.converted import EMPTY, Converted, Kind

FORMAT = "hyp-cluster-stack"
_CHART: tuple[Kind, str] = ("replaced", "HyperPod's chart is installed with the versions and values that this control plane knows.")
_SCRIPTS: tuple[Kind, str] = ("replaced", "The cluster gets a bucket with lifecycle scripts of its own.")
_PREFIX: tuple[Kind, str] = ("replaced", "All that is made carries the cluster's own name.")
_FSX: tuple[Kind, str] = ("unsupported", "No file system is made with the cluster; its FSx driver can be.")
_NETWORK: tuple[Kind, str] = ("replaced", "The network is made with the cluster, or is the existing one that the input names.")
REASONS: dict[str, tuple[Kind, str]] = {
    "resource_name_prefix": _PREFIX,
    "create_hyperpod_cluster_stack": ("replaced", "The HyperPod cluster is always made."),
    "create_eks_cluster_stack": ("replaced", "The EKS cluster is always made."),
    "eks_cluster_name": ("replaced", "The EKS cluster carries the HyperPod cluster's name."),
    **dict.fromkeys(("create_helm_chart_stack", "namespace", "helm_repo_url", "helm_repo_path", "helm_operators", "helm_release"), _CHART),
    "rig_s3_bucket_name": ("unsupported", "Restricted groups are not made here."),
    "create_security_group_stack": _NETWORK,
    "security_group_id": ("replaced", "The cluster gets a security group of its own."),
    "security_group_ids": ("replaced", "The cluster gets a security group of its own."),
    "nat_gateway_ids": _NETWORK,
    "private_route_table_ids": _NETWORK,
    "create_s3_endpoint_stack": ("replaced", "A new network always has an S3 endpoint."),
    "enable_hp_inference_feature": ("unsupported", "Turn the inference operator on as a managed feature when the cluster is there."),
    "stage": ("replaced", "No template of a stage is used."),
    "custom_bucket_name": ("replaced", "No bucket with templates is used."),
    **dict.fromkeys(("create_life_cycle_script_stack", "create_s3_bucket_stack", "s3_bucket_name", "github_raw_url"), _SCRIPTS),
    "on_create_path": _SCRIPTS,
    "create_sagemaker_iam_role_stack": ("replaced", "The cluster always gets an execution role of its own."),
    "sagemaker_iam_role_name": ("replaced", "The cluster always gets an execution role of its own."),
    **dict.fromkeys(
        (
            "fsx_subnet_id",
            "fsx_availability_zone_id",
            "per_unit_storage_throughput",
            "data_compression_type",
            "file_system_type_version",
            "storage_capacity",
            "fsx_file_system_id",
        ),
        _FSX,
    ),
}
TAKEN = frozenset(
    {
        "template",
        "version",
        "hyperpod_cluster_name",
        "kubernetes_version",
        "node_provisioning_mode",
        "node_recovery",
        "instance_group_settings",
        "rig_settings",
        "tags",
        "create_vpc_stack",
        "vpc_id",
        "vpc_cidr",
        "private_subnet_ids",
        "eks_private_subnet_ids",
        "availability_zone_ids",
        "create_fsx_stack",
    }
    | {f"instance_group_settings{number}" for number in range(1, 21)}
    | {f"rig_settings{number}" for number in range(1, 21)}
)


def convert(given: dict[str, Any], zones: Mapping[str, str]) -> Converted:
    """zones: id → name of the region's zones, empty when not known."""
    converted = Converted(FORMAT)
    if given.get("hyperpod_cluster_name") not in EMPTY:
        groups.name(converted, "hyperpod_cluster_name", given["hyperpod_cluster_name"])
    if given.get("kubernetes_version") not in EMPTY:
        converted.input["kubernetes_version"] = str(given["kubernetes_version"])
    groups.place(converted, "instance_group_settings", _entries(given, "instance_group_settings"))
    groups.restricted(converted, "rig_settings", _entries(given, "rig_settings"))
    groups.tags(converted, "tags", _list(given.get("tags")))
    _network(converted, given)
    _zones(converted, _list(given.get("availability_zone_ids")), zones)
    if given.get("create_fsx_stack"):
        converted.input["fsx"] = True
        converted.found("create_fsx_stack", "changed", "The FSx driver is installed; the file system itself is not made with the cluster.")
    if str(given.get("node_recovery")) == "None" and given.get("node_recovery") is not None:
        converted.found("node_recovery", "unsupported", "Clusters are made with automatic node recovery.")
    if "node_provisioning_mode" in given and given["node_provisioning_mode"] in EMPTY:
        converted.found("node_provisioning_mode", "changed", "It is empty, which means off; clusters are made with Continuous.")
    converted.leave("", given, REASONS, TAKEN)
    return converted


def _entries(given: dict[str, Any], name: str) -> list[Any]:
    """The list, and the numbered fields that stand for it in the command's options; an entry may be a text with JSON."""
    found = [*_list(given.get(name)), *(given[f"{name}{number}"] for number in range(1, 21) if given.get(f"{name}{number}"))]
    return [parsed for entry in found for parsed in _parsed(entry)]


def _parsed(entry: Any) -> list[Any]:
    if not isinstance(entry, str):
        return entry if isinstance(entry, list) else [entry]
    try:
        said = json.loads(entry)
    except ValueError:
        return [entry]
    return said if isinstance(said, list) else [said]


def _list(value: Any) -> list[Any]:
    if value in EMPTY:
        return []
    if isinstance(value, str):
        parsed = _parsed(value)
        return [part.strip() for part in value.split(",")] if parsed == [value] else parsed
    return value if isinstance(value, list) else [value]


def _network(converted: Converted, given: dict[str, Any]) -> None:
    if given.get("create_vpc_stack", True) and not given.get("vpc_id"):
        if given.get("vpc_cidr"):
            converted.input["network"] = {"vpc_cidr": given["vpc_cidr"]}
        for name in ("private_subnet_ids", "eks_private_subnet_ids"):
            if given.get(name):
                converted.found(name, "replaced", "A new network is made, with subnets of its own.")
        return
    if given.get("vpc_cidr"):
        converted.found("vpc_cidr", "replaced", "The existing VPC has a range already.")
    nodes = _list(given.get("private_subnet_ids"))
    network: dict[str, Any] = {
        "vpc_id": given.get("vpc_id") or "",
        "private_subnet_ids": _list(given.get("eks_private_subnet_ids")),
        "compute_subnet_id": nodes[0] if nodes else "",
    }
    for index, subnet in enumerate(nodes[1:], start=1):
        converted.found(f"private_subnet_ids.{index}", "unsupported", f"The nodes are in one subnet; {subnet} is left out.")
    converted.input["network"] = {"existing": network}


def _zones(converted: Converted, ids: list[Any], zones: Mapping[str, str]) -> None:
    names = []
    for index, zone in enumerate(ids):
        path = f"availability_zone_ids.{index}"
        if index > 1:
            converted.found(path, "unsupported", f"Two zones are used, the first for the nodes; {zone} is left out.")
        elif str(zone) in zones:
            names.append(zones[str(zone)])
            converted.found(path, "changed", f"{zone} is {zones[str(zone)]} in this account.")
        else:
            converted.found(path, "unsupported", f"{zone} is no id of a zone that could be read for this region: choose the zone by name.")
    if names:
        converted.input["availability_zones"] = names
