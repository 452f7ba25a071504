"""From a reading to the state that is shown."""

from __future__ import annotations

from typing import Any

import pytest

from clusters.choices import Seen, State
from clusters.models import Cluster
from clusters.phases.probe import derive, overall
from clusters.state import cluster_state
from operations.choices import OperationState

ROWS: list[tuple[str, str, bool, bool, State]] = [
    # seen, operation, made, removing → shown
    ("", "", False, False, State.PENDING),
    ("", OperationState.RUNNING, False, False, State.RUNNING),
    (Seen.ABSENT, "", False, False, State.PENDING),
    (Seen.ABSENT, OperationState.RUNNING, False, False, State.RUNNING),
    (Seen.ABSENT, OperationState.FAILED, False, False, State.FAILED),
    (Seen.ABSENT, OperationState.CANCELLED, False, False, State.CANCELLED),
    (Seen.ABSENT, OperationState.SUCCEEDED, True, False, State.GONE),
    (Seen.ABSENT, OperationState.UNKNOWN, False, False, State.UNKNOWN),
    (Seen.CHANGING, "", False, False, State.RUNNING),
    (Seen.CHANGING, OperationState.FAILED, False, False, State.FAILED),
    (Seen.CHANGING, OperationState.RUNNING, True, True, State.DELETING),
    (Seen.READY, OperationState.FAILED, True, False, State.READY),
    (Seen.READY, OperationState.RUNNING, True, True, State.READY),
    (Seen.DEGRADED, OperationState.SUCCEEDED, True, False, State.DEGRADED),
    (Seen.FAILED, OperationState.RUNNING, False, False, State.RUNNING),
    (Seen.FAILED, "", False, False, State.FAILED),
    (Seen.DELETING, "", True, False, State.DELETING),
    (Seen.ABSENT, OperationState.RUNNING, True, True, State.GONE),
    (Seen.ABSENT, OperationState.FAILED, False, True, State.GONE),
]


@pytest.mark.parametrize(("seen", "operation", "made", "removing", "shown"), ROWS)
def test_a_reading_wins_and_an_operation_explains(seen: str, operation: str, made: bool, removing: bool, shown: State) -> None:
    assert derive(seen, failures=0, made=made, operation_state=operation, removing=removing) is shown


@pytest.mark.parametrize("seen", ["", *Seen.values])
def test_two_readings_that_failed_make_it_unknown_whatever_was_seen_before(seen: str) -> None:
    facts: dict[str, Any] = {"made": True, "operation_state": "", "removing": False}
    assert derive(seen, failures=1, **facts) is not State.UNKNOWN
    assert derive(seen, failures=2, **facts) is State.UNKNOWN


def test_a_cluster_is_ready_only_when_every_phase_is() -> None:
    assert overall([State.READY] * 5) is State.READY
    for state in set(State) - {State.READY, State.ABSENT}:
        assert overall([State.READY] * 4 + [state]) is state


def test_what_an_imported_cluster_does_not_have_is_absent_and_no_fault_of_it() -> None:
    assert derive(Seen.ABSENT, failures=0, made=False, operation_state="", removing=False, imported=True) is State.ABSENT
    assert derive(Seen.ABSENT, failures=0, made=True, operation_state="", removing=False, imported=True) is State.GONE
    assert overall([State.READY, State.ABSENT, State.READY]) is State.READY
    assert overall([State.READY, State.ABSENT, State.DEGRADED]) is State.DEGRADED
    assert overall([State.GONE, State.ABSENT]) is State.GONE


def test_a_cluster_without_phases_seen_is_pending_and_one_without_any_left_is_gone() -> None:
    assert overall([State.PENDING] * 5) is State.PENDING
    assert overall([State.GONE] * 5) is State.GONE


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        (OperationState.AWAITING_APPROVAL, State.READY),  # nothing is being deleted yet
        (OperationState.REFUSED, State.READY),
        (OperationState.RECORDED, State.DELETING),
        (OperationState.RUNNING, State.DELETING),
    ],
)
def test_a_cluster_is_deleting_once_its_deletion_may_begin(operation: str, shown: State) -> None:
    cluster = Cluster(name="demo", operation_kind="cluster.delete", operation_state=operation)
    assert cluster_state(cluster, [State.READY] * 5) is shown
