"""Actions on parts of a cluster, of which one at a time works on one group or node."""

from __future__ import annotations

from typing import TypeVar

from clusters.actions.subject import NameInput
from clusters.groups.overlap import refuse_overlap
from operations.action import Action
from operations.models import Operation

PartInput = TypeVar("PartInput", bound=NameInput)


class ExclusiveAction(Action[PartInput]):
    """Its plan's basis names the groups and nodes that it works on."""

    def record(self, data: PartInput, operation: Operation) -> None:
        refuse_overlap(data.name, operation)
