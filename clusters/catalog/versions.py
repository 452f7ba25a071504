"""Kubernetes versions: what EKS offers beside what HyperPod documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from django.conf import settings

HyperPodSays = Literal["documented", "older", "newer", "unlisted"]


@dataclass(frozen=True)
class KubernetesVersion:
    """One version that EKS offers.

    support: "standard", "extended" or "unsupported". standard_until, extended_until: last days, None when AWS gives none.
    hyperpod: whether HyperPod's documented list (a setting) holds it, or it is older or newer than all on it.
    """

    version: str
    support: str
    default: bool
    standard_until: date | None
    extended_until: date | None
    hyperpod: HyperPodSays


def order(version: str) -> tuple[int, ...]:
    """ "1.9" before "1.31"; ValueError for what is no version."""
    return tuple(int(part) for part in version.split("."))


def hyperpod_says(version: str, listed: Sequence[str] | None = None) -> HyperPodSays:
    """How a version stands to HyperPod's documented list (default: the setting)."""
    documented = sorted(settings.HYPERPOD_KUBERNETES_VERSIONS if listed is None else listed, key=order)
    if version in documented:
        return "documented"
    if not documented or order(version) > order(documented[-1]):
        return "newer"
    return "older" if order(version) < order(documented[0]) else "unlisted"


def described(rows: Iterable[Mapping[str, Any]]) -> list[KubernetesVersion]:
    """EKS' clusterVersions, newest first."""
    versions = [
        KubernetesVersion(
            version=str(row["clusterVersion"]),
            support=_support(row),
            default=bool(row.get("defaultVersion")),
            standard_until=_day(row.get("endOfStandardSupportDate")),
            extended_until=_day(row.get("endOfExtendedSupportDate")),
            hyperpod=hyperpod_says(str(row["clusterVersion"])),
        )
        for row in rows
    ]
    return sorted(versions, key=lambda found: order(found.version), reverse=True)


def preferred(offered: Sequence[KubernetesVersion]) -> KubernetesVersion | None:
    """The default here: the newest in standard support that HyperPod documents, else the newest that it documents."""
    documented = [found for found in offered if found.hyperpod == "documented"]
    standard = [found for found in documented if found.support == "standard"]
    return next(iter(standard), None) or next(iter(documented), None)


def _support(row: Mapping[str, Any]) -> str:
    said = str(row.get("versionStatus") or row.get("status") or "").lower().replace("_", "-")
    return {"standard-support": "standard", "extended-support": "extended"}.get(said, "unsupported")


def _day(value: Any) -> date | None:
    return value.date() if isinstance(value, datetime) else None
