"""The fields that are compared, in the words of our own actions: of the cluster, of its groups, of its managed features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusters.groups.change import current
from clusters.models import ClusterFeature
from clusters.reading.hyperpod import HyperPodReading
from clusters.resolved import ResolvedSpec

CLUSTER = "cluster"
GROUP, FEATURE = "group/", "feature/"
THERE = "there"
"""The field that says whether a group or feature is there at all."""
COMPARED_OF_GROUPS = (
    "count",
    "labels",
    "taints",
    "volume_gb",
    "threads_per_core",
    "deep_health_checks",
    "minimum",
    "lifecycle",
    "on_create",
)
NODE_RECOVERY, PROVISIONING = "node_recovery", "provisioning_mode"
Fields = dict[str, dict[str, Any]]
"""Resource → field → value."""
ON = ("active", "degraded", "installing")
SETTLED = ("active", "degraded", "absent")


def group(name: str) -> str:
    return f"{GROUP}{name}"


def feature(name: str) -> str:
    return f"{FEATURE}{name}"


def observed(found: HyperPodReading, features: Iterable[ClusterFeature]) -> Fields:
    """What is there now, of everything that could be read and is at rest."""
    seen: Fields = {
        CLUSTER: {
            NODE_RECOVERY: found.raw.get("NodeRecovery", "None"),
            PROVISIONING: found.raw.get("NodeProvisioningMode", "None"),
        }
    }
    for one in found.groups:
        if one.status == "Deleting":
            continue
        now = {**current(one), "count": one.target_count, THERE: True}
        seen[group(one.name)] = {name: _plain(name, now[name]) for name in (THERE, *COMPARED_OF_GROUPS)}
    for row in features:
        if row.state not in SETTLED:
            continue
        on = row.state in ON
        seen[feature(row.name)] = {THERE: on, **({name: value for name, value in row.settings.items() if value is not None} if on else {})}
    return seen


def created(spec: ResolvedSpec) -> Fields:
    """What a creation asks for."""
    made: Fields = {CLUSTER: {NODE_RECOVERY: "Automatic", PROVISIONING: "Continuous"}}
    for one in spec.all_groups:
        made[group(one.name)] = {
            THERE: True,
            "count": one.count,
            "labels": {},
            "taints": [],
            "volume_gb": one.volume_gb,
            "threads_per_core": one.threads_per_core,
            "deep_health_checks": sorted(str(check) for check in spec.checks_of(one)),
        }
    return made


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a request about a group, of those that are compared."""
    return {name: _plain(name, values[name]) for name in COMPARED_OF_GROUPS if values.get(name) is not None}


def _plain(name: str, value: Any) -> Any:
    """Order says nothing in lists of checks and taints."""
    if name == "deep_health_checks":
        return sorted(str(one) for one in value)
    if name == "taints":
        return sorted(value, key=lambda one: (one["key"], one["effect"]))
    return value
