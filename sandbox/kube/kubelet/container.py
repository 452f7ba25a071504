"""One container of a pod: its runs one after the other, with back-off, and the state that the pod's status shows."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox.kube.doubles import registry
from sandbox.kube.doubles.double import Double, Play
from sandbox.kube.kubelet import pod_faults
from sandbox.kube.kubelet.logs import RunLog
from sandbox.kube.kubelet.times import seconds_of, text_of

if TYPE_CHECKING:
    from sandbox.kube.kubelet.pod import PodWorker

log = logging.getLogger(__name__)

# the kubelet's: the first restart at once, then 10 s, 20 s … 5 minutes; forgotten after 10 good minutes
_FIRST_BACKOFF = 10.0
_LONGEST_BACKOFF = 300.0
_GOOD_RUN = 600.0
_SHORTEST_BACKOFF = 0.25  # of real seconds, however fast the sandbox's time runs
_KILLED = 137


@dataclass(frozen=True)
class Ending:
    code: int
    reason: str


class Container:
    """`states` follow the API: {"waiting": …}, {"running": …} or {"terminated": …}."""

    def __init__(self, pod: PodWorker, spec: dict[str, Any], *, policy: str, init: bool = False) -> None:
        self.spec = spec
        self.name: str = spec["name"]
        self.init = init
        self.policy = policy  # "Always", "OnFailure" or "Never"
        self.restarts = 0
        self.state: dict[str, Any] = {"waiting": {"reason": "PodInitializing" if pod.has_init else "ContainerCreating"}}
        self.last_state: dict[str, Any] = {}
        self.ready = False
        self.started = False
        self.ended = asyncio.Event()  # for good: it will not be restarted
        self.settled = asyncio.Event()  # Ready once, or ended: what comes after a sidecar may begin
        self.play: Play | None = None
        self._pod = pod
        self._crashes = 0
        self._run: asyncio.Task[int] | None = None
        self._struck: Ending | None = None
        self._life: asyncio.Task[None] | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._hanging = False

    @property
    def sidecar(self) -> bool:
        return self.init and self.policy == "Always"

    @property
    def double(self) -> Double:
        return registry.find(self.spec.get("image", ""))

    @property
    def exit_code(self) -> int | None:
        terminated = self.state.get("terminated")
        return None if terminated is None else terminated["exitCode"]

    @property
    def running(self) -> bool:
        return "running" in self.state

    def log(self, restart: int | None = None) -> RunLog:
        return self._pod.logs.run(self._pod.uid, self.name, self.restarts if restart is None else restart)

    def begin(self) -> None:
        """Start its life in the background; `ended` tells when it is over."""
        if self._life is None and not self.ended.is_set():
            self._life = asyncio.create_task(self._live(), name=f"{self._pod.name}/{self.name}")

    def resume(self, status: dict[str, Any]) -> None:
        """Take over what the API knows of it from before a restart of the sandbox."""
        self.restarts = status.get("restartCount", 0)
        self.state = status.get("state") or self.state
        self.last_state = status.get("lastState") or {}
        if "terminated" in self.state and not self._restarts_after(self.state["terminated"]["exitCode"]):
            self.end_for_good()

    def react(self) -> None:
        """The pod's annotations have changed: a fault may strike a container that runs."""
        self._arm_fault()
        self._pod.wake_image_pulls()

    def strike(self, ending: Ending) -> None:
        """End the run that is under way."""
        if self._run is not None and not self._run.done():
            self._struck = ending
            self._run.cancel()

    async def stop(self, grace: float) -> None:
        """SIGTERM, and SIGKILL after the grace period; it is not restarted."""
        self.policy = "Never"
        if self._run is None or self._run.done():
            if self._life is not None:
                self._life.cancel()
            self.end_for_good()
            return
        asked = pod_faults.seconds(self._pod.annotations, "stop-after")
        wanted = self.double.stop_seconds if asked is None else asked
        if wanted > 0:
            await asyncio.sleep(min(wanted, grace))
        killed = wanted > grace or self._hanging
        self.strike(Ending(_KILLED, "Error") if killed else Ending(0, "Completed"))
        await self.ended.wait()

    def abandon(self) -> None:
        """The pod or the machine is gone: nothing is reported any more."""
        for timer in self._timers:
            timer.cancel()
        for task in (self._run, self._life):
            if task is not None:
                task.cancel()
        self.end_for_good()

    def end_for_good(self) -> None:
        self.ended.set()
        self.settled.set()

    def status(self) -> dict[str, Any]:
        """Its entry in the pod's `containerStatuses`."""
        image = self.spec.get("image", "")
        digest = hashlib.sha256(image.encode()).hexdigest()
        body: dict[str, Any] = {
            "name": self.name,
            "image": image,
            "imageID": "" if "waiting" in self.state and not self.restarts else f"{image.partition('@')[0]}@sha256:{digest}",
            "ready": self.ready,
            "started": self.started,
            "restartCount": self.restarts,
            "state": self.state,
            "lastState": self.last_state,
        }
        if "waiting" not in self.state or self.restarts:
            body["containerID"] = self._container_id()
        return body

    async def _live(self) -> None:
        resumed = self.running
        while True:
            if not resumed and not await self._image_there():
                return
            ending = await self._one_run(resumed)
            resumed = False
            self._note_end(ending)
            if not self._restarts_after(ending.code):
                self.end_for_good()
                self._pod.changed()
                return
            await self._back_off()
            self.restarts += 1

    async def _image_there(self) -> bool:
        """Wait until no annotation keeps the image away."""
        announced = False
        while (fault := pod_faults.fault(self._pod.annotations, self.name)) and fault.kind == "image":
            image = self.spec.get("image", "")
            if fault.reason:
                if not announced:
                    self._pod.event("Warning", "Failed", f"Error: {fault.message}", self)
                    announced = True
                self.state = {"waiting": {"reason": fault.reason, "message": fault.message}}
                self._pod.changed()
                await self._pod.image_pull_changed()
                continue
            if not announced:
                self._pod.event("Normal", "Pulling", f'Pulling image "{image}"', self)
                self._pod.event("Warning", "Failed", f'Failed to pull image "{image}": {fault.message or f"{image}: not found"}', self)
                self._pod.event("Warning", "Failed", "Error: ErrImagePull", self)
                announced = True
            self.state = {"waiting": {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}}
            self._pod.changed()
            await self._pod.image_pull_changed()
        return True

    async def _one_run(self, resumed: bool) -> Ending:
        started = time.time()
        if resumed:
            started = _started_at(self.state, started)
        self._struck, self._hanging = None, False
        self.state = {"running": {"startedAt": text_of(started)}}
        self.started = True
        self.play = Play(
            pod=self._pod.manifest,
            spec=self.spec,
            node=self._pod.node_name,
            capacity=self._pod.capacity,
            started_at=started,
            speed=self._pod.speed(),
            log=self._write,
            resumed=resumed,
            lines_before=self.log().lines() if resumed else 0,
            ends=self.policy != "Always" or (self.init and not self.sidecar),
        )
        double = self.double
        self._run = asyncio.create_task(double.run(self.play), name=f"{self._pod.name}/{self.name}#{self.restarts}")
        if not resumed:
            self._pod.event("Normal", "Pulled", f'Container image "{self.play.image}" already present on machine', self)
            self._pod.event("Normal", "Created", f"Created container: {self.name}", self)
            self._pod.event("Normal", "Started", f"Started container {self.name}", self)
        self._arm_readiness(double, started)
        self._arm_fault()
        self._pod.changed()
        ending = await self._until_over(self._run)
        while self._hanging and self._struck is None:  # its process never comes back
            self._run = asyncio.create_task(_for_ever())
            ending = await self._until_over(self._run)
        return ending

    async def _until_over(self, run: asyncio.Task[int]) -> Ending:
        try:
            code = await run
        except asyncio.CancelledError:
            if self._struck is None:
                run.cancel()
                raise
            return self._struck
        except Exception:
            # a double's own mistake must end one container, not the sandbox
            log.exception("the double of %s/%s failed", self._pod.name, self.name)
            return Ending(1, "Error")
        return Ending(code, "Completed" if code == 0 else "Error")

    def _note_end(self, ending: Ending) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        self.log().end()
        started = self.state["running"]["startedAt"]
        self.state = {
            "terminated": {
                "exitCode": ending.code,
                "reason": ending.reason,
                "startedAt": started,
                "finishedAt": text_of(time.time()),
                "containerID": self._container_id(),
            }
        }
        fault = pod_faults.fault(self._pod.annotations, self.name)
        if fault is not None and fault.message and fault.code == ending.code:
            self.state["terminated"]["message"] = fault.message  # what the program wrote to /dev/termination-log
        self.ready = self.started = False
        if self.init and ending.code == 0:
            self.ready = True
        run = self.play
        self._crashes = 0 if run is not None and run.elapsed > _GOOD_RUN else self._crashes + 1

    async def _back_off(self) -> None:
        """Wait before the next run, the state showing why."""
        self.last_state = self.state
        if self._crashes > 1:
            nominal = min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2.0 ** min(self._crashes - 2, 10))
            where = f"{self.name} pod={self._pod.name}_{self._pod.namespace}({self._pod.uid})"
            message = f"back-off {nominal:.0f}s restarting failed container={where}"
            self.state = {"waiting": {"reason": "CrashLoopBackOff", "message": message}}
            self._pod.event("Warning", "BackOff", f"Back-off restarting failed container {where}", self)
            self._pod.changed()
            await asyncio.sleep(max(_SHORTEST_BACKOFF, nominal / self._pod.speed()))
        else:
            self._pod.changed()
            await asyncio.sleep(_SHORTEST_BACKOFF)

    def _restarts_after(self, code: int) -> bool:
        return self.policy == "Always" or (self.policy == "OnFailure" and code != 0)

    def _arm_readiness(self, double: Double, started: float) -> None:
        if self.play is None:
            return
        asked = pod_faults.seconds(self._pod.annotations, "ready-after")
        wait = (double.ready_after(self.play) if asked is None else asked) - (time.time() - started)
        if wait <= 0:
            self._become_ready()
        else:
            self._later(wait, self._become_ready)

    def _become_ready(self) -> None:
        if self.running:
            self.ready = True
            self.settled.set()
            self._pod.container_ready(self)
            self._pod.changed()

    def _arm_fault(self) -> None:
        fault = pod_faults.fault(self._pod.annotations, self.name)
        if fault is None or not self.running or fault.kind == "image":
            return
        if fault.kind == "hang":
            self._later(fault.after, self._hang)
        else:
            self._later(fault.after, lambda: self.strike(Ending(fault.code, fault.reason)))

    def _hang(self) -> None:
        self._hanging = True

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        self._timers.append(asyncio.get_running_loop().call_later(seconds, action))

    def _write(self, text: str) -> None:
        if not self._hanging:
            self.log().write(text)

    def _container_id(self) -> str:
        return "containerd://" + hashlib.sha256(f"{self._pod.uid}/{self.name}/{self.restarts}".encode()).hexdigest()


async def _for_ever() -> int:
    await asyncio.Event().wait()
    return 0


def _started_at(state: dict[str, Any], otherwise: float) -> float:
    started = state.get("running", {}).get("startedAt")
    return seconds_of(started) if started else otherwise
