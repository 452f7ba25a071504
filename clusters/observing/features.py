"""What one look saw of the managed features, as rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from clusters import features
from clusters.choices import FeatureState
from clusters.features import FeatureSeen
from clusters.features.entry import UNFINISHED
from clusters.models import Cluster, ClusterFeature
from clusters.observing.look import SET_FEATURES, Look
from clusters.phases.probe import UNKNOWN_AFTER_FAILURES
from clusters.reading.kept import ADDONS, IDENTITIES
from operations.choices import ACTIVE_STATES
from operations.models import Operation
from operations.step import Fault

MOVING = (FeatureState.INSTALLING, FeatureState.REMOVING)
SHOWN = ("state", "seen", "message", "version", "source", "settings", "faults", "parts", "waits_for_nodes", "unreadable")
READ = (*SHOWN, "position", "failures", "unreadable_since", "observed_at", "identities_observed_at")


def moving(seen: Look) -> bool:
    """Whether a feature is on its way, or could not be read: then the next look comes soon."""
    return bool(seen.features_change or seen.feature_troubles) or any(
        one.state in MOVING and not one.waits_for_nodes for one in seen.features.values()
    )


def write_features(row: Cluster, seen: Look) -> bool:
    """Keeps what was read of each feature, and nothing of what could not be. Whether anything that is shown changed."""
    known = {item.name: item for item in row.features.all()}
    working = _working(row.name)
    changed = False
    for position, name in enumerate(features.REGISTRY):
        old = known.pop(name, None)
        item = old or ClusterFeature(cluster=row, name=name)
        before = _shown(item) if old is not None else None
        item.position = position
        if name in seen.features:
            _readable(item, _explained(seen.features[name], working.get(name)), seen)
        elif name in seen.feature_troubles:
            _unreadable(item, _sentence(seen.feature_troubles[name]), seen.began, item.failures + 1)
        else:
            continue
        if old is None:
            item.save(force_insert=True)
        else:
            item.save(update_fields=READ)  # not the operation: actions write that
        changed = changed or _shown(item) != before
    if known:  # of another release
        row.features.filter(name__in=known).delete()
    return changed or bool(known)


def mark_unreadable(row: Cluster, message: str, since: datetime, failures: int) -> bool:
    """Nothing at all of the cluster could be read. Whether anything that is shown changed."""
    changed = False
    for item in row.features.all():
        before = _shown(item)
        _unreadable(item, message, since, failures)
        item.save(update_fields=READ)
        changed = changed or _shown(item) != before
    return changed


def _working(cluster: str) -> dict[str, bool]:
    """Features that an operation works on now: whether it turns them on (or changes them), or off."""
    running = Operation.objects.filter(kind=SET_FEATURES, cluster=cluster, state__in=ACTIVE_STATES)
    return {name: wish["enabled"] for one in running for name, wish in one.plan.get("basis", {}).get("wishes", {}).items()}


def _explained(one: FeatureSeen, turned_on: bool | None) -> FeatureSeen:
    """A chain that is half there while an operation makes it, or takes it away, is on its way; nothing else is explained away."""
    if turned_on is None or one.state is not FeatureState.DEGRADED or any(fault.code not in UNFINISHED for fault in one.faults):
        return one
    return replace(one, state=FeatureState.INSTALLING if turned_on else FeatureState.REMOVING, faults=())


def _readable(item: ClusterFeature, one: FeatureSeen, seen: Look) -> None:
    item.state = item.seen = one.state
    item.message, item.version, item.source = one.message[:1000], one.version, one.source
    item.settings = dict(one.settings)
    item.faults = [{"code": fault.code, "message": fault.message, "hint": fault.hint} for fault in one.faults]
    item.parts = [
        {
            "key": part.key,
            "resource_type": part.resource_type,
            "name": part.name,
            "state": str(part.seen.state),
            "message": part.seen.message,
            "version": part.seen.version,
        }
        for part in one.parts
    ]
    item.waits_for_nodes = one.waits_for_nodes
    item.observed_at = seen.as_of(ADDONS)
    identities = seen.keeper.used.get(IDENTITIES) if seen.keeper else None
    item.identities_observed_at = identities if identities is not None and identities < item.observed_at else None
    item.failures, item.unreadable, item.unreadable_since = 0, "", None


def _unreadable(item: ClusterFeature, message: str, since: datetime, failures: int) -> None:
    item.failures, item.unreadable = failures, message
    item.unreadable_since = item.unreadable_since or since
    if failures >= UNKNOWN_AFTER_FAILURES or not item.seen:
        item.state = FeatureState.UNKNOWN


def _shown(item: ClusterFeature) -> dict[str, Any]:
    return {name: getattr(item, name) for name in SHOWN}


def _sentence(fault: Fault) -> str:
    return f"{fault.message} {fault.hint}".strip()[:1000]
