"""Whether the nodes' subnet has addresses enough: a node with many EFA cards takes dozens, and the range can't be changed."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.checks.resolve import UNKNOWN_NETWORK
from clusters.resolved import Group
from clusters.spec import group_path
from operations.plan import Check

CODE, TITLE = "addresses", "Addresses of the nodes"
NEARLY_FULL = 0.8


@check(CODE, TITLE)
def subnet_has_addresses_enough(subject: Subject) -> Iterator[Check]:
    groups, compute = subject.spec.all_groups, subject.spec.network.compute
    if compute.cidr == UNKNOWN_NETWORK:
        return
    unknown = [(index, group) for index, group in enumerate(groups) if group.addresses_per_node is None]
    for index, group in unknown:
        yield warning(
            "addresses_unknown",
            TITLE,
            f"How many addresses a {group.instance_type} takes is not known.",
            "Leave room.",
            f"{group_path(index)}.instance_type",
        )
    if unknown:
        return
    free = compute.addresses
    if subject.spec.network.existing:
        free = int(subject.facts.wait("network")["subnets"].get(compute.id, {}).get("AvailableIpAddressCount", free))
    needed = sum(group.count * (group.addresses_per_node or 0) for group in groups)
    said = " and ".join(f"{group.count} × {group.instance_type}" for group in groups)
    need = f"{said} take {needed} addresses ({_each(groups)}); {compute.cidr} has {free} free."
    largest = max(groups, key=lambda group: group.addresses_per_node or 0)
    most = largest.count + (free - needed) // (largest.addresses_per_node or 1)
    nodes = "such nodes" if len(groups) == 1 else f"{largest.instance_type} beside the others"
    if needed > free:
        yield failed(
            "too_few_addresses",
            TITLE,
            need,
            f"Ask for at most {max(most, 0)}{'' if len(groups) == 1 else f' {nodes}'},"
            " or use a larger subnet: its range can't be changed later.",
            f"{group_path(groups.index(largest))}.count",
        )
    elif needed > NEARLY_FULL * free:
        fix = f"{most} {nodes} fit in all: plan a larger subnet to grow further."
        yield warning("addresses_nearly_used_up", TITLE, need, fix, f"{group_path(groups.index(largest))}.count")
    else:
        yield passed(CODE, TITLE, f"{need} {most} {nodes} fit.")


def _each(groups: tuple[Group, ...]) -> str:
    """ "81 each", or for several groups "81 and 50 each"."""
    return f"{' and '.join(str(group.addresses_per_node) for group in groups)} each"
