"""The load, from a process of its own: a bounded number of connections that each ask again as soon as they are answered.

`python -m bench.load URL --connections N --count N --seconds S` with the token in BENCH_TOKEN, or for pages the cookie of a session in
BENCH_COOKIE; prints one JSON object.
Loopback only.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from bench.result import percentile

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Load:
    """latencies in seconds. bodies: how many different ones came."""

    url: str
    token: str
    left: int
    until: float
    cookie: str = ""
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    received: int = 0
    bodies: set[bytes] = field(default_factory=set)

    async def run(self, connections: int) -> None:
        timeout = aiohttp.ClientTimeout(total=30)
        connector = aiohttp.TCPConnector(limit=connections)
        # identity: the bodies are compared and counted as they are.
        who = (
            {"Cookie": self.cookie, "Accept": "text/html"}
            if self.cookie
            else {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        )
        headers = {**who, "Accept-Encoding": "identity"}
        async with aiohttp.ClientSession(connector=connector, timeout=timeout, headers=headers) as session:
            await asyncio.gather(*(self._ask(session) for _ in range(connections)))

    async def _ask(self, session: aiohttp.ClientSession) -> None:
        while self.left > 0 and time.perf_counter() < self.until:
            self.left -= 1
            began = time.perf_counter()
            async with session.get(self.url, allow_redirects=False) as answer:
                body = await answer.read()
            self.latencies.append(time.perf_counter() - began)
            self.statuses[answer.status] += 1
            self.received += len(body)
            self.bodies.add(hashlib.blake2b(body, digest_size=8).digest())


def drive(url: str, token: str = "", *, cookie: str = "", connections: int, count: int, seconds: float) -> dict[str, Any]:
    """The load in a process of its own; what it measured."""
    argv = [sys.executable, "-m", "bench.load", url, "--connections", str(connections), "--count", str(count), "--seconds", str(seconds)]
    environment = {**os.environ, "BENCH_TOKEN": token, "BENCH_COOKIE": cookie}
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=seconds + 60, check=False)
    if done.returncode:
        raise RuntimeError(f"the load broke: {done.stderr[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    if urlsplit(given.url).hostname not in ("127.0.0.1", "localhost", "::1"):
        parser.error("only loopback is put under load")
    began = time.perf_counter()
    load = Load(given.url, os.environ["BENCH_TOKEN"], given.count, began + given.seconds, os.environ.get("BENCH_COOKIE", ""))
    asyncio.run(load.run(given.connections))
    took = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_SELF)
    json.dump(
        {
            "count": len(load.latencies),
            "seconds": took,
            "per_second": len(load.latencies) / took,
            "p50": percentile(load.latencies, 0.5),
            "p99": percentile(load.latencies, 0.99),
            "statuses": {str(status): count for status, count in load.statuses.items()},
            "bytes": load.received / max(1, len(load.latencies)),
            "bodies": len(load.bodies),
            "own_cpu": usage.ru_utime + usage.ru_stime,
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
