"""What a double is: a small class that plays the containers of some images on simulated nodes."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

# $(NAME) in commands and values, as Kubernetes replaces it
_REFERENCE = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")


class Terminal(Protocol):
    """Standard input, output and error of one process."""

    async def read(self) -> bytes:
        """Some bytes of standard input; empty at its end."""
        ...

    async def write(self, data: bytes) -> None: ...

    async def write_error(self, data: bytes) -> None: ...


@dataclass
class Play:
    """One run of one container.

    `started_at` is in epoch seconds; for a run that was under way before the sandbox restarted `resumed` is true, and a double
    goes on from `elapsed` instead of beginning again. `ends` says that the container is meant to end (restartPolicy is not Always).
    """

    pod: dict[str, Any]
    spec: dict[str, Any]
    node: str
    capacity: Mapping[str, str]
    started_at: float
    speed: float
    log: Callable[[str], None]
    resumed: bool = False
    lines_before: int = 0  # of its log, written before the restart
    ends: bool = False
    scratch: dict[str, Any] = field(default_factory=dict)  # the double's own, for this run

    @property
    def elapsed(self) -> float:
        """Real seconds since the run began."""
        return time.time() - self.started_at

    @property
    def image(self) -> str:
        image: str = self.spec.get("image", "")
        return image

    @property
    def command(self) -> list[str]:
        """The command line as given in the pod; empty when the image's own is used."""
        environment = self.environment
        words = [*(self.spec.get("command") or []), *(self.spec.get("args") or [])] if self.spec.get("command") else []
        return [_expand(word, environment) for word in words]

    @property
    def environment(self) -> dict[str, str]:
        """The variables whose values the pod itself tells: literal ones and fields of the pod."""
        metadata, spec, status = self.pod["metadata"], self.pod["spec"], self.pod.get("status") or {}
        fields = {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata["namespace"],
            "metadata.uid": metadata["uid"],
            "spec.nodeName": self.node,
            "spec.serviceAccountName": spec.get("serviceAccountName", "default"),
            "status.podIP": status.get("podIP", ""),
            "status.hostIP": status.get("hostIP", ""),
        }
        found = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME": metadata["name"], "HOME": "/root"}
        for variable in self.spec.get("env") or []:
            source = (variable.get("valueFrom") or {}).get("fieldRef")
            if source:
                found[variable["name"]] = _field(source["fieldPath"], fields, metadata)
            elif "valueFrom" not in variable:
                found[variable["name"]] = _expand(variable.get("value") or "", found)
        return found


class Double(ABC):
    """Subclass it in a file of its own, name its images, and decorate it with `@registry.register`.

    One instance plays all its containers, so what belongs to a run is kept in `Play.scratch`.
    """

    # shell patterns for the image's name with its tag; the longest that matches wins
    images: ClassVar[tuple[str, ...]] = ()
    # how long it goes on after SIGTERM, in seconds; beyond the pod's grace period it is killed
    stop_seconds: ClassVar[float] = 0.0
    # the CSI driver that its DaemonSet's pod registers on the node
    csi_driver: ClassVar[str] = ""
    # whether it is the CNI's DaemonSet, without which a node that needs a CNI is not Ready
    gives_network: ClassVar[bool] = False

    def ready_after(self, play: Play) -> float:
        """Seconds from start to Ready."""
        return 0.0

    @abstractmethod
    async def run(self, play: Play) -> int:
        """Play the container until it ends by itself; the exit code. Cancelled when it is stopped."""

    async def execute(self, play: Play, command: list[str], terminal: Terminal) -> int:
        """`kubectl exec`: the exit code of the command."""
        from sandbox.kube.doubles import shell

        return await shell.execute(command, shell.Surroundings.of(play), terminal)


def _expand(text: str, environment: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda match: environment.get(match[1], match[0]), text)


def _field(path: str, fields: Mapping[str, str], metadata: Mapping[str, Any]) -> str:
    match = re.fullmatch(r"metadata\.(labels|annotations)\['(.+)'\]", path)
    if match:
        value: str = (metadata.get(match[1]) or {}).get(match[2], "")
        return value
    return fields.get(path, "")
