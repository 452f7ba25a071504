"""How the nodes are paid for, and what that implies."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, info, passed, warning
from clusters.resolved import Group
from clusters.spec import Capacity, group_path
from operations.plan import Check

CODE, TITLE = "capacity", "Capacity"


@check(CODE, TITLE)
def capacity_is_what_one_expects(subject: Subject) -> Iterator[Check]:
    for index, group in enumerate(subject.spec.all_groups):
        yield from _of_group(group, group_path(index))


def _of_group(group: Group, path: str) -> Iterator[Check]:
    if group.count == 0:
        yield info(
            "no_nodes",
            TITLE,
            "The group starts without nodes: the add-ons stay installed and wait for one.",
            "Scale the group later.",
            f"{path}.count",
        )
    if group.capacity is Capacity.SPOT:
        yield warning(
            "spot_interruptions",
            TITLE,
            "Spot instances are taken back with about two minutes' notice, and the mode of a group can't be changed later.",
            "Use on-demand for jobs without checkpoints.",
            f"{path}.capacity",
        )
    elif group.capacity is Capacity.TRAINING_PLAN:
        yield passed(CODE, TITLE, "The nodes come from the training plan, which is paid for already.")
    elif group.count:
        yield passed(CODE, TITLE, f"{group.count} × {group.instance_type} on demand; HyperPod keeps asking while AWS is out of them.")
