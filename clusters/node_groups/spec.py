"""What a person asks for when a node group is made."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from clusters.groups.labels import LabelKey, LabelValue
from clusters.groups.spec import TaintInput
from clusters.spec import Input

MOST_NODES = 450
NodeGroupName = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9A-Za-z][A-Za-z0-9_-]{0,62}$"),
    Field(description="1 to 63 letters, digits, hyphens and underscores, a letter or digit first."),
]
TypeName = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9-]+\.[a-z0-9-]+$", max_length=32), Field(description="EC2's name, as m5.xlarge.")
]
Count = Annotated[int, Field(ge=0, le=MOST_NODES)]
Most = Annotated[int, Field(ge=1, le=MOST_NODES)]


class NodeCapacity(StrEnum):
    ON_DEMAND = "on-demand"
    SPOT = "spot"
    CAPACITY_BLOCK = "capacity-block"


class NewNodeGroup(Input):
    """Everything but the name has a default.

    instance_types: one, or for Spot several in the order of preference. capacity_reservation: id of the Capacity Block. subnets:
    where the nodes go, empty for the cluster's own compute subnet. efa: whether the nodes get all EFA interfaces of their type.
    """

    instance_types: Annotated[list[TypeName], Field(min_length=1, max_length=20)] = Field(default_factory=lambda: ["m5.xlarge"])
    minimum: Count = 0
    maximum: Most = 3
    desired: Count = 1
    capacity: NodeCapacity = NodeCapacity.ON_DEMAND
    capacity_reservation: Annotated[str, StringConstraints(pattern=r"^(cr-[0-9a-f]{8,17})?$")] = ""
    efa: bool = False
    subnets: Annotated[list[Annotated[str, StringConstraints(pattern=r"^subnet-[0-9a-f]{8,17}$")]], Field(max_length=16)] = Field(
        default_factory=list
    )
    volume_gb: Annotated[int, Field(ge=20, le=16384)] = 200
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] = Field(default_factory=dict)
    taints: Annotated[list[TaintInput], Field(max_length=50)] = Field(default_factory=list)
