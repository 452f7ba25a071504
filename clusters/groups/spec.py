"""What a person asks for when a group is added to a cluster that is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

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


class VolumeInput(Input):
    """One EBS volume of every node. root: the one that the system is on, of which only the KMS key can be chosen; else a further one,
    which HyperPod mounts at /opt/sagemaker. kms_key: "" for AWS's own."""

    size_gb: Annotated[int, Field(ge=1, le=16384)] | None = None
    root: bool = False
    kms_key: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9:/_-]*$", max_length=2048)] = ""

    @model_validator(mode="after")
    def _size_of_all_but_the_root(self) -> Self:
        if not self.root and self.size_gb is None:
            raise ValueError("a volume that is not the root volume needs its size_gb")
        return self


class NewGroup(GroupInput):
    """Everything but the name has a default.

    minimum: how many nodes HyperPod must reach, with continuous provisioning only. availability_zone: "" for that of the cluster's
    own compute subnet. subnet: "shared" (or "") for the compute subnet of the zone, which is made where there is none yet;
    "dedicated" for one made for this group; or one that is there. lifecycle: S3 folder of a lifecycle script of one's own, with its
    file in on_create; "" for ours. image_id: an AMI of one's own. volumes: EBS volumes instead of the one of volume_gb.
    further_types: what HyperPod takes, in this order, where it has no instance_type.
    """

    name: GroupName
    further_types: Annotated[list[str], Field(max_length=19)] = Field(default_factory=list)
    volumes: Annotated[list[VolumeInput], Field(max_length=20)] | None = None
    minimum: Annotated[int, Field(ge=0, le=6758)] | None = None
    availability_zone: ZoneName = ""
    subnet: SubnetChoice = ""
    lifecycle: Folder = ""
    on_create: Script = "on_create.sh"
    image_id: Annotated[str, StringConstraints(pattern=r"^(ami-[0-9a-f]{8,17})?$")] = ""
    labels: Annotated[dict[LabelKey, LabelValue], Field(max_length=50)] = Field(default_factory=dict)
    taints: Annotated[list[TaintInput], Field(max_length=50)] = Field(default_factory=list)

    @model_validator(mode="after")
    def _volumes_once(self) -> Self:
        # The default counts as not given: a recorded input has it.
        if self.volumes is not None and self.volume_gb != GroupInput.model_fields["volume_gb"].default:
            raise ValueError("give volume_gb for one EBS volume or volumes for several, not both")
        return self

    @property
    def instance_types(self) -> tuple[str, ...]:
        """In the order in which HyperPod tries them."""
        return tuple(dict.fromkeys((self.instance_type, *self.further_types)))

    @property
    def data_volumes(self) -> list[VolumeInput]:
        """Those of `volumes` besides the root volume."""
        return [one for one in self.volumes or () if not one.root]
