"""Kubernetes versions: only those whose control plane the sandbox can really run (DESIGN §6).

Dates: Kubernetes 1.36.0 came out on 22 April 2026; EKS follows within about two months; 14 months of standard support, then 12 of
extended (reference/aws.md §2.1). The exact EKS dates of 1.36 are an estimate: they are not in the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@dataclass(frozen=True)
class KubernetesVersion:
    """One minor version that can run. `patch` is the built hyperkube's version."""

    minor: str
    patch: str
    platform: str
    released: datetime
    standard_support_ends: datetime
    extended_support_ends: datetime


RUNNABLE = (
    KubernetesVersion(
        minor="1.36",
        patch="1.36.3",
        platform="eks.4",
        released=datetime(2026, 6, 9, tzinfo=UTC),
        standard_support_ends=datetime(2027, 8, 9, tzinfo=UTC),
        extended_support_ends=datetime(2028, 8, 9, tzinfo=UTC),
    ),
)
DEFAULT = RUNNABLE[0]


def runnable(minor: str) -> KubernetesVersion | None:
    return next((version for version in RUNNABLE if version.minor == minor), None)


@operation("eks", "DescribeClusterVersions")
def describe_cluster_versions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("clusterVersions") or []
    status = params.get("versionStatus") or str(params.get("status") or "").upper().replace("-", "_")
    if params.get("clusterType", "eks") != "eks":
        return {"clusterVersions": []}
    shown = []
    for version in RUNNABLE:
        described = _describe(version, context.timestamp)
        if wanted and version.minor not in wanted:
            continue
        if status and described["versionStatus"] != status:
            continue
        if params.get("defaultOnly") and not described["defaultVersion"]:
            continue
        shown.append(described)
    return {"clusterVersions": shown}


def _describe(version: KubernetesVersion, now: float) -> dict[str, Any]:
    if now < version.standard_support_ends.timestamp():
        status = "STANDARD_SUPPORT"
    elif now < version.extended_support_ends.timestamp():
        status = "EXTENDED_SUPPORT"
    else:
        status = "UNSUPPORTED"
    return {
        "clusterVersion": version.minor,
        "clusterType": "eks",
        "defaultPlatformVersion": version.platform,
        "defaultVersion": version is DEFAULT,
        "releaseDate": version.released,
        "endOfStandardSupportDate": version.standard_support_ends,
        "endOfExtendedSupportDate": version.extended_support_ends,
        "status": status.lower().replace("_", "-"),
        "versionStatus": status,
        "kubernetesPatchVersion": version.patch,
    }
