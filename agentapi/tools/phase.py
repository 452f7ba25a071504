"""Phases of a cluster's creation."""

from __future__ import annotations

from typing import Literal

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import ClusterChange
from agentapi.outputs import Change
from agentapi.tool import Answer, Tool
from agentapi.tools.cluster import READY

PhaseName = Literal["control_plane", "select", "dependencies", "hyperpod", "storage"]


class RetryPhase(ClusterChange):
    """phase: where to go on."""

    phase: PhaseName


async def retry_phase(call: Call, asked: RetryPhase) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/phases/{asked.phase}/retry/"
    return await change(call, asked, "POST", path, values={"cluster": taken.name}, said=taken.said)


TOOLS = (
    Tool(
        "phase_retry",
        "Retry a phase",
        "Make a failed phase again and go on with those after it; what is ready stays.",
        "core",
        RetryPhase,
        Change,
        retry_phase,
        READY,
        idempotent=True,
        open_world=True,
    ),
)
