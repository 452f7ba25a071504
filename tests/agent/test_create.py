"""From nothing to a ready cluster, by the text of a skill alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.agent.conftest import Begin, in_time
from tests.agent.interpreter import Run, StoppedError
from tests.conftest import Running

pytestmark = [pytest.mark.kube, pytest.mark.xdist_group("stack")]
SKILL = "create-cluster-pipeline"
ANSWERS = {"instance_type": "ml.g5.8xlarge", "count": 1, "capacity": "on-demand", "zone": None, "go_ahead": True}
HELD: dict[str, dict[str, Any]] = {
    "select": {"scenario": "kube_partition", "cluster": "{cluster}"},
    "storage": {"kind": "throttle", "service": "s3", "operation": "CreateBucket", "count": 1000},
}
PHASES = ["control_plane", "select", "dependencies", "hyperpod", "storage"]


def test_a_cluster_is_made_and_the_agent_killed_in_each_phase_goes_on_with_it(agent: Begin, running: Running) -> None:
    """One creation, five agents: each is killed while its phase is at work; the next begins the text from its first step."""
    made: list[str] = []
    runs: list[Run] = []

    @contextmanager
    def held(phase: str) -> Iterator[None]:
        """Keeps a phase at work which would be over before it is seen."""
        if phase not in HELD:
            yield
            return
        faults = f"{running.stack.endpoint}/_sandbox/faults"
        fault = {name: value.format(cluster=made[-1]) if isinstance(value, str) else value for name, value in HELD[phase].items()}
        reply = running.stack.http.request("POST", faults, json=fault)
        assert reply.status == 200, reply.data
        try:
            yield
        finally:
            running.stack.http.request("DELETE", f"{faults}/{reply.json()['id']}")

    async def killed_in(phase: str) -> None:
        run = Run()
        runs.append(run)
        going = asyncio.ensure_future(agent(f"killed-in-{phase}", **ANSWERS).follow(SKILL, run=run))
        while not going.done():
            name = run.known.get("plan", {}).get("cluster") if run.known.get("make") or made else None
            if name and await asyncio.to_thread(at_work, running, name, phase):
                made.append(name)
                going.cancel()
            await asyncio.sleep(0.05)
        with pytest.raises(asyncio.CancelledError):
            going.result()

    for phase in PHASES:
        with held(phase):
            in_time(killed_in(phase), 240)
    assert len(runs) == len(PHASES)
    last = in_time(agent("last", **ANSWERS).follow(SKILL), 240)
    assert len(set(made)) == 1
    assert last.said[-1].startswith(f"{made[0]} is ready in us-west-2: 1/1 nodes")
    assert [name for name, arguments in last.calls if name == "cluster_create" and not arguments.get("dry_run")] == []
    created = running.api.get(f"/operations/?kind=cluster.create&cluster={made[0]}")["results"]
    assert [operation["state"] for operation in created] == ["succeeded"]


def at_work(running: Running, name: str, phase: str) -> bool:
    answer = running.api.call("GET", f"/clusters/{name}/")
    return answer.status == 200 and any(one["name"] == phase and one["state"] == "running" for one in answer.body["phases"])


def test_what_can_not_be_had_is_told_and_nothing_is_made(agent: Begin, running: Running) -> None:
    before = running.api.get("/clusters/?fields=name")["results"]
    asking = agent("wrong-type", **{**ANSWERS, "instance_type": "ml.nothing.large"})
    with pytest.raises(StoppedError, match=r"ml\.nothing\.large is not offered there"):
        in_time(asking.follow(SKILL))
    assert asking.asked == ["instance_type", "count", "capacity", "zone"]
    assert running.api.get("/clusters/?fields=name")["results"] == before


def test_without_a_yes_nothing_is_made(agent: Begin, running: Running) -> None:
    before = running.api.get("/clusters/?fields=name")["results"]
    with pytest.raises(StoppedError, match="Nothing was made"):
        in_time(agent("hesitant", **{**ANSWERS, "go_ahead": False}).follow(SKILL))
    assert running.api.get("/clusters/?fields=name")["results"] == before
