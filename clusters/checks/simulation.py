"""Asks IAM which of the needed permissions the control plane's principal has."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from clusters import names
from clusters.catalog.kept import kept
from clusters.permissions import PERMISSIONS, Permission, Scope, example
from instantstart.cloud.aws import Aws
from instantstart.cloud.identity import Identity

_THREADS = 8
_ALLOWED_SECONDS = 120.0
"""How long "nothing is missing" is believed. That something is missing is asked anew each time: it is about to be mended."""


class _SomethingMissing(Exception):
    def __init__(self, missing: list[Permission]) -> None:
        self.missing = missing


def denied(aws: Aws, identity: Identity, cluster: str, permissions: Sequence[Permission] = PERMISSIONS) -> list[Permission]:
    """Permissions that IAM's simulation does not allow, in the table's order; one call a scope. CloudError.

    Each action is simulated on the resource that it would meet for a cluster of that name, so that a policy limited to our
    names passes.
    """
    if identity.kind == "root":
        return []  # the root user may do everything, and can't be simulated

    def load() -> None:
        missing = _simulate(aws, identity, cluster, permissions)
        if missing:
            raise _SomethingMissing(missing)  # so that it isn't kept

    try:
        kept(
            (aws.surroundings.key, aws.region, "permissions", identity.role_arn, cluster, str(hash(tuple(permissions)))),
            _ALLOWED_SECONDS,
            load,
        )
    except _SomethingMissing as found:
        return found.missing
    return []


def _simulate(aws: Aws, identity: Identity, cluster: str, permissions: Sequence[Permission]) -> list[Permission]:
    values = {
        "partition": identity.partition,
        "account": identity.account,
        "region": aws.region,
        "cluster": cluster,
        "bucket": names.bucket(cluster, identity.account, aws.region),
    }
    groups: dict[tuple[Scope, tuple[str, ...]], set[str]] = {}
    for permission in permissions:
        groups.setdefault((permission.scope, permission.passed_to), set()).add(permission.action)

    def decide(group: tuple[Scope, tuple[str, ...]]) -> dict[str, str]:
        scope, passed_to = group
        context = (
            [{"ContextKeyName": "iam:PassedToService", "ContextKeyType": "string", "ContextKeyValues": [passed_to[0]]}] if passed_to else []
        )
        decided = aws.pages(
            "iam",
            "simulate_principal_policy",
            "EvaluationResults",
            PolicySourceArn=identity.role_arn,
            ActionNames=sorted(groups[group]),
            ResourceArns=[example(scope, values)],
            **({"ContextEntries": context} if context else {}),
        )
        return {str(item["EvalActionName"]): str(item["EvalDecision"]) for item in decided}

    with ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="simulate") as pool:
        decisions = dict(zip(groups, pool.map(decide, groups), strict=True))
    return [row for row in permissions if decisions[(row.scope, row.passed_to)].get(row.action, "allowed") != "allowed"]
