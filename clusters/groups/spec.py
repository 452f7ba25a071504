"""What a person asks for when a group is added to a cluster that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from clusters.groups.labels import LabelKey, LabelValue, TaintValue
from clusters.spec import GROUP_NAME_RULE, GroupInput, Input

GroupName = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$"), Field(description=GROUP_NAME_RULE)]
Folder = Annotated[str, StringConstraints(pattern=r"^(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\x00-\x1f\x7f]*)?)?$", max_length=1024)]
"""In S3; "" for none."""
Script = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$", max_length=128)]
"""A file below the folder. AWS's model takes any text here, and the node then finds no such file."""
SHARED, DEDICATED = "shared", "dedicated"
SubnetChoice = Annotated[
    str,
    StringConstraints(pattern=r"^(shared|dedicated|subnet-[0-9a-f]{8,17})?$"),
    Field(description="shared (the zone's compute subnet), dedicated (a /20 made for this group), or subnet-…"),
]
ZoneName = Annotated[
    str, StringConstraints(pattern=r"^([a-z]{2}(-[a-z]+)+-\d[a-z])?$"), Field(description="The name of a zone, such as us-west-2b.")
]


class TaintInput(Input):
    key: LabelKey
    value: TaintValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


def taints_as_sent(taints: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """KubernetesConfig's Taints, of taints as TaintInput has them; an empty value is left out."""
    return [{"Key": one["key"], "Effect": one["effect"], **({"Value": one["value"]} if one["value"] else {})} for one in taints]


class NewGroup(GroupInput):
    """Everything but the name has a default.

    minimum: how many nodes HyperPod must reach, with continuous provisioning only. availability_zone: "" for that of the cluster's
    own compute subnet. subnet: "shared" (or "") for the compute subnet of the zone, which is made where there is none yet;
    "dedicated" for one made for this group; or one that is there. lifecycle: S3 folder of a lifecycle script of one's own, with its
    file in on_create; "" for ours. image_id: an AMI of one's own.
    """

    name: GroupName
    minimum: Annotated[int, Field(ge=0, le=6758)] | None = None
    availability_zone: ZoneName = ""
    subnet: SubnetChoice = ""
    lifecycle: Folder = ""
    on_create: Script = "on_create.sh"
    image_id: Annotated[str, StringConstraints(pattern=r"^(ami-[0-9a-f]{8,17})?$")] = ""
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] = Field(default_factory=dict)
    taints: Annotated[list[TaintInput], Field(max_length=50)] = Field(default_factory=list)
