"""Whether the nodes' subnet has addresses enough: a node with many EFA cards takes dozens, and the range can't be changed."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.checks.resolve import UNKNOWN_NETWORK
from operations.plan import Check

CODE, TITLE = "addresses", "Addresses of the nodes"
NEARLY_FULL = 0.8


@check(CODE, TITLE)
def subnet_has_addresses_enough(subject: Subject) -> Iterator[Check]:
    group, compute = subject.spec.group, subject.spec.network.compute
    if compute.cidr == UNKNOWN_NETWORK:
        return
    if group.addresses_per_node is None:
        yield warning(
            "addresses_unknown",
            TITLE,
            f"How many addresses a {group.instance_type} takes is not known.",
            "Leave room.",
            "group.instance_type",
        )
        return
    free = compute.addresses
    if subject.spec.network.existing:
        free = int(subject.facts.wait("network")["subnets"].get(compute.id, {}).get("AvailableIpAddressCount", free))
    needed = group.count * group.addresses_per_node
    most = free // group.addresses_per_node
    need = (
        f"{group.count} × {group.instance_type} take {needed} addresses ({group.addresses_per_node} each); {compute.cidr} has {free} free."
    )
    if needed > free:
        yield failed(
            "too_few_addresses",
            TITLE,
            need,
            f"Ask for at most {most}, or use a larger subnet: its range can't be changed later.",
            "group.count",
        )
    elif needed > NEARLY_FULL * free:
        yield warning(
            "addresses_nearly_used_up", TITLE, need, f"{most} such nodes fit in all: plan a larger subnet to grow further.", "group.count"
        )
    else:
        yield passed(CODE, TITLE, f"{need} {most} such nodes fit.")
