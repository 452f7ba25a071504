"""How long the plan of a creation takes when every AWS call takes 40 ms: from the POST with `dry_run=true` to its answer.

The product is served as in production; AWS is the sandbox's process, each of whose answers is held back by its fault `slow`.
"""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

from bench import child, fleet
from bench.process import free_port, part, wait_for
from bench.result import Row, percentile
from clusters.tests.sandbox import Sandbox

CALL_SECONDS = 0.04
P50_GOAL = 1.5
PLANS = 40
SPEED = 60.0
WISH = {"group": {"instance_type": "ml.p5.48xlarge", "count": 4}}


def bench(setting: child.Setting) -> list[Row]:
    port = free_port()
    sandbox = Sandbox(setting.folder / "sandbox", SPEED)
    try:
        environment = setting.environment(sandbox.endpoint, PORT=str(port))
        child.set_up(environment)
        token = fleet.operator_token()
        log = setting.folder / "web.log"
        with part("web", environment, log) as web:
            wait_for(f"http://127.0.0.1:{port}/livez", web, log)
            sandbox.fault(kind=f"slow:{CALL_SECONDS}", count=None)
            url = f"http://127.0.0.1:{port}/api/v1/clusters/?dry_run=true"
            first, _ = _plan(url, token, "plan-first")
            before = len(sandbox.requests(limit="100000"))
            found = [_plan(url, token, f"plan-{number:03d}") for number in range(max(4, int(setting.seconds(PLANS))))]
            calls = (len(sandbox.requests(limit="100000")) - before) / len(found)
    finally:
        sandbox.stop()
    seconds = [one for one, _ in found]
    changes = {len(plan["changes"]) for _, plan in found}
    if len(changes) != 1 or not changes.pop():
        raise RuntimeError("the plans do not all show the same number of changes")
    p50, p95 = percentile(seconds, 0.50), percentile(seconds, 0.95)
    return [
        Row("the first plan after the start", f"{first:.2f} s", numbers={"seconds": first}),
        Row(
            f"a plan at {CALL_SECONDS * 1000:.0f} ms per AWS call, p50 of {len(seconds)}",
            f"{p50:.2f} s (p95 {p95:.2f} s, {calls:.0f} calls each)",
            goal=f"<= {P50_GOAL} s",
            met=p50 <= P50_GOAL,
            numbers={"p50": p50, "p95": p95, "calls": calls},
        ),
    ]


def _plan(url: str, token: str, name: str) -> tuple[float, dict[str, Any]]:
    body = json.dumps({"name": name, **WISH}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": name}
    begun = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(url, data=body, headers=headers), timeout=60) as answer:  # noqa: S310  (loopback)
        plan: dict[str, Any] = json.loads(answer.read())
    return time.perf_counter() - begun, plan


if __name__ == "__main__":
    child.main(bench)
