"""cluster.update_software: the image of the whole cluster's groups or of chosen ones, batch by batch, with alarms that take it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from accounts.principal import Principal
from clusters.actions.exclusive import ExclusiveAction
from clusters.actions.group import known_group, known_hyperpod
from clusters.actions.readable import readable
from clusters.actions.subject import NameInput, cluster_row, known_cluster
from clusters.groups.spec import GroupName
from clusters.groups.work import work_check
from clusters.reading.hyperpod import GROUP_RESOURCE, GroupReading
from clusters.reading.pods import titles, work_on
from clusters.reading.reader import ClusterReader
from clusters.steps.base import Subject
from clusters.steps.software import UpdateSoftware, due, release_of
from operations.action import Verification, register
from operations.choices import Risk
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Plan
from operations.step import Step


class SoftwareInput(NameInput):
    """groups: which; empty: all. release: "MAJOR.MINOR.PATCH", "" for the newest. image_id: an AMI of one's own in its place, or
    "default". batch_percent: how much of a group is updated at a time; wait_seconds: the pause between batches. alarms: CloudWatch
    alarms that take the update back."""

    groups: Annotated[list[GroupName], Field(max_length=100)] = Field(default_factory=list)
    release: Annotated[str, StringConstraints(pattern=r"^(\d+\.\d+\.\d+)?$")] = ""
    image_id: Annotated[str, StringConstraints(pattern=r"^(ami-[0-9a-f]{8,17}|default)?$")] = ""
    batch_percent: Annotated[int, Field(ge=1, le=100)] | None = None
    wait_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    alarms: Annotated[list[Annotated[str, StringConstraints(min_length=1, max_length=255)]], Field(max_length=10)] = Field(
        default_factory=list
    )
    disrupt: bool = False

    def deployment(self) -> dict[str, Any]:
        """DeploymentConfig, {} for AWS's own way."""
        made: dict[str, Any] = {}
        if self.batch_percent is not None:
            made["RollingUpdatePolicy"] = {"MaximumBatchSize": {"Type": "CAPACITY_PERCENTAGE", "Value": self.batch_percent}}
        if self.wait_seconds is not None:
            made["WaitIntervalInSeconds"] = self.wait_seconds
        if self.alarms:
            made["AutoRollbackConfiguration"] = [{"AlarmName": name} for name in self.alarms]
        return made


@register
class UpdateClusterSoftware(ExclusiveAction[SoftwareInput]):
    kind = "cluster.update_software"
    title = "Update the cluster's software"
    risk = Risk.DISRUPTIVE
    Input = SoftwareInput
    typical_seconds = 900

    def subject(self, data: SoftwareInput) -> tuple[str, str]:
        return "software", f"{data.name}/{'+'.join(sorted(data.groups)) or 'all'}"[:200]

    def plan(self, data: SoftwareInput, principal: Principal) -> Plan:
        row = known_cluster(data.name, principal)
        with readable():
            reader = ClusterReader.of(row)
            found = known_hyperpod(reader)
            groups = [known_group(found, name) for name in data.groups] or list(found.groups)
            left = [group for group in groups if due(group, data.release, data.image_id)]
            rows = list(_work(reader, left, data.disrupt)) if left else []
        return Plan(
            kind=self.kind,
            summary=f"Update the software of {', '.join(group.name for group in left) or 'no group'} of {row.name}",
            changes=tuple(_change(row.name, group, data, group in left) for group in groups),
            checks=tuple(rows),
            cost_per_hour_before=row.cost_per_hour,
            cost_per_hour=row.cost_per_hour,
            typical_seconds=self.typical_seconds,
            basis={"groups": [group.name for group in left]},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = SoftwareInput.model_validate(operation.input)
        subject = Subject.of(cluster_row(operation), operation.pk.hex)
        return [UpdateSoftware(subject, operation.plan["basis"]["groups"], data.release, data.image_id, data.deployment())]

    def verify(self, operation: Operation) -> Verification:
        return Verification(
            f"/api/v1/clusters/{operation.input['name']}/groups/",
            'facts.image_standing of each is "UpToDate", or facts.image_release as asked',
        )


def _change(cluster: str, group: GroupReading, data: SoftwareInput, moves: bool) -> Change:
    field, before, after = "software", release_of(group), data.image_id or data.release or "newest"
    return Change(
        resource_type=GROUP_RESOURCE,
        name=f"{cluster}/{group.name}",
        action="update" if moves else "none",
        fields=(FieldChange(field=field, before=before, after=after),) if moves else (),
    )


def _work(reader: ClusterReader, groups: list[GroupReading], disrupt: bool) -> Iterator[Check]:
    names = {group.name for group in groups}
    running = titles(work_on(reader.pods, [item.kubernetes_name for item in reader.instances if item.group_name in names]))
    if running:
        yield work_check(running, disrupt, "The nodes restart in turn; on them", "It is interrupted", "Let it end first")
