"""How long an idle node stays, and how many may go at once."""

from __future__ import annotations

import math
import re
from typing import Any

from sandbox.kube.protocol import Manifest

_PART = re.compile(r"([0-9]+)([smh])")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def patience(pool: Manifest) -> float | None:
    """Seconds after which a node without pods goes, None for never."""
    given = str((pool["spec"].get("disruption") or {}).get("consolidateAfter", "0s"))
    return None if given == "Never" else sum(int(amount) * _SECONDS[unit] for amount, unit in _PART.findall(given))


def allowance(pool: Manifest, reason: str, nodes: int, leaving: int) -> int:
    """How many more may leave now: the narrowest of the budgets for this reason, less those that are leaving.

    Budgets that hold at certain hours only are taken as holding always.
    """
    budgets: list[dict[str, Any]] = (pool["spec"].get("disruption") or {}).get("budgets", [{"nodes": "10%"}])
    limits = [_limit(str(one["nodes"]), nodes) for one in budgets if not one.get("reasons") or reason in one["reasons"]]
    return max(0, min([nodes, *limits]) - leaving)


def _limit(given: str, nodes: int) -> int:
    if given.endswith("%"):
        return math.ceil(nodes * int(given[:-1]) / 100)
    return int(given)
