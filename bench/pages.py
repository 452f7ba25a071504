"""How fast the pages of a large cluster come while rows change: its own, windows of its nodes, its managed features.

The product is served as in production, by one web process; a browser's session asks; nothing else than the database is behind it.
"""

from __future__ import annotations

import urllib.request
from dataclasses import dataclass

from bench import child, fleet, load
from bench.counter import Counter
from bench.process import cpu_seconds, free_port, part, wait_for
from bench.reads import CHANGES_PER_SECOND, MOST_REQUESTS, P99_GOAL
from bench.result import Row

NODES = 5000
CLUSTERS = 20
MOST_ROWS = 51
"""Of one table in the document: a window of nodes, and the head."""
CONNECTIONS = 2
SECONDS = 15.0


@dataclass(frozen=True)
class Case:
    """rows: whether it is held to a window in the document."""

    what: str
    path: str
    rows: bool = False


CASES = (
    Case("page of a cluster with 5,000 nodes", "clusters/fleet-0000/"),
    Case("5,000 nodes, first window", "clusters/fleet-0000/nodes/", rows=True),
    Case("5,000 nodes, last window", "clusters/fleet-0000/nodes/?page=100", rows=True),
    Case("5,000 nodes, those not well", "clusters/fleet-0000/nodes/?show=unwell", rows=True),
    Case("5,000 nodes, a part of a name", "clusters/fleet-0000/nodes/?q=1387", rows=True),
    Case("managed features", "clusters/fleet-0000/features/"),
)


def bench(setting: child.Setting) -> list[Row]:
    with Counter() as backend:
        port = free_port()
        environment = setting.environment(backend.endpoint, PORT=str(port))
        child.set_up(environment)
        fleet.make(1, nodes=NODES)
        fleet.trouble("fleet-0000", every=50)
        fleet.make(CLUSTERS - 1, first=1)
        cookie = fleet.operator_cookie()
        log = setting.folder / "web.log"
        with part("web", environment, log) as web:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/livez", web, log)
            rows = [_measure(case, setting, f"{address}/{case.path}", cookie, web.pid) for case in CASES]
        calls = backend.connections
    rows.append(Row("calls to AWS or Kubernetes meanwhile", str(calls), goal="0", met=calls == 0, numbers={"calls": float(calls)}))
    return rows


def _measure(case: Case, setting: child.Setting, url: str, cookie: str, pid: int) -> Row:
    shown = _table_rows(url, cookie)
    load.drive(url, cookie=cookie, connections=CONNECTIONS, count=20, seconds=5)  # what is made on first use is not measured
    before = cpu_seconds(pid)
    with fleet.Changes(CHANGES_PER_SECOND):
        seen = load.drive(url, cookie=cookie, connections=CONNECTIONS, count=MOST_REQUESTS, seconds=setting.seconds(SECONDS))
    cpu = (cpu_seconds(pid) - before) / max(1, seen["count"])
    if set(seen["statuses"]) != {"200"}:
        raise RuntimeError(f"{url} answered {seen['statuses']}, not 200 alone")
    goal, met = f"p99 <= {P99_GOAL * 1000:.0f} ms", seen["p99"] <= P99_GOAL
    if case.rows:
        goal, met = f"{goal}, <= {MOST_ROWS} rows", met and shown <= MOST_ROWS
    return Row(
        case.what,
        f"p50 {seen['p50'] * 1000:.0f} ms, p99 {seen['p99'] * 1000:.0f} ms, {shown} rows, {cpu * 1000:.1f} ms CPU/page, "
        f"{seen['bytes'] / 1000:.0f} kB",
        goal,
        met,
        {
            "p50_ms": seen["p50"] * 1000,
            "p99_ms": seen["p99"] * 1000,
            "rows": float(shown),
            "server_cpu_ms": cpu * 1000,
            "bytes": seen["bytes"],
            "requests": float(seen["count"]),
            "connections": float(CONNECTIONS),
        },
    )


def _table_rows(url: str, cookie: str) -> int:
    """How many rows of tables the document has."""
    asked = urllib.request.Request(url, headers={"Cookie": cookie})  # noqa: S310  (loopback)
    with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
        return int(answer.read().decode().count("<tr"))


if __name__ == "__main__":
    child.main(bench)
