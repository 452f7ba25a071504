"""Every action of the registry that calls AWS, with every fault of the wire on its call: it ends right, and nothing is done twice.

The rows are those of the actions that are killed; what meets faults elsewhere is named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from accounts.models import User
from clusters.models import Drift, Orphan
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from clusters.tests.groups.test_every_action import GROUP, KILLED_ELSEWHERE, ROWS, Field, Row
from clusters.tests.sandbox import Sandbox
from clusters.tests.training_plans.test_training_plans import asked, offers
from operations.choices import OperationState
from operations.models import Intent

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("kill_actions")]

FAULTED_ELSEWHERE = {
    "cluster.create": "clusters/tests/test_replies.py",
    "cluster.delete": "clusters/tests/test_replies.py",
    "phase.control_plane": "clusters/tests/test_replies.py, as a child",
    "phase.select": "clusters/tests/test_replies.py, as a child",
    "phase.dependencies": "clusters/tests/test_replies.py, as a child",
    "phase.hyperpod": "clusters/tests/test_replies.py, as a child",
    "phase.storage": "clusters/tests/test_replies.py, as a child",
    "feature.set": "clusters/tests/features/test_faults.py",
    "cluster.adopt": "clusters/tests/imports/test_adopting.py",
    "cluster.forget": "clusters/tests/imports/test_adopting.py",
}
WITHOUT_A_CALL = {"import.discover", "cluster.import", "account.add", "account.test", "account.remove"}
"""Change nothing in AWS: they read, or write rows of ours."""
PASSING = ("throttle",) * 5 + ("reset", "error:ExpiredTokenException", "reply_lost")
TROUBLES = (("access_denied",), PASSING, ("error_after",))
"""What the call meets, one after the other."""
UNTOLD = (("access_denied",), tuple(kind for kind in PASSING if kind != "reset"), ("error_after",))
"""The same where nobody can tell whether a call left that was cut off: such an operation is unknown (test_nodes)."""
number = count(1)


def purchase(_: Field) -> dict[str, Any]:
    name = f"run-{next(number)}"
    return asked(offers()[0], plan=name, confirm=name)


AGAIN: dict[str, Callable[[Field], dict[str, Any]]] = {
    "group.update": lambda _: {"name": "demo", "group": GROUP, "labels": {"team": f"red-{next(number)}"}},
    "quota.request_increase": lambda _: {
        "region": "us-west-2",
        "quota": f"ml.g5.{(2, 4, 8, 16)[next(number) % 4]}xlarge for cluster usage",
        "value": 999,
    },
    "training_plan.purchase": purchase,
}
"""Inputs that are something new each time."""


@pytest.fixture
def field(standing_once: Standing, pointed: Sandbox, operator: User, transactional_db: None) -> Iterator[Field]:
    pointed.no_faults()
    if standing_once.arn and standing_once.arn == standing_once.arn_now():
        standing_once.remember()
    else:
        standing_once.make(operator)
    yield Field(standing_once, operator)
    pointed.no_faults()


def test_every_action_meets_faults() -> None:
    assert {row.kind for row in ROWS if row.calls} & FAULTED_ELSEWHERE.keys() == set()
    assert {*FAULTED_ELSEWHERE, *WITHOUT_A_CALL} == set(KILLED_ELSEWHERE)


@pytest.mark.parametrize("row", [row for row in ROWS if row.calls], ids=lambda row: row.kind)
def test_an_action_whose_call_meets_every_fault_ends_right_and_has_its_effect_once(field: Field, admin_person: User, row: Row) -> None:
    standing, sandbox = field.standing, field.standing.sandbox
    denied = False
    for trouble in UNTOLD if row.untold else TROUBLES:
        Drift.objects.all().delete()
        Orphan.objects.all().delete()
        if not denied:  # what was denied changed nothing: the next finds what it needs
            row.before(field)
        given = AGAIN.get(row.kind, row.given)(field)
        standing.mark()
        denied = trouble == ("access_denied",)
        for call in row.calls[:1] if denied else row.calls:
            for kind in trouble:
                sandbox.fault(kind=kind, operation=call)
        operation = run(sandbox, admin_person if row.by_admin else field.who, row.kind, **given)
        assert {fault["struck"] for fault in sandbox.faults()} == {1}, (trouble, failure(operation))
        sandbox.no_faults()
        effects = tuple(standing.effects())
        if denied:
            assert (operation.state, effects) == (OperationState.FAILED, ()), failure(operation)
            assert "permission" in operation.error_message and operation.error_hint
            continue
        assert operation.state == OperationState.SUCCEEDED, (trouble, failure(operation))
        assert effects == row.calls, trouble
        assert row.shown(field)
        assert not Intent.objects.filter(ended_at=None).exists()
