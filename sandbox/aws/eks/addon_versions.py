"""DescribeAddonVersions and DescribeAddonConfiguration: what can be installed, and how it can be configured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sandbox.aws.eks.addon_catalog import ADDONS, COMMON_SETTINGS, Addon, minor_of
from sandbox.aws.eks.errors import invalid_parameter, not_found
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_OLDEST_MINOR, _NEWEST_MINOR = 30, 36  # what EKS still names in compatibilities (an estimate for its end of 2026)


def schema(addon: Addon) -> dict[str, Any]:
    """JSON schema of the configuration values: top-level names only, their contents are left open."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {} for name in sorted({*COMMON_SETTINGS, *addon.settings})},
    }


@operation("eks", "DescribeAddonVersions")
def describe_addon_versions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, minor = params.get("addonName"), params.get("kubernetesVersion")
    if name is not None and name not in ADDONS:
        raise invalid_parameter(f"Addon {name} specified is not supported", addonName=name)
    shown = []
    for addon in sorted(ADDONS.values(), key=lambda one: one.name):
        if name not in (None, addon.name):
            continue
        wanted = (("types", addon.kind), ("publishers", addon.publisher), ("owners", addon.owner))
        if any(params.get(member) and value not in params[member] for member, value in wanted):
            continue
        versions = _versions(addon, minor)
        if versions:
            shown.append(
                {
                    "addonName": addon.name,
                    "type": addon.kind,
                    "addonVersions": versions,
                    "publisher": addon.publisher,
                    "owner": addon.owner,
                    "defaultNamespace": addon.namespace,
                }
            )
    return {"addons": shown}


def _versions(addon: Addon, wanted: str | None) -> list[dict[str, Any]]:
    shown = []
    for version, oldest, newest in addon.versions:
        minors = range(min(newest, _NEWEST_MINOR), max(oldest, _OLDEST_MINOR) - 1, -1)
        compatibilities = [
            {"clusterVersion": f"1.{minor}", "platformVersions": ["*"], "defaultVersion": addon.default(minor) == version}
            for minor in minors
            if wanted in (None, f"1.{minor}")
        ]
        if compatibilities:
            shown.append(
                {
                    "addonVersion": version,
                    "architecture": ["amd64", "arm64"],
                    "computeTypes": ["ec2", "hybrid"] if addon.namespace == "kube-system" else ["ec2"],
                    "compatibilities": compatibilities,
                    "requiresConfiguration": False,
                    "requiresIamPermissions": bool(addon.identities),
                }
            )
    return shown


@operation("eks", "DescribeAddonConfiguration")
def describe_addon_configuration(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    addon = ADDONS.get(params["addonName"])
    if addon is None:
        raise not_found(f"No addon found for name: {params['addonName']}", addonName=params["addonName"])
    if params["addonVersion"] not in [version for version, _, _ in addon.versions]:
        raise invalid_parameter("Addon version specified is not supported", addonName=addon.name)
    return {
        "addonName": addon.name,
        "addonVersion": params["addonVersion"],
        "configurationSchema": json.dumps(schema(addon)),
        "podIdentityConfiguration": [
            {"serviceAccount": identity.service_account, "recommendedManagedPolicies": [*identity.policies]}
            for identity in addon.identities
        ],
    }


def check_version(addon: Addon, version: str | None, cluster_version: str) -> str:
    """The version to install: the one asked for when it suits the cluster, else the default."""
    minor = minor_of(cluster_version)
    chosen = version or addon.default(minor)
    if chosen is None or chosen not in addon.suiting(minor):
        raise invalid_parameter("Addon version specified is not supported", addonName=addon.name)
    return chosen
