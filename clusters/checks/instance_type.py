"""Whether HyperPod takes the instance type and the zone of the nodes offers it."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.catalog import instance_types
from clusters.checks.registry import Subject, check, failed, passed, warning
from clusters.resolved import Group
from clusters.spec import Capacity, group_path
from operations.plan import Check

CODE, TITLE = "instance_type", "Instance type"


@check(CODE, TITLE)
def type_is_offered_where_the_nodes_go(subject: Subject) -> Iterator[Check]:
    for index, group in enumerate(subject.spec.all_groups):
        yield from _of_group(subject, group, f"{group_path(index)}.instance_type")


def _of_group(subject: Subject, group: Group, field: str) -> Iterator[Check]:
    kind = group.instance_type
    zone = subject.spec.network.compute.zone.name
    found = instance_types.find(kind)
    if not instance_types.known(kind):
        close = [name for name in instance_types.INSTANCE_TYPES if name.split(".")[1:2] == kind.removeprefix("ml.").split(".")[:1]]
        fix = f"Choose one of {', '.join(sorted(close))}." if close else "The catalogue lists the types: /api/v1/catalog/instance-types/."
        yield failed("instance_type_unknown", TITLE, f"HyperPod has no instance type {kind}.", fix, field)
        return
    if found is None:
        yield warning(
            "instance_type_not_described",
            TITLE,
            f"Nothing is known here about {kind}: addresses and price can't be checked.",
            "Go on knowing that.",
            field,
        )
    offered = subject.facts.offered(kind)
    if zone in offered:
        yield passed(CODE, TITLE, f"EC2 offers {kind} in {zone}.")
        return
    if group.capacity is Capacity.TRAINING_PLAN:
        yield warning(
            "instance_type_not_offered",
            TITLE,
            f"EC2 does not offer {kind} in {zone} on demand; the training plan reserves it.",
            "Check the zone of the training plan.",
            field,
        )
        return
    others = ", ".join(sorted(offered))
    where = f"{zone}" if zone else "the zone of the nodes"
    fix = (
        f"Put the nodes into one of: {others}."
        if others
        else f"Choose another type or region: {subject.spec.region} does not offer it at all."
    )
    yield failed(
        "instance_type_not_offered", TITLE, f"EC2 does not offer {kind} in {where}.", fix, "availability_zones" if others else field
    )
