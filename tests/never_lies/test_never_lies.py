"""Promise 1: whatever happens, no phase is shown as what it is not."""

from __future__ import annotations

import pytest

from tests.never_lies.mutants import MUTANTS, Mutant
from tests.never_lies.oracle import Verdict
from tests.never_lies.referee import Lie, Referee
from tests.never_lies.rig import Rig
from tests.never_lies.walk import Walk

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(900), pytest.mark.django_db(transaction=True)]

STEPS = 500
SEEDS = (1, 2, 3, 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_phase_is_shown_as_what_it_is_not(rig: Rig, referee: Referee, seed: int) -> None:
    walk = Walk(rig, referee, seed)
    walk.take(STEPS)
    assert walk.steps == STEPS
    # A walk that never met one of these would prove nothing about it.
    assert set(referee.compared) == set(Verdict)
    assert min(referee.compared.values()) >= 5, referee.compared
    assert {"ready", "running", "unknown"} <= set(referee.seen)


def test_the_walks_take_two_thousand_steps() -> None:
    assert STEPS * len(SEEDS) >= 2000


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.__name__)
def test_a_liar_is_found_out(rig: Rig, referee: Referee, monkeypatch: pytest.MonkeyPatch, mutant: Mutant) -> None:
    mutant(monkeypatch)
    with pytest.raises(Lie, match=r"is shown as"):
        Walk(rig, referee, SEEDS[0]).take(STEPS, quiet=10)
