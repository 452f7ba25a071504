"""The software of a cluster's groups: one call for all of them, and the wait until HyperPod has patched the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clusters.reading import failures
from clusters.reading.hyperpod import GroupReading, HyperPodReading
from clusters.reading.reader import ClusterReader
from clusters.steps import links
from clusters.steps.base import Subject, different, failed, pending, ready
from clusters.steps.groups import GroupStep, group_gone, troubles_of
from operations.step import Fault, Observation, Outcome, StepContext

ENDED_BADLY = ("Failed", "RollbackInProgress", "RollbackComplete")
GIVE_UP_AFTER = 3


def release_of(group: GroupReading) -> str:
    return str(group.raw.get("CurrentImageReleaseVersion") or "")


def due(group: GroupReading, release: str, image_id: str) -> bool:
    """Whether the group has other software than wanted; release "": the newest."""
    if image_id:
        return bool(group.raw.get("CurrentImageId") != image_id)
    if release:
        return release_of(group) != release
    return group.raw.get("ImageVersionStatus") not in ("UpToDate", None, "")


class UpdateSoftware(GroupStep):
    """UpdateClusterSoftware has no token; HyperPod refuses a second one while the first goes on, and what is up to date is not sent."""

    name = "update-software"
    api = "sagemaker:UpdateClusterSoftware"
    typical_seconds = 900

    def __init__(self, subject: Subject, groups: Sequence[str], release: str, image_id: str, deployment: Mapping[str, Any]) -> None:
        super().__init__(subject)
        self.groups, self.release, self.image_id, self.deployment = groups, release, image_id, deployment
        self.title = f"Update the software of {', '.join(groups)}"

    def look_at(self, reader: ClusterReader, found: HyperPodReading, context: StepContext) -> Observation:
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        gone = [name for name in self.groups if found.group(name) is None]
        if gone:
            return failed(group_gone(", ".join(gone), reader.name), link)
        own = [group for group in found.groups if group.name in self.groups]
        under_way = [group.name for group in own if group.status == "SystemUpdating"]
        if under_way or found.status == "SystemUpdating":
            busy = [item for item in reader.instances if item.status == "SystemUpdating"]
            return pending(f"HyperPod updates {', '.join(under_way) or found.name}; {len(busy)} nodes are at it", link)
        left = [group for group in own if due(group, self.release, self.image_id)]
        if not left:
            return ready(f"Up to date: {', '.join(self.groups)}", releases={group.name: release_of(group) for group in own})
        if context.reply:
            badly = [group.name for group in left if group.raw.get("SoftwareUpdateStatus") in ENDED_BADLY]
            if badly or context.attempt > GIVE_UP_AFTER:
                return failed(self._fault(reader, context, badly or [group.name for group in left]), link)
        if (waits := self.at_rest(reader, found)) is not None:
            return waits
        moving = [group for group in left if group.status != "InService"]
        if moving:
            return pending(f"{moving[0].name} is {moving[0].status}; its software is updated when it is InService", link)
        return different(f"Other software than wanted: {', '.join(group.name for group in left)}", groups=[group.name for group in left])

    def _fault(self, reader: ClusterReader, context: StepContext, names: list[str]) -> Fault:
        troubles = troubles_of(reader, context, names)
        if troubles:
            return failures.fault(troubles[0].description, prefix=f"The update of {', '.join(names)} did not last.")
        return Fault(
            "software_not_updated", f"HyperPod took back the update of {', '.join(names)}.", "See the cluster's events, then try again."
        )

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        release = {"ImageReleaseVersion": self.release} if self.release else {}
        request: dict[str, Any] = {"InstanceGroups": [{"InstanceGroupName": name, **release} for name in seen.facts["groups"]]}
        if self.image_id:
            request["ImageId"] = self.image_id
        if self.deployment:
            request["DeploymentConfig"] = dict(self.deployment)
        reply = self.aws.write("sagemaker", "update_cluster_software", ClusterName=self.subject.hyperpod_name, **request)
        return Outcome(reply.request_id, f"Asked HyperPod to update {', '.join(seen.facts['groups'])}", {"accepted": True})
