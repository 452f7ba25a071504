"""The first cluster, made through the REST API, and what is told of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from instantstart.up.api import Api, said
from instantstart.up.refusal import Refusal

NAME = "demo"
DONE = ("succeeded", "failed", "cancelled", "refused", "expired", "unknown")
POLL_SECONDS = 0.5


def find(api: Api) -> dict[str, Any] | None:
    """The cluster `demo` as the API shows it, or None."""
    answer = api.call("GET", f"/clusters/{NAME}/")
    if answer.status == 404:
        return None
    if answer.status != 200:
        raise Refusal(f"The API does not show the cluster {NAME}: {said(answer.body)}")
    found: dict[str, Any] = answer.body
    return found


def create(api: Api) -> str:
    """Ask for the cluster with every default. Returns the operation's id. Raises Refusal with the plan's errors."""
    answer = api.call("POST", "/clusters/", {"name": NAME}, **{"Idempotency-Key": f"make-up-{NAME}-{time.time_ns()}"})
    if answer.status != 202:
        raise Refusal(f"The cluster {NAME} can't be created: {said(answer.body)}")
    return str(answer.body["id"])


def phases(api: Api) -> list[dict[str, Any]]:
    """The phases in order; one at work also tells its step."""
    rows = listed(api, f"/clusters/{NAME}/phases/")
    for row in rows:
        if row["state"] == "running" and row["operation_id"]:
            operation = api.get(f"/operations/{row['operation_id']}/")
            row["step_title"] = operation["waiting_for"] or operation["message"]
    return rows


def resources(api: Api) -> list[dict[str, Any]]:
    """What was made for the cluster, as AWS and Kubernetes list it."""
    return listed(api, f"/clusters/{NAME}/resources/")


def listed(api: Api, path: str) -> list[dict[str, Any]]:
    """All rows of a list, page by page."""
    rows: list[dict[str, Any]] = []
    next_path: str | None = path
    while next_path:
        body = api.get(next_path)
        rows += body["results"]
        next_path = body["next"].partition("/api/v1")[2] if body["next"] else None
    return rows


def watch(api: Api, operation: str, tick: Callable[[], object]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """The operation and the phases, each time they may have changed, until the operation has ended."""
    while True:
        tick()
        current = api.get(f"/operations/{operation}/")
        yield current, phases(api)
        if current["state"] in DONE:
            return
        time.sleep(POLL_SECONDS)


def seconds_of(phase: dict[str, Any]) -> float | None:
    """How long a phase took, or has been at work; None before it began."""
    if not phase.get("started_at"):
        return None
    began = datetime.fromisoformat(phase["started_at"])
    ended = datetime.fromisoformat(phase["ended_at"]) if phase.get("ended_at") else datetime.now(began.tzinfo)
    return max(0.0, (ended - began).total_seconds())


def outcome(cluster: dict[str, Any], rows: list[dict[str, Any]], made: list[dict[str, Any]], speed: float) -> dict[str, Any]:
    """The JSON document of `--json`."""
    return {
        "ok": len(rows) == 5 and all(phase["state"] == "ready" for phase in rows),
        "cluster": {key: cluster.get(key) for key in ("name", "region", "eks_arn", "hyperpod_arn")},
        "phases": [
            {
                "name": phase["name"],
                "state": phase["state"],
                "wall_seconds": None if (wall := seconds_of(phase)) is None else round(wall, 1),
                "virtual_seconds": None if wall is None else round(wall * speed),
                "operation": phase.get("operation_id"),
            }
            for phase in rows
        ],
        "resources": [{"type": row["resource_type"], "id": row["physical_id"]} for row in made],
    }
