"""SageMaker's quotas for HyperPod instances against what is there and what is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.catalog import quotas
from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.spec import Capacity
from operations.plan import Check

CODE, TITLE = "instance_quotas", "Instance quotas"
_COUNT, _VOLUME = "group.count", "group.volume_gb"


@check(CODE, TITLE)
def quotas_allow_the_group(subject: Subject) -> Iterator[Check]:
    """By name: codes differ between sources. A quota that Service Quotas doesn't list makes a warning."""
    group, known = subject.spec.group, subject.facts.quotas("sagemaker")
    usage = subject.facts.usage
    asked = group.count
    # name of the quota, in use, field
    wanted: list[tuple[str, int, int, str]] = [(quotas.VOLUME_SIZE, 0, group.volume_gb, _VOLUME)]
    if asked:
        wanted.append((quotas.INSTANCES_PER_CLUSTER, 0, asked, _COUNT))
        wanted.append((quotas.INSTANCES_ALL_CLUSTERS, usage.total, asked, _COUNT))
    if asked and group.capacity is Capacity.ON_DEMAND:
        wanted.append((quotas.cluster_usage(group.instance_type), usage.on_demand.get(group.instance_type, 0), asked, _COUNT))
    if asked and group.capacity is Capacity.SPOT:
        wanted.append((quotas.cluster_spot_usage(group.instance_type), usage.spot.get(group.instance_type, 0), asked, _COUNT))
        wanted.append((quotas.SPOT_ALL_CLUSTERS, sum(usage.spot.values()), asked, _COUNT))
    rows: list[Check] = []
    unlisted = [name for name, *_ in wanted if name not in known]
    for name, used, more, field in wanted:
        if name in known and used + more > known[name].value:
            quota = known[name]
            where = f"{quota.service}, {quota.code}" if quota.code else quota.service
            in_use = f", {used} in use" if used else ""
            rows.append(
                failed(
                    "quota_too_low",
                    TITLE,
                    f"The quota '{name}' is {quota.value:g}{in_use}, and {more} {'GB are' if field == _VOLUME else 'more are'} asked for.",
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
    yield from rows or [passed(CODE, TITLE, f"The quotas allow {asked} × {group.instance_type}.")]
