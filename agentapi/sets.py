"""Sets of tools that can be switched on: by the address, a header, the command line, or the token itself."""

from __future__ import annotations

from collections.abc import Mapping

TOOLSETS: Mapping[str, str] = {
    "core": "From nothing to a ready cluster: clusters, phases, operations, catalogue, quotas",
    "groups": "Instance groups: add, scale, change, delete",
    "nodes": "Nodes: look, cordon, drain, reboot, replace, delete",
    "features": "Managed features, storage defaults, software",
    "governance": "Drift, orphans, imports, quota increases, training plans, cost",
    "operations": "History, retry and cancellation of changes",
    "diagnose": "What is wrong, and why",
}
"""Sets of tools that can be switched on, and what each is for. A new one is a row here."""
