"""What actions on a cluster share: its name as input, its row, the refusal when there is none."""

from __future__ import annotations

from typing import Literal, overload

from accounts.principal import Principal
from clusters.models import Cluster
from clusters.spec import Input, Name
from instantstart.problem import Problem
from operations.action import Verification
from operations.models import Operation


class NameInput(Input):
    name: Name


def known_cluster(name: str, principal: Principal | None, *, observed_too: bool = False) -> Cluster:
    """The cluster's row. Problem 404 when there is none, or none that this principal may know of.

    observed_too: whether the action may be on a cluster that was imported and not adopted. Unless it says so it may not: Problem 409.
    """
    row = Cluster.objects.filter(name=name).first()
    if row is None or (principal is not None and not principal.may_reach(name)):
        raise Problem(
            404, "cluster_not_found", "Cluster not found", f"There is no cluster {name}.", "List the clusters to see their names."
        )
    if row.observed_only and not observed_too:
        raise Problem(
            409,
            "adopt_first",
            "Adopt it first",
            f"{name} was imported and is only observed: nothing of it is changed from here.",
            f"Adopt it first: POST /api/v1/clusters/{name}/adopt/, or Adopt on its page.",
        )
    return row


def made_here(row: Cluster, what: str) -> None:
    """Problem 409 for an imported cluster, adopted or not. what: the verb, for the sentence ("delete")."""
    if row.imported:
        raise Problem(
            409,
            "not_made_here",
            "Not made here",
            f"{row.name} was made elsewhere and imported: InstantStart does not {what} what it did not make.",
            "Use what made it. To take it off the list here, forget it: nothing but our own tags is removed in AWS.",
        )


@overload
def cluster_row(operation: Operation) -> Cluster: ...
@overload
def cluster_row(operation: Operation, *, missing_ok: Literal[True]) -> Cluster | None: ...
def cluster_row(operation: Operation, *, missing_ok: bool = False) -> Cluster | None:
    """The row that the operation works on."""
    row = Cluster.objects.filter(name=operation.input["name"]).first()
    if row is None and not missing_ok:
        raise Problem(404, "cluster_not_found", "Cluster not found", f"There is no cluster {operation.input['name']} any more.")
    return row


def verify_ready(name: str) -> Verification:
    return Verification(f"/api/v1/clusters/{name}/", 'state is "ready"')
