"""Drift as an alert: one of a cluster, while a field is open."""

from __future__ import annotations

from clusters.choices import DriftState
from clusters.models import Cluster
from operations.alerts import AlertKind, Trouble, tell


def tell_of(row: Cluster) -> None:
    """Opens, changes or closes the cluster's alert. Runs in the caller's transaction."""
    fields = list(row.drifts.filter(state=DriftState.OPEN).values_list("resource", "field"))
    trouble = None
    if fields:
        named = ", ".join(f"{resource} {field}" for resource, field in fields[:5])
        more = f" and {len(fields) - 5} more" if len(fields) > 5 else ""
        trouble = Trouble(
            f"{row.name} is not as InstantStart left it: {named}{more}.",
            "Accept, ignore or put back each field; nothing is put back unless you ask for it.",
            link=f"/clusters/{row.name}/drift/",
        )
    tell(AlertKind.DRIFT, f"cluster:{row.name}", trouble, cluster=row.name)
