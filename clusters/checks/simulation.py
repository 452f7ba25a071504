"""Asks IAM which of the needed permissions the control plane's principal has."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from clusters import names
from clusters.checks.facts import Facts
from clusters.permissions import PERMISSIONS, Permission, example

_THREADS = 8


def denied(facts: Facts, permissions: Sequence[Permission] = PERMISSIONS) -> list[Permission]:
    """Permissions that the simulation does not allow, in the table's order. One call a scope. CloudError."""
    identity = facts.identity
    if identity.kind == "root":
        return []  # the root user may do everything, and can't be simulated
    values = {
        "partition": identity.partition,
        "account": identity.account,
        "region": facts.aws.region,
        "cluster": facts.spec.name,
        "bucket": names.bucket(facts.spec.name, identity.account, facts.aws.region),
    }
    groups: dict[tuple[str, tuple[str, ...]], list[Permission]] = {}
    for permission in permissions:
        groups.setdefault((permission.scope, permission.passed_to), []).append(permission)

    def decide(rows: list[Permission]) -> dict[str, str]:
        resource = example(rows[0].scope, values)
        return facts.simulate(rows[0].scope, sorted({row.action for row in rows}), resource, rows[0].passed_to)

    with ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="simulate") as pool:
        decisions = dict(zip(groups, pool.map(decide, groups.values()), strict=True))
    return [row for row in permissions if decisions[(row.scope, row.passed_to)].get(row.action, "allowed") != "allowed"]
