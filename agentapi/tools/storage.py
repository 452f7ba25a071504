"""Storage of a cluster: what jobs and endpoints mount when they name nothing else."""

from __future__ import annotations

from agentapi.call import Call
from agentapi.inputs import OnCluster
from agentapi.outputs import One
from agentapi.outside import outside
from agentapi.tool import Answer, Tool
from agentapi.words import UNKNOWN, slim


class Defaults(One):
    """claim: the PersistentVolumeClaim. bucket: behind it. state: of the phase that makes it."""

    claim: str
    bucket: str
    region: str
    state: str


async def defaults(call: Call, asked: OnCluster) -> Answer:
    taken = await call.cluster(asked.cluster)
    found = await call.rest.get(f"clusters/{taken.name}/", {"fields": "region,spec,phases"})
    storage = found["spec"].get("storage") or {}
    state = next((phase["state"] for phase in found["phases"] if phase["name"] == "storage"), UNKNOWN)
    data = {
        "claim": outside(storage.get("claim")),
        "bucket": outside(storage.get("bucket") or found["spec"].get("bucket")),
        "region": found["region"],
        "state": state,
    }
    return Answer(f"The storage of {taken.name} is {state}.", {**taken.said, **slim(data)})


TOOLS = (
    Tool(
        "storage_defaults",
        "Look at the default storage",
        "The claim, bucket and region that are mounted when nothing else is named.",
        "core",
        OnCluster,
        Defaults,
        defaults,
    ),
)
