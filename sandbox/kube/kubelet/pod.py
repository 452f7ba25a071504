"""One pod on a node: volumes, address, init containers, containers, termination; and the reporting of its status."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sandbox.kube.kubelet import pod_status, volumes
from sandbox.kube.kubelet.addresses import AddressesExhausted
from sandbox.kube.kubelet.container import Container, Ending
from sandbox.kube.kubelet.nodes import Machine, subnet_of
from sandbox.kube.kubelet.times import text_of
from sandbox.kube.protocol import KubeError, Manifest

if TYPE_CHECKING:
    from sandbox.kube.kubelet.cluster import ClusterKubelet

log = logging.getLogger(__name__)

_WAIT_SECONDS = 0.5
_LONGEST_WAIT = 2.0
_REPEAT_EVENT_SECONDS = 30.0
_RETRY_SECONDS = 0.5


class PodWorker:
    def __init__(self, kubelet: ClusterKubelet, machine: Machine, manifest: Manifest) -> None:
        self.manifest = manifest
        self.machine = machine
        metadata, spec = manifest["metadata"], manifest["spec"]
        self.uid: str = metadata["uid"]
        self.name: str = metadata["name"]
        self.namespace: str = metadata["namespace"]
        self.logs = kubelet.logs
        self.has_init = bool(spec.get("initContainers"))
        policy = spec.get("restartPolicy", "Always")
        init_policy = "Never" if policy == "Never" else "OnFailure"
        self.init = [
            Container(self, item, policy=item.get("restartPolicy") or init_policy, init=True) for item in spec.get("initContainers") or []
        ]
        self.main = [Container(self, item, policy=policy) for item in spec["containers"]]
        self.address = ""
        self._kubelet = kubelet
        self._started = ""
        self._told: dict[str, Any] | None = None
        self._told_version = 0  # the resource version that our last report made
        self._dirty = False
        self._reporting: asyncio.Task[None] | None = None
        self._life: asyncio.Task[None] | None = None
        self._terminating: asyncio.Task[None] | None = None
        self._pulls_changed = asyncio.Event()
        self._gone = False

    @property
    def annotations(self) -> Mapping[str, str]:
        return self.manifest["metadata"].get("annotations") or {}

    @property
    def node_name(self) -> str:
        return self.machine.spec.name

    @property
    def capacity(self) -> Mapping[str, str]:
        """What its containers may use of devices: their limits, so that two pods on a node see only their own."""
        limits: dict[str, str] = {}
        for container in self.manifest["spec"]["containers"]:
            limits |= (container.get("resources") or {}).get("limits") or {}
        return limits

    @property
    def host_network(self) -> bool:
        return bool(self.manifest["spec"].get("hostNetwork"))

    def speed(self) -> float:
        return self._kubelet.speed()

    def container(self, name: str) -> Container | None:
        return next((item for item in [*self.init, *self.main] if item.name == name), None)

    def begin(self) -> None:
        if (self.manifest.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            self._resume()
        else:
            self._life = asyncio.create_task(self._live(), name=f"pod {self.namespace}/{self.name}")
        if self.manifest["metadata"].get("deletionTimestamp"):
            self._terminate()

    def update(self, manifest: Manifest) -> None:
        """The API tells of a change."""
        before, self.manifest = self.annotations, manifest
        if manifest["metadata"].get("deletionTimestamp"):
            self._terminate()
        elif self.annotations != before:
            for container in [*self.init, *self.main]:
                container.react()
        if self._was_overruled():
            self._told = {"conditions": manifest["status"].get("conditions", [])}
            self.changed()

    def abandon(self) -> None:
        """The object is gone from the API, or the sandbox stops: end without a word."""
        self._gone = True
        for task in (self._life, self._reporting, self._terminating):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        for container in [*self.init, *self.main]:
            container.abandon()
        self._kubelet.unplug(self)
        if self.address and not self.host_network:
            self._kubelet.addresses.give_back(subnet_of(self.machine.spec), self.address)

    def restart_all(self) -> None:
        """The machine was rebooted: its containers ended with it and start anew."""
        for container in [*self.init, *self.main]:
            container.strike(Ending(255, "Unknown"))

    def event(self, kind: str, reason: str, message: str, container: Container | None = None) -> None:
        if self.machine.lost:
            return
        field = "" if container is None else f"spec.{'initContainers' if container.init else 'containers'}{{{container.name}}}"
        record = self._kubelet.recorder.warning if kind == "Warning" else self._kubelet.recorder.normal
        record({"kind": "Pod", **self.manifest}, reason, message, host=self.node_name, field=field)

    def container_ready(self, container: Container) -> None:
        self._kubelet.plug(self, container)

    async def image_pull_changed(self) -> None:
        changed = self._pulls_changed
        await changed.wait()

    def wake_image_pulls(self) -> None:
        changed, self._pulls_changed = self._pulls_changed, asyncio.Event()
        changed.set()

    def changed(self) -> None:
        """Something that the status shows has changed: report it soon, together with what else changes meanwhile."""
        self._dirty = True
        if self._reporting is None and not self._gone:
            self._reporting = asyncio.create_task(self._report(), name=f"status of {self.namespace}/{self.name}")

    def _was_overruled(self) -> bool:
        """Whether somebody else changed a condition that we reported: the node controller does it to pods of lost nodes."""
        if self._told is None or int(self.manifest["metadata"]["resourceVersion"]) <= self._told_version:
            return False
        there = {item["type"]: item["status"] for item in (self.manifest.get("status") or {}).get("conditions", [])}
        return any(there.get(item["type"]) != item["status"] for item in self._told["conditions"])

    async def _live(self) -> None:
        resumed = self._resume()
        await self.machine.answering.wait()
        if not resumed:
            self._started = text_of(time.time())
            if volumes.waits_for_something(self.manifest):
                await self._until_mounted()
            await self._get_address()
        for container in self.init:
            container.begin()
            if container.sidecar:
                await container.settled.wait()
            else:
                await container.ended.wait()
                if container.exit_code != 0:
                    self.changed()
                    return
        for container in self.main:
            container.begin()
        for container in self.main:
            await container.ended.wait()
        for container in self.init:
            if container.sidecar and self._terminating is None:
                await container.stop(0.0)
        self.changed()

    def _resume(self) -> bool:
        """Take over a pod that ran before the sandbox was restarted. Whether it did."""
        status = self.manifest.get("status") or {}
        if not status.get("podIP") and status.get("phase") not in ("Succeeded", "Failed"):
            return False
        self._started = status.get("startTime") or text_of(time.time())
        self.address = status.get("podIP", "")
        if self.address and not self.host_network:
            self._kubelet.addresses.claim(subnet_of(self.machine.spec), self.address)
        known = {item["name"]: item for item in [*status.get("containerStatuses", []), *status.get("initContainerStatuses", [])]}
        for container in [*self.init, *self.main]:
            if container.name in known:
                container.resume(known[container.name])
        if status.get("phase") in ("Succeeded", "Failed"):
            for container in [*self.init, *self.main]:
                container.end_for_good()
        self._told = {"conditions": [item for item in status.get("conditions", []) if "lastTransitionTime" in item]}
        return True

    async def _until_mounted(self) -> None:
        told, told_at, wait = "", 0.0, _WAIT_SECONDS
        while True:
            try:
                sentence = await volumes.blocker(self._kubelet.client, self.manifest, self._kubelet.drivers(self.node_name))
            except KubeError:
                sentence = told
            if not sentence:
                return
            now = time.monotonic()
            if sentence != told or now - told_at > _REPEAT_EVENT_SECONDS:
                in_environment = sentence.startswith("Error: ")
                self.event("Warning", "Failed" if in_environment else "FailedMount", sentence)
                reason = "CreateContainerConfigError" if in_environment else "ContainerCreating"
                for container in self.main:
                    container.state = {"waiting": {"reason": reason} | ({"message": sentence} if in_environment else {})}
                told, told_at = sentence, now
                self.changed()
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, _LONGEST_WAIT)

    async def _get_address(self) -> None:
        if self.host_network:
            self.address = self.machine.spec.ip
            return
        told = False
        while True:
            try:
                self.address = self._kubelet.addresses.take(subnet_of(self.machine.spec))
                return
            except AddressesExhausted as error:
                if not told:
                    detail = (
                        f'plugin type="aws-cni" name="aws-cni" failed (add): add cmd: failed to assign an IP address to container: {error}'
                    )
                    self.event("Warning", "FailedCreatePodSandBox", f"Failed to create pod sandbox: {detail}")
                    self.changed()
                    told = True
                await asyncio.sleep(_LONGEST_WAIT)

    def _terminate(self) -> None:
        if self._terminating is None and not self._gone:
            self._terminating = asyncio.create_task(self._end(), name=f"end of {self.namespace}/{self.name}")

    async def _end(self) -> None:
        """Stop the containers within the grace period, report how they ended, and let go of the object."""
        await self.machine.answering.wait()
        metadata = self.manifest["metadata"]
        grace = float(metadata.get("deletionGracePeriodSeconds") or 0)
        if self._life is not None and not any(container.play for container in [*self.init, *self.main]):
            self._life.cancel()  # nothing has run yet
        running = [container for container in self.main if container.running]
        if running:
            for container in running:
                self.event("Normal", "Killing", f"Stopping container {container.name}", container)
        await asyncio.gather(*(container.stop(grace) for container in self.main))
        await asyncio.gather(*(container.stop(grace) for container in self.init))
        if metadata.get("finalizers") or metadata.get("ownerReferences", [{}])[0].get("kind") == "Job":
            # whoever holds the object looks at how its containers ended
            self.changed()
        if self._reporting is not None:
            await asyncio.wait([self._reporting])
        await self._delete()

    async def _delete(self) -> None:
        path = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"
        while True:
            await self.machine.answering.wait()
            try:
                await self._kubelet.client.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": self.uid}})
                return
            except KubeError as error:
                if error.status in (404, 409):
                    return
                await asyncio.sleep(_RETRY_SECONDS)

    async def _report(self) -> None:
        path = f"/api/v1/namespaces/{self.namespace}/pods/{self.name}/status"
        try:
            while self._dirty:
                await self.machine.answering.wait()
                self._dirty = False
                status = pod_status.build(
                    self.init,
                    self.main,
                    pod_ip=self.address,
                    host_ip=self.machine.spec.ip,
                    started=self._started or text_of(time.time()),
                    generation=self.manifest["metadata"].get("generation"),
                )
                pod_status.keep_transition_times(status, self._told)
                if status == self._told:
                    continue
                try:
                    patch = {"metadata": {"uid": self.uid}, "status": status}
                    answer = await self._kubelet.client.request("PATCH", path, patch, content_type="application/strategic-merge-patch+json")
                    self._told, self._told_version = status, int(answer["metadata"]["resourceVersion"])
                except KubeError as error:
                    if error.status in (404, 409):  # gone, or another pod of the same name
                        return
                    if error.status in (400, 403, 422):
                        log.error("status of pod %s/%s is refused: %s", self.namespace, self.name, error)
                        return
                    self._dirty = True
                    await asyncio.sleep(_RETRY_SECONDS)
        finally:
            self._reporting = None
