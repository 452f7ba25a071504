"""Observing many clusters of one account and region: within the rate limit, at the interval shown, none of them stale.

The dispatcher and the workers are the product's own processes, AWS and Kubernetes are bench.fake_aws. What is measured is the steady
state, after everything was read once; how long that first reading takes under the rate limit is a row of its own.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from bench import child, fleet, replies
from bench.process import ROOT, cpu_seconds, part
from bench.result import Row

SIZES = (50, 200, 1000)
MOVING_SHARE = 0.05
SECONDS = 90.0
SETTLE_SECONDS = 10.0
"""Not measured: the first seconds use what the token bucket had saved up."""
WINDOW = 10
RATE = 10.0
SERVICES = ("eks", "sagemaker", "cloudformation", "iam")


def bench(setting: child.Setting) -> list[Row]:
    child.set_up(setting.environment("http://127.0.0.1:9"))
    rows = []
    for size in SIZES:
        rows += _measure(size, setting)
    return rows


def _measure(size: int, setting: child.Setting) -> list[Row]:
    from django.db import connection

    fleet.clear()
    fleet.make(size, nodes=0)
    names = [f"fleet-{number:04d}" for number in range(size)]
    moving = set(names[:: int(1 / MOVING_SHARE)])
    told = setting.folder / f"world-{size}.json"
    told.write_text(json.dumps(replies.world(names, moving)))
    with _fake(told) as endpoint:
        environment = setting.environment(endpoint)
        os.environ["AWS_ENDPOINT_URL"] = endpoint
        first = _first_looks(names, moving)
        intervals = _schedule(names, moving)
        connection.close()
        log = setting.folder / "work.log"
        seconds = setting.seconds(SECONDS)
        with part("dispatcher", environment, log) as dispatcher, part("worker", environment, log) as worker:
            time.sleep(SETTLE_SECONDS)
            cpu, began = cpu_seconds(dispatcher.pid) + cpu_seconds(worker.pid), time.time()
            time.sleep(seconds)
            cpu, ended = cpu_seconds(dispatcher.pid) + cpu_seconds(worker.pid) - cpu, time.time()
            counts = _counts(endpoint)
        return _rows(size, first, intervals, counts, began, ended, cpu)


@contextmanager
def _fake(told: Path) -> Iterator[str]:
    process = subprocess.Popen([sys.executable, "-m", "bench.fake_aws", str(told)], stdout=subprocess.PIPE, cwd=ROOT, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


def _first_looks(names: list[str], moving: set[str]) -> float:
    """Reads everything once, without the rate limit; CPU seconds of one look here."""
    from django.conf import settings

    from clusters.models import Cluster
    from clusters.names import scope
    from clusters.observing.look import look
    from clusters.observing.write import write
    from operations import pace
    from operations.models import ObservedSource
    from operations.models.observed_source import Pace

    ObservedSource.objects.all().delete()
    rate, settings.AWS_RATE = settings.AWS_RATE, 1e6
    pace._loads[scope(replies.ACCOUNT, replies.REGION)] = (float("inf"), pace.Load(1.0, 1.0))  # keeps its readings for the next look
    Cluster.objects.update(observed_at=None)
    began = time.process_time()
    for row in Cluster.objects.all():
        seen = look(row)
        if seen.troubles:
            raise RuntimeError(f"{row.name} could not be read: {seen.troubles}")
        paced = write(row.name, seen)
        if paced != (Pace.TRANSITION if row.name in moving else Pace.STEADY):
            parts = [(name, one.seen, one.message) for name, one in seen.phases.items()]
            raise RuntimeError(f"{row.name} is {paced}: {parts}, {seen.features}, {seen.feature_troubles}")
    took = (time.process_time() - began) / len(names)
    settings.AWS_RATE = rate
    pace.forget_stretches()
    return took


def _schedule(names: list[str], moving: set[str]) -> dict[str, float]:
    """Sources as they are after a long time: each somewhere in its interval, each kept reading somewhere in its life."""
    from django.utils import timezone

    from clusters.models import Cluster, KeptReading
    from clusters.names import scope
    from clusters.reading.kept import STACK_RESOURCES
    from operations import pace
    from operations.models import ObservedSource
    from operations.models.observed_source import Pace

    at, where, dice = timezone.now(), scope(replies.ACCOUNT, replies.REGION), random.Random(fleet.SEED)
    paces = {name: Pace.TRANSITION if name in moving else Pace.STEADY for name in names}
    ObservedSource.objects.bulk_create(
        ObservedSource(kind="cluster", key=name, cluster=name, scope=where, pace=one, interval=1.0, next_due_at=at, created_at=at)
        for name, one in paces.items()
    )
    pace.forget_stretches()
    spare = pace.spare_seconds(where)
    for name, one in paces.items():
        interval = pace.stretched_interval(one, where)
        due = at + timedelta(seconds=dice.uniform(0, interval))
        ObservedSource.objects.filter(key=name).update(
            interval=interval, next_due_at=due, last_success_at=due - timedelta(seconds=interval)
        )
        Cluster.objects.filter(name=name).update(interval=interval, observed_at=due - timedelta(seconds=interval))
        read_at = at - timedelta(seconds=dice.uniform(0, spare))
        KeptReading.objects.filter(cluster__name=name).exclude(source=STACK_RESOURCES).update(read_at=read_at)
    if not spare:
        KeptReading.objects.exclude(source=STACK_RESOURCES).delete()
    return {
        "steady": pace.stretched_interval(Pace.STEADY, where),
        "moving": pace.stretched_interval(Pace.TRANSITION, where),
        "spare": spare,
    }


def _counts(endpoint: str) -> Counter[tuple[int, str]]:
    found: Counter[tuple[int, str]] = Counter()
    with urllib.request.urlopen(f"{endpoint}/_counts", timeout=30) as answer:  # noqa: S310  (loopback)
        for second, service, _, count in json.loads(answer.read()):
            found[second, service] += count
    return found


def _rows(
    size: int, first: float, intervals: dict[str, float], counts: Counter[tuple[int, str]], began: float, ended: float, cpu: float
) -> list[Row]:
    from django.db.models import Max
    from django.utils import timezone

    from clusters.models import Cluster
    from operations.models import ObservedSource

    now = timezone.now()
    stale = sum(row.stale(now) for row in Cluster.objects.all())
    unread = ObservedSource.objects.filter(failures__gt=0).count()
    looks = Cluster.objects.filter(observed_at__gte=now - timedelta(seconds=ended - began)).count()
    oldest = ObservedSource.objects.order_by("next_due_at").values_list("next_due_at", flat=True).first()
    late = max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
    shown = Cluster.objects.aggregate(longest=Max("interval"))["longest"]
    span = range(int(began) + 1, int(ended))
    numbers: dict[str, float] = {
        **intervals,
        "stale": stale,
        "unreadable": unread,
        "late": late,
        "shown": shown,
        "cpu_ms_first_look": first * 1000,
    }
    parts = []
    for service in SERVICES:
        series = [counts[second, service] for second in span]
        windows = [sum(series[start : start + WINDOW]) / WINDOW for start in range(max(1, len(series) - WINDOW + 1))]
        numbers[f"{service}_mean"], numbers[f"{service}_worst"] = sum(series) / max(1, len(series)), max(windows, default=0.0)
        parts.append(f"{service} {numbers[f'{service}_mean']:.1f} (worst {numbers[f'{service}_worst']:.1f})")
    numbers["looked_at"], numbers["cpu_share"] = looks, cpu / (ended - began)
    fast_enough = all(numbers[f"{service}_worst"] <= RATE for service in SERVICES)
    what = f"{size:,} clusters, {len(range(0, size, int(1 / MOVING_SHARE)))} in transition"
    first_pass = size * 8 / (RATE * 0.8)
    apart = f"; details at rest every {intervals['spare'] / 60:.0f} min" if intervals["spare"] else "; everything at each look"
    return [
        Row(f"{what}: calls/s, worst over {WINDOW} s", ", ".join(parts), f"≤ {RATE:.0f} for each service", fast_enough, numbers),
        Row(
            f"{what}: interval in force",
            f"steady {intervals['steady']:.0f} s, in transition {intervals['moving']:.0f} s{apart}; shown up to {shown:.0f} s",
        ),
        Row(
            f"{what}: stale or unreadable at the end",
            f"{stale} stale, {unread} unreadable, latest look {late:.1f} s late",
            "0",
            not (stale or unread),
        ),
        Row(f"{what}: CPU of dispatcher and workers", f"{cpu / (ended - began) * 100:.0f} % of a core, {first * 1000:.0f} ms a full look"),
        Row(f"{what}: first full reading, by the rate limit", f"{first_pass:.0f} s", numbers={"seconds": first_pass}),
    ]


if __name__ == "__main__":
    child.main(bench)
