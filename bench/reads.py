"""Reading through REST: lists, details and nodes, the product served as in production, and not one call to a backend."""

from __future__ import annotations

from dataclasses import dataclass

from bench import child, fleet, load
from bench.counter import Counter
from bench.process import cpu_seconds, free_port, memory_mb, part, wait_for
from bench.result import Row

PER_SECOND_GOAL = 245.0
P99_GOAL = 0.250
CHANGES_PER_SECOND = 10.0
MOST_REQUESTS = 20_000
"""Of one measurement, whatever its time."""


@dataclass(frozen=True)
class Case:
    """clusters: how many there are. nodes: of the first of them, where it is a large one. path: under /api/v1/."""

    what: str
    clusters: int
    path: str
    nodes: int = 0
    connections: int = 8
    seconds: float = 8.0
    per_second: float | None = None
    p99: float | None = None


CASES = (
    Case("list, 1 cluster", 1, "clusters/"),
    Case("detail, 1 cluster", 1, "clusters/fleet-0000/"),
    Case("list, 20 clusters", 20, "clusters/"),
    Case("detail among 20 clusters", 20, "clusters/fleet-0007/"),
    Case("list, 50 clusters with groups", 50, "clusters/", seconds=20.0, per_second=PER_SECOND_GOAL),
    Case("list, 200 clusters in one page", 200, "clusters/?limit=200", seconds=15.0, p99=P99_GOAL),
    Case("list, first 50 of 200 clusters", 200, "clusters/", p99=P99_GOAL),
    Case("detail among 200 clusters", 200, "clusters/fleet-0007/", p99=P99_GOAL),
    Case("list, one of 200 clusters with 5,000 nodes", 200, "clusters/", nodes=5000, p99=P99_GOAL),
    Case("detail of a cluster with 5,000 nodes", 200, "clusters/fleet-0000/", nodes=5000, p99=P99_GOAL),
    Case("200 nodes of its 5,000", 200, "clusters/fleet-0000/nodes/?limit=200", nodes=5000),
)


def bench(setting: child.Setting) -> list[Row]:
    with Counter() as backend:
        port = free_port()
        environment = setting.environment(backend.endpoint, PORT=str(port))
        child.set_up(environment)
        token = fleet.operator_token()
        log = setting.folder / "web.log"
        rows = []
        with part("web", environment, log) as web:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/livez", web, log)
            made: tuple[int, int] = (0, 0)
            for case in CASES:
                if made != (case.clusters, case.nodes):
                    made = (case.clusters, case.nodes)
                    _prepare(case)
                rows.append(_measure(case, setting, f"{address}/api/v1/{case.path}", token, web.pid))
            rows.append(Row("memory of the web part afterwards", f"{memory_mb(web.pid):.0f} MB", numbers={"mb": memory_mb(web.pid)}))
        calls = backend.connections
    rows.append(
        Row("calls to AWS or Kubernetes meanwhile", str(calls), goal="0", met=calls == 0, numbers={"calls": float(calls)}),
    )
    return rows


def _prepare(case: Case) -> None:
    fleet.clear()
    if case.nodes:
        fleet.make(1, nodes=case.nodes)
        fleet.make(case.clusters - 1, first=1)
    else:
        fleet.make(case.clusters)


def _measure(case: Case, setting: child.Setting, url: str, token: str, pid: int) -> Row:
    load.drive(url, token, connections=case.connections, count=50, seconds=5)  # what is made on first use is not measured
    before = cpu_seconds(pid)
    with fleet.Changes(CHANGES_PER_SECOND) as changes:
        seen = load.drive(url, token, connections=case.connections, count=MOST_REQUESTS, seconds=setting.seconds(case.seconds))
    cpu = (cpu_seconds(pid) - before) / max(1, seen["count"])
    if set(seen["statuses"]) != {"200"}:
        raise RuntimeError(f"{url} answered {seen['statuses']}, not 200 alone")
    if case.path.partition("?")[0] == "clusters/" and changes.made > 2 and seen["bodies"] < 2:
        raise RuntimeError(f"{url} answered the same through {changes.made} changes: something remembers whole answers")
    measured = (
        f"{seen['per_second']:.0f} req/s, p50 {seen['p50'] * 1000:.0f} ms, p99 {seen['p99'] * 1000:.0f} ms, "
        f"{cpu * 1000:.2f} ms CPU/req, {seen['bytes'] / 1000:.1f} kB"
    )
    goals, met = [], []
    if case.per_second is not None:
        goals.append(f"≥ {case.per_second:.0f} req/s")
        met.append(seen["per_second"] >= case.per_second)
    if case.p99 is not None:
        goals.append(f"p99 ≤ {case.p99 * 1000:.0f} ms")
        met.append(seen["p99"] <= case.p99)
    return Row(
        case.what,
        measured,
        ", ".join(goals),
        all(met) if met else None,
        {
            "per_second": seen["per_second"],
            "p50_ms": seen["p50"] * 1000,
            "p99_ms": seen["p99"] * 1000,
            "server_cpu_ms": cpu * 1000,
            "load_cpu_ms": seen["own_cpu"] * 1000 / max(1, seen["count"]),
            "bytes": seen["bytes"],
            "connections": float(case.connections),
            "requests": float(seen["count"]),
            "bodies": float(seen["bodies"]),
            "changes": float(changes.made),
        },
    )


if __name__ == "__main__":
    child.main(bench)
