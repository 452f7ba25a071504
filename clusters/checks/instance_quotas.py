"""SageMaker's quotas for HyperPod instances against what is there and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.catalog import quotas
from clusters.checks.facts import Usage
from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.resolved import ResolvedSpec
from clusters.spec import Capacity, group_path
from operations.plan import Check

CODE, TITLE = "instance_quotas", "Instance quotas"


@check(CODE, TITLE)
def quotas_allow_the_group(subject: Subject) -> Iterator[Check]:
    """By name: codes differ between sources. A quota that Service Quotas doesn't list makes a warning."""
    known, usage = subject.facts.quotas("sagemaker"), subject.facts.usage
    wanted = _wanted(subject.spec, usage)
    rows: list[Check] = []
    unlisted = [name for name in wanted if name not in known]
    for name, (used, more, field) in wanted.items():
        if name in known and used + more > known[name].value:
            quota = known[name]
            where = f"{quota.service}, {quota.code}" if quota.code else quota.service
            unit = "GB" if name == quotas.VOLUME_SIZE else "more"
            in_use = f", {used} in use" if used else ""
            rows.append(
                failed(
                    "quota_too_low",
                    TITLE,
                    f"The quota '{name}' is {quota.value:g}{in_use}, and {more} {unit} are asked for.",
                    f"Ask for {used + more} in Service Quotas ({where}), or ask for less here.",
                    field,
                )
            )
    if unlisted:
        listed = ", ".join(f"'{name}'" for name in unlisted)
        rows.append(
            warning("quota_unlisted", TITLE, f"Service Quotas does not list {listed}.", "Look it up in the console before you go on.")
        )
    if usage.clusters_left_out:
        rows.append(
            warning(
                "usage_incomplete",
                TITLE,
                f"{usage.clusters_left_out} HyperPod clusters were too many to count.",
                "Check the quotas by hand.",
            )
        )
    groups = " and ".join(f"{group.count} × {group.instance_type}" for group in subject.spec.all_groups)
    yield from rows or [passed(CODE, TITLE, f"The quotas allow {groups}.")]


def _wanted(spec: ResolvedSpec, usage: Usage) -> dict[str, tuple[int, int, str]]:
    """Name of a quota → how much of it is in use, how much more is asked for by all groups, and the first field that asks."""
    wanted: dict[str, tuple[int, int, str]] = {}

    def ask(name: str, used: int, more: int, field: str) -> None:
        _, before, first = wanted.get(name, (used, 0, field))
        wanted[name] = (used, before + more, first)

    for index, group in enumerate(spec.all_groups):
        path, kind, asked = group_path(index), group.instance_type, group.count
        if group.volume_gb > wanted.get(quotas.VOLUME_SIZE, (0, 0, ""))[1]:
            wanted[quotas.VOLUME_SIZE] = (0, group.volume_gb, f"{path}.volume_gb")  # of one instance: the largest counts
        if not asked:
            continue
        ask(quotas.INSTANCES_PER_CLUSTER, usage.of_cluster, asked, f"{path}.count")
        ask(quotas.INSTANCES_ALL_CLUSTERS, usage.total, asked, f"{path}.count")
        if group.capacity is Capacity.ON_DEMAND:
            ask(quotas.cluster_usage(kind), usage.on_demand.get(kind, 0), asked, f"{path}.count")
        if group.capacity is Capacity.SPOT:
            ask(quotas.cluster_spot_usage(kind), usage.spot.get(kind, 0), asked, f"{path}.count")
            ask(quotas.SPOT_ALL_CLUSTERS, sum(usage.spot.values()), asked, f"{path}.count")
    return wanted
