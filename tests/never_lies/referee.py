"""Holds what is shown against what the oracle says, poll by poll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.never_lies import oracle
from tests.never_lies.oracle import Judgement, Verdict
from tests.never_lies.world import Peephole, World

ACTIVE = ("recorded", "running", "cancelling")
UNKNOWN_WITHIN = 2
"""Polls of an unreadable source after which nothing but unknown is honest."""
TRIES = 200
"""Kubernetes moves in real time, on a busy machine for long: a look during which the world changed is taken again."""


class Lie(AssertionError):
    """A phase is shown as what it is not."""


@dataclass
class Referee:
    """poll: lets the product look once. shown: the API's body of the cluster, None for 404."""

    peephole: Peephole
    cluster: str
    poll: Callable[[], bool]
    shown: Callable[[], dict[str, Any] | None]
    history: list[str] = field(default_factory=list)
    blind_polls: dict[str, int] = field(default_factory=dict)
    """In a row, by phase: polls while a source without which nobody can tell was unreadable."""
    murky_polls: dict[str, int] = field(default_factory=dict)
    """The same with the sources that a careful reader asks besides."""
    was_ready: set[str] = field(default_factory=set)
    life: str = ""
    creation: str = ""
    compared: Counter[str] = field(default_factory=Counter)
    """How often each verdict was compared."""
    seen: Counter[str] = field(default_factory=Counter)
    """How often each state was shown."""

    def check(self) -> None:
        """Polls once and compares. What disagrees is a lie if the world held still meanwhile, else it is looked at again. Raises Lie."""
        for attempt in range(TRIES):
            faults = self.peephole.faults()
            kept = self.shown() if faults else None
            before = self.peephole.look(self.cluster) if attempt else None
            if not self.poll():
                self._gone(self.peephole.look(self.cluster))
                return
            body = self.shown()
            after = self.peephole.look(self.cluster)
            if body is None:
                raise Lie("the cluster is observed and the API does not know it")
            if body["created_at"] != self.life:
                self._forget(body["created_at"])
            disturbed = _struck(faults) != _struck(after.faults)
            judged = oracle.judge(after, self.cluster)
            if not disturbed:
                self._count(judged)
            lie = self._lie(judged, body, kept, disturbed=disturbed)
            if lie is None:
                self._note(judged, body)
                return
            if before is not None and before.moment() == after.moment():
                raise lie
        raise Lie(f"the world did not hold still for {TRIES} looks; the last one: {lie}")

    def _lie(self, judged: dict[str, Judgement], body: dict[str, Any], kept: dict[str, Any] | None, *, disturbed: bool) -> Lie | None:
        """What is shown and not so. kept: the body just before the poll."""
        active = body["operation_state"] in ACTIVE
        states = _states(body)
        before = _states(kept) if kept else {}
        if body["operation_kind"] == "cluster.create" and body["operation_id"] != self.creation:
            # A new creation makes what is not there as if it never had been.
            self.creation = body["operation_id"]
            self.was_ready -= {phase for phase, one in judged.items() if one.truth is Verdict.GONE}
        for phase in oracle.PHASES:
            one, state = judged[phase], states[phase]
            honest = self._honest(phase, one, before.get(phase, state), active=active, disturbed=disturbed)
            if state not in honest:
                return Lie(
                    f"{phase} is shown as {state}; honest is {sorted(honest)}: the truth is {one.truth}, the verdict {one.verdict}, "
                    f"unreadable {sorted(one.unreadable)}, disturbed {disturbed}, blind polls {self.blind_polls.get(phase, 0)}, "
                    f"murky {self.murky_polls.get(phase, 0)}\nshown: {states} {body['state']} {body['operation_kind']} "
                    f"{body['operation_state']}\n{_said(body, phase)}\nbefore: {before}\nhistory: {self.history[-40:]}"
                )
        if body["state"] == "ready" and set(states.values()) != {"ready"}:
            return Lie(f"the cluster is shown as ready, its phases as {states}")
        return None

    def _note(self, judged: dict[str, Judgement], body: dict[str, Any]) -> None:
        for phase, state in _states(body).items():
            one = judged[phase]
            self.compared[one.verdict] += 1
            self.seen[state] += 1
            if one.truth is Verdict.READY and state == "ready":
                self.was_ready.add(phase)

    def _count(self, judged: dict[str, Judgement]) -> None:
        for phase, one in judged.items():
            self.blind_polls[phase] = self.blind_polls.get(phase, 0) + 1 if one.verdict is Verdict.UNKNOWN else 0
            self.murky_polls[phase] = self.murky_polls.get(phase, 0) + 1 if one.unknown_is_honest else 0

    def _honest(self, phase: str, one: Judgement, kept: str, *, active: bool, disturbed: bool) -> set[str]:
        """States that are true of the phase now; kept: the one shown just before the poll."""
        honest = set(oracle.HONEST[one.verdict])
        if one.verdict is Verdict.GONE:
            if phase not in self.was_ready:
                honest |= oracle.NEVER_MADE
            elif active:
                honest |= oracle.MADE_AGAIN
        if one.locked_out:
            honest |= oracle.HONEST[Verdict.NOT_READY] | {"unknown"}
        blind = one.verdict is Verdict.UNKNOWN
        if disturbed or one.unknown_is_honest:
            honest.add("unknown")
        polls = self.blind_polls if blind else self.murky_polls
        if disturbed or (one.unknown_is_honest and polls.get(phase, 0) < UNKNOWN_WITHIN):
            # One reading that failed keeps what was last known, explained by how the operation stands now.
            honest |= {kept} | (oracle.HONEST[Verdict.NOT_READY] if kept in oracle.HONEST[Verdict.NOT_READY] else set())
        return honest

    def _forget(self, life: str) -> None:
        self.life = life
        self.was_ready.clear()
        self.blind_polls.clear()
        self.murky_polls.clear()

    def _gone(self, world: World) -> None:
        """The product has no such cluster: then AWS must have none."""
        if self.shown() is not None:
            return  # nobody looks at it any more because it is being forgotten
        left = [phase for phase in ("control_plane", "hyperpod") if oracle.judge(world, self.cluster)[phase].truth is not Verdict.GONE]
        if left:
            raise Lie(f"the API says 404, AWS still has {left}; history: {self.history[-40:]}")
        self._forget("")


def _states(body: dict[str, Any]) -> dict[str, str]:
    return {phase["name"]: phase["state"] for phase in body["phases"]}


def _said(body: dict[str, Any], phase: str) -> str:
    row = next(row for row in body["phases"] if row["name"] == phase)
    return f"{row['last_seen']}: {row['message']} {row['unreadable']} ({row['operation_kind']} {row['operation_state']})"


def _struck(faults: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """How often the faults that end by themselves have struck."""
    return [(fault["id"], fault["struck"]) for fault in faults if fault["count"] is not None]
