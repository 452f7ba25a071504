"""Evidence against the table: what is the matter, how sure that is, and what nothing in the table explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clusters.diagnosis.entry import Clue, Confidence, KnownError
from clusters.diagnosis.evidence import Evidence, Level, Source
from clusters.diagnosis.table import TABLE

LIKELIHOOD = {
    source: place
    for place, source in enumerate(
        (
            Source.HEALTH_LABEL,
            Source.NODE_CONDITION,
            Source.INSTANCE,
            Source.ADDON,
            Source.STACK,
            Source.PHASE,
            Source.FEATURE,
            Source.OPERATION,
            Source.HYPERPOD_EVENT,
            Source.GROUP,
            Source.DELETION,
            Source.POD,
            Source.KUBERNETES_EVENT,
        )
    )
}
"""Where a cause is likeliest to be told, first: what judges machines before what only suffers from them."""


OF_WORKLOADS = frozenset({Source.POD, Source.KUBERNETES_EVENT, Source.DELETION})


@dataclass(frozen=True)
class Finding:
    """One known error and what speaks for it, the strongest and newest first. standing: False where all of it is past."""

    error: KnownError
    confidence: Confidence
    evidence: tuple[Evidence, ...]

    @property
    def standing(self) -> bool:
        return any(one.standing for one in self.evidence)

    @property
    def nodes(self) -> list[str]:
        """Keys of the nodes concerned now; of all where it is past."""
        return list(dict.fromkeys(one.node for one in self.evidence if one.node and one.standing is self.standing))

    @property
    def subjects(self) -> list[str]:
        return list(dict.fromkeys(one.subject for one in self.evidence if one.standing is self.standing))

    @property
    def phases(self) -> list[str]:
        return list(dict.fromkeys(one.phase for one in self.evidence if one.phase and one.standing))


def likeliest(evidence: Evidence) -> tuple[bool, int, int, float]:
    """Sorts what explains most to the front."""
    return (not evidence.standing, -evidence.level, LIKELIHOOD[evidence.source], -evidence.at.timestamp())


def judge(evidence: Sequence[Evidence], table: Iterable[KnownError] = TABLE) -> tuple[list[Finding], list[Evidence]]:
    """What is the matter, surest first, and the evidence that no row of the table explains, likeliest first."""
    findings: dict[str, Finding] = {}
    explained: set[int] = set()
    for error in table:
        fitting = [(number, clue) for number, one in enumerate(evidence) if (clue := _clue(error, one))]
        if fitting:
            explained.update(number for number, _ in fitting)
            rows = sorted((evidence[number] for number, _ in fitting), key=likeliest)
            findings[error.code] = Finding(error, _confidence([(evidence[number], clue) for number, clue in fitting]), tuple(rows))
    told_of = {evidence[number].node for number in explained} - {""}
    left = [one for number, one in enumerate(evidence) if number not in explained and not _follows(one, told_of)]
    kept = [rest for one in findings.values() if (rest := _rest(one, findings)) is not None]
    kept.sort(key=lambda one: (not one.standing, -one.confidence, *likeliest(one.evidence[0])[1:]))
    return kept, sorted(left, key=likeliest)


def _follows(one: Evidence, told_of: set[str]) -> bool:
    """What says nothing by itself: mere information, and warnings of a node of which an error is known."""
    return one.level is Level.INFO or (one.level is Level.WARNING and one.node in told_of)


def _clue(error: KnownError, one: Evidence) -> Clue | None:
    """The strongest clue that fits."""
    return max((clue for clue in error.clues if clue.fits(one)), key=lambda clue: clue.confidence, default=None)


def _rest(general: Finding, findings: dict[str, Finding]) -> Finding | None:
    """What is left of it besides what others explain better; None when nothing is."""
    others = [findings[code] for code in general.error.after if code in findings]
    rows = tuple(one for one in general.evidence if not any(_explained(one, other) for other in others))
    return replace(general, evidence=rows) if rows else None


def _explained(one: Evidence, other: Finding) -> bool:
    """Whether the other names the cause of it: by the same words, or of the same workload, node or group."""
    if one in other.evidence:
        return True
    rows = [row for row in other.evidence if row.standing or not one.standing]
    if one.source in OF_WORKLOADS:
        return any(row.subject == one.subject for row in rows)
    if one.node:
        return any(row.node == one.node for row in rows)
    return bool(one.group) and any(row.group == one.group for row in rows)


def _confidence(fitting: list[tuple[Evidence, Clue]]) -> Confidence:
    """That of the strongest clue; one step more where two sources say it independently."""
    strongest = max(clue.confidence for _, clue in fitting)
    sources = {one.source for one, _ in fitting if one.standing}
    return Confidence(min(Confidence.HIGH, strongest + 1)) if len(sources) > 1 else strongest
