"""Faults that a pod asks for by annotation, at any moment of its life.

`sandbox.instantstart.dev/fault`: "exit:<code>", "OOMKilled", "CrashLoopBackOff", "ErrImagePull", "ImagePullBackOff",
"CreateContainerConfigError" or "hang"; `…/fault-message`: what the registry, the kubelet or the ended program says;
`…/fault-after`: seconds from the start of the container (or from the annotation, if that came later); `…/fault-container`: its name,
every container without it; `…/ready-after`: seconds from start to Ready; `…/stop-after`: seconds it goes on after SIGTERM.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

PREFIX = "sandbox.instantstart.dev/"
IMAGE_FAULTS = ("ErrImagePull", "ImagePullBackOff")
CONFIG_FAULT = "CreateContainerConfigError"
_EXIT = re.compile(r"exit:(\d{1,3})")


@dataclass(frozen=True)
class PodFault:
    kind: str  # "exit", "OOMKilled", "CrashLoopBackOff", "image" (what a container waits for before it is made), "hang"
    code: int = 0
    after: float = 0.0
    reason: str = ""
    message: str = ""


def fault(annotations: Mapping[str, str], container: str) -> PodFault | None:
    text = annotations.get(f"{PREFIX}fault", "")
    message = annotations.get(f"{PREFIX}fault-message", "")
    only = annotations.get(f"{PREFIX}fault-container", "")
    if not text or (only and only != container):
        return None
    after = seconds(annotations, "fault-after") or 0.0
    match = _EXIT.fullmatch(text)
    if match:
        return PodFault("exit", int(match[1]) & 255, after, "Error" if int(match[1]) else "Completed", message)
    if text == "OOMKilled":
        return PodFault("OOMKilled", 137, after, "OOMKilled", message)
    if text == "CrashLoopBackOff":
        return PodFault("CrashLoopBackOff", 1, after, "Error", message)
    if text in IMAGE_FAULTS:
        return PodFault("image", message=message)
    if text == CONFIG_FAULT:
        return PodFault("image", reason=CONFIG_FAULT, message=message)
    if text == "hang":
        return PodFault("hang", after=after)
    return None


def seconds(annotations: Mapping[str, str], name: str) -> float | None:
    """A duration among the annotations; None when it is not there or no duration."""
    text = annotations.get(f"{PREFIX}{name}")
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None
