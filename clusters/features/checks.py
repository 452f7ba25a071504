"""What is looked at before a feature is changed: what it needs, what needs it, what it excludes, who uses it, the table of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clusters import rules
from clusters.features import REGISTRY, FeatureSeen
from clusters.features.relations import required_by, rivals
from clusters.features.wish import Wish
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.sentences import listing
from operations.choices import Severity
from operations.plan import Check

INSTALLED = ("ACTIVE", "DEGRADED", "UPDATING")
SHOWN = 5


def checks(reader: ClusterReader, spec: ResolvedSpec, wanted: Sequence[Wish], seen: Mapping[str, FeatureSeen]) -> Iterator[Check]:
    """For each feature that changes, in order."""
    after = {name: one.on for name, one in seen.items()} | {wish.name: wish.enabled for wish in wanted}
    for wish in wanted:
        if wish.enabled:
            yield from _before_on(reader, spec, wish, seen, after)
        else:
            yield from _before_off(reader, spec, wish, seen, after)
    yield from _rules(reader, wanted)


def _before_on(
    reader: ClusterReader, spec: ResolvedSpec, wish: Wish, seen: Mapping[str, FeatureSeen], after: Mapping[str, bool]
) -> Iterator[Check]:
    feature = REGISTRY[wish.name]
    for other in feature.requires:
        if not after[other]:
            title = REGISTRY[other].title
            yield _error(
                wish,
                "feature_required",
                f"{feature.title} needs {title}, which is {seen[other].state.label.lower()}.",
                f"Turn {title} on first, or send cascade: true to have both in one plan.",
                "cascade",
            )
    for other in sorted(rivals(wish.name)):
        if after.get(other):
            yield _error(
                wish,
                "feature_conflict",
                f"{feature.title} and {REGISTRY[other].title} can't be on at the same time.",
                f"Turn {REGISTRY[other].title} off first.",
            )
    for addon in feature.needs:
        found = reader.addon(addon)
        if found is None or found.status not in INSTALLED:
            state = "not installed" if found is None else found.status
            yield _error(
                wish,
                "dependency_missing",
                f"{feature.title} needs the add-on {addon}, which is {state}.",
                "Retry the cluster's phase dependencies, which installs it.",
            )
    if feature.needs_hyperpod and reader.hyperpod is None:
        yield _error(
            wish, "hyperpod_missing", f"{feature.title} needs the HyperPod cluster, and there is none.", "Retry the phase hyperpod."
        )
    yield from feature.checks(reader, spec, wish.settings, seen[wish.name])


def _before_off(
    reader: ClusterReader, spec: ResolvedSpec, wish: Wish, seen: Mapping[str, FeatureSeen], after: Mapping[str, bool]
) -> Iterator[Check]:
    feature, found = REGISTRY[wish.name], seen[wish.name]
    if found.state == "absent":
        return
    needing = [REGISTRY[other].title for other in required_by(wish.name) if after.get(other)]
    if needing:
        yield _error(
            wish,
            "feature_needed",
            f"{feature.title} is needed by {', '.join(needing)}.",
            "Turn that off first, or send cascade: true to have all in one plan.",
            "cascade",
        )
    users = feature.users(reader, spec, found)
    if users:
        yield _error(
            wish,
            "feature_in_use",
            f"{feature.title} is in use by {listing(users, SHOWN)}.",
            "Delete these first; what runs on them would be lost.",
        )
    yield from feature.removal_checks(reader, spec, found)


def _rules(reader: ClusterReader, wanted: Sequence[Wish]) -> Iterator[Check]:
    """The table of combination rules, over the cluster as it would be."""
    coming = [wish for wish in wanted if wish.enabled]
    hyperpod = reader.hyperpod if coming else None
    if hyperpod is None:
        return
    facts = rules.Facts(
        orchestrator="slurm" if "Slurm" in (hyperpod.raw.get("Orchestrator") or {}) else "eks",
        continuous=hyperpod.raw.get("NodeProvisioningMode") == "Continuous",
    )
    for wish in coming:
        facts = REGISTRY[wish.name].rule_facts(facts, wish.settings, reader)
    yield from rules.evaluate(facts)


def _error(wish: Wish, code: str, detail: str, fix: str, field: str = "") -> Check:
    feature = REGISTRY[wish.name]
    return Check(
        code=code, severity=Severity.ERROR, title=feature.title, detail=detail, fix=fix, field=field or f"features.{wish.name}.enabled"
    )
