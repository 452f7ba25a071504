"""Liars: observers changed in this process so that they break the promise in one way each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from clusters.choices import Seen
from clusters.observing import look
from clusters.phases import probe
from clusters.phases.probe import PhaseObservation
from clusters.reading.reader import READ_ERRORS

Mutant = Callable[[pytest.MonkeyPatch], None]


def ready_on_an_error(patch: pytest.MonkeyPatch) -> None:
    """What can't be read is taken for ready."""
    _instead_of_an_error(patch, Seen.READY)


def gone_on_an_error(patch: pytest.MonkeyPatch) -> None:
    """What can't be read is taken for gone."""
    _instead_of_an_error(patch, Seen.ABSENT)


def last_state_for_ever(patch: pytest.MonkeyPatch) -> None:
    """What can't be read stays as it was last seen."""
    patch.setattr(probe, "UNKNOWN_AFTER_FAILURES", 1_000_000)


def _instead_of_an_error(patch: pytest.MonkeyPatch, answer: Seen) -> None:
    def lying(honest: Callable[..., PhaseObservation]) -> Callable[..., PhaseObservation]:
        def observe(*args: Any) -> PhaseObservation:
            try:
                return honest(*args)
            except READ_ERRORS:
                return PhaseObservation(answer)

        return observe

    patch.setattr(look, "PHASES", tuple(replace(phase, own_probe=lying(phase.own_probe)) for phase in look.PHASES))


MUTANTS: tuple[Mutant, ...] = (ready_on_an_error, gone_on_an_error, last_state_for_ever)
