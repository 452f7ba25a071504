"""Importing every cluster of a region: from the search's first call until groups and nodes of all are read, within the rate limit.

The dispatcher and the workers are the product's own processes, AWS and Kubernetes are bench.fake_aws, which lists all clusters in one
page. What the first look leaves for later where there are many (add-ons, events, managed features) is not waited for.
"""

from __future__ import annotations

import json
import os
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from bench import child, replies
from bench.process import part
from bench.reconcile import _fake
from bench.result import Row

if TYPE_CHECKING:
    from operations.models import Operation

CLUSTERS, NODES_EACH = 200, 25
GOAL_SECONDS = 90.0
LONGEST_SECONDS = 600.0
RATE = 10.0
WINDOW = 10
POLL_SECONDS = 0.2


def bench(setting: child.Setting) -> list[Row]:
    child.set_up(setting.environment("http://127.0.0.1:9"))
    size = CLUSTERS // 10 if setting.short else CLUSTERS
    names = [f"fleet-{number:04d}" for number in range(size)]
    told = setting.folder / "world.json"
    told.write_text(json.dumps(replies.world(names, set(), NODES_EACH)))
    with _fake(told) as endpoint:
        environment = setting.environment(endpoint)
        os.environ["AWS_ENDPOINT_URL"] = endpoint
        log = setting.folder / "work.log"
        with part("dispatcher", environment, log), part("worker", environment, log):
            return _measure(names, endpoint)


def _measure(names: list[str], endpoint: str) -> list[Row]:
    from accounts.choices import Role
    from accounts.models import User
    from accounts.principals import principal_for
    from clusters.models import Cluster, FoundCluster, Node
    from operations.submit import submit

    user = User.objects.create(username="bench", role=Role.OPERATOR)
    _ready()
    began = time.time()
    search = submit("import.discover", {"regions": [replies.REGION]}, principal_for(user), channel="api").operation
    first = _until(FoundCluster.objects.exists) - began
    searched = _ended(search) - began
    asked = time.time()
    chosen = [{"region": replies.REGION, "eks_name": name} for name in names]
    imported = submit("cluster.import", {"clusters": chosen}, principal_for(user), channel="api").operation
    shown = time.time() - asked
    _ended(imported)
    total = _until(lambda: not Cluster.objects.filter(observed_at=None).exists()) - began
    nodes, read = Node.objects.count(), Cluster.objects.exclude(observed_at=None).count()
    counts, worst = _worst(endpoint, began)
    fast = total <= GOAL_SECONDS and read == len(names) and nodes == len(names) * NODES_EACH
    numbers = {"seconds": total, "searched": searched, "first": first, "shown": shown, "clusters": read, "nodes": nodes, **worst}
    return [
        Row(
            f"{read:,} clusters and {nodes:,} nodes, searched, imported and read",
            f"{total:.0f} s",
            f"≤ {GOAL_SECONDS:.0f} s",
            fast,
            numbers,
        ),
        Row("of that the search", f"{searched:.0f} s; the first cluster is shown after {first:.1f} s"),
        Row("all of them in the lists, after the yes", f"{shown:.1f} s"),
        Row(
            f"calls/s, worst over {WINDOW} s",
            ", ".join(f"{service} {rate:.1f} ({counts[service]} calls)" for service, rate in sorted(worst.items())),
            f"≤ {RATE:.0f} for each service",
            all(rate <= RATE for rate in worst.values()),
        ),
    ]


def _ready() -> None:
    """Until a dispatcher is at work, so that its start is not measured."""
    from operations.models import Heartbeat

    _until(Heartbeat.objects.exists)


def _until(holds: Callable[[], bool]) -> float:
    """When it held; RuntimeError when it never did."""
    deadline = time.time() + LONGEST_SECONDS
    while time.time() < deadline:
        if holds():
            return time.time()
        time.sleep(POLL_SECONDS)
    raise RuntimeError("it has not come")


def _ended(operation: Operation | None) -> float:
    assert operation is not None

    def over() -> bool:
        operation.refresh_from_db()
        return operation.ended

    at = _until(over)
    if operation.state != "succeeded":
        raise RuntimeError(f"{operation.title} {operation.state}: {operation.error_message}")
    return at


def _worst(endpoint: str, began: float) -> tuple[Counter[str], dict[str, float]]:
    """Calls by service, and the most a second over any WINDOW seconds after what the bucket had saved up is used."""
    with urllib.request.urlopen(f"{endpoint}/_counts", timeout=30) as answer:  # noqa: S310  (loopback)
        said = json.loads(answer.read())
    sums: Counter[str] = Counter()
    by_second: dict[str, Counter[int]] = {}
    for second, service, _, count in said:
        if service != "kubernetes":
            sums[service] += count
            by_second.setdefault(service, Counter())[second] += count
    worst = {}
    for service, series in by_second.items():
        start, end = int(began) + 3, max(series)
        windows = [sum(series[one] for one in range(at, at + WINDOW)) / WINDOW for at in range(start, max(start + 1, end - WINDOW + 2))]
        worst[service] = max(windows, default=0.0)
    return sums, worst


if __name__ == "__main__":
    child.main(bench)
