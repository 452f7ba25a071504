"""One known error: what it looks like, why it happens, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any

from clusters.diagnosis.evidence import Evidence, Level, Source

HYPERPOD = frozenset({Source.HYPERPOD_EVENT, Source.INSTANCE, Source.GROUP, Source.OPERATION, Source.PHASE})
PODS = frozenset({Source.POD, Source.KUBERNETES_EVENT})
MACHINES = frozenset({Source.HYPERPOD_EVENT, Source.INSTANCE, Source.HEALTH_LABEL, Source.NODE_CONDITION, Source.KUBERNETES_EVENT})
ADDONS = frozenset({Source.ADDON, Source.FEATURE, Source.PHASE, Source.OPERATION})
ANYWHERE = frozenset(Source)


class Noun(StrEnum):
    """What the error is about: one file of the table each."""

    CAPACITY = "capacity"
    INSTANCE = "instance"
    ACCELERATOR = "accelerator"
    NODE = "node"
    POD = "pod"
    ACCESS = "access"
    ADDON = "addon"
    OBJECT = "object"
    CONTROL_PLANE = "control_plane"


class Confidence(IntEnum):
    """LOW: it may be this. MEDIUM: nothing else is likely. HIGH: the words leave no other cause."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


@dataclass(frozen=True)
class Clue:
    """Words that hint at the error, and whose. least: evidence below that level does not count."""

    pattern: str
    sources: frozenset[Source] = ANYWHERE
    confidence: Confidence = Confidence.HIGH
    least: Level = Level.WARNING

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", re.compile(self.pattern, re.IGNORECASE | re.DOTALL))

    def fits(self, evidence: Evidence) -> bool:
        compiled: re.Pattern[str] = self._compiled  # type: ignore[attr-defined]
        return evidence.source in self.sources and evidence.level >= self.least and compiled.search(evidence.text) is not None


@dataclass(frozen=True)
class Proposal:
    """An action of ours that could help, never run from here. each_node: its input names the nodes concerned; each_phase: the phase."""

    kind: str
    input: Mapping[str, Any] = field(default_factory=dict)
    each_node: bool = False
    each_phase: bool = False


REBOOT = Proposal("node.reboot", each_node=True)
REPLACE = Proposal("node.replace", each_node=True)
RETRY = Proposal("phase.retry", each_phase=True)


@dataclass(frozen=True)
class KnownError:
    """One row of the table. Sentences are fixed: nothing from outside is filled into them.

    proposal: None where only a person can do it: then `fix` says what. after: codes that explain more when both are found, so that this
    row steps back. source: where the fact is from.
    """

    code: str
    noun: Noun
    title: str
    cause: str
    fix: str
    clues: tuple[Clue, ...]
    source: str
    proposal: Proposal | None = None
    after: tuple[str, ...] = ()
