"""What was read for a diagnosis, or why it was not."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from clusters.diagnosis.evidence import Evidence


class PartState(StrEnum):
    """READ: as fresh as it should be. STALE: older, said so. UNREADABLE: nothing can be said. ABSENT: there is no such thing to read."""

    READ = "read"
    STALE = "stale"
    UNREADABLE = "unreadable"
    ABSENT = "absent"


@dataclass(frozen=True)
class Part:
    """One thing that was looked at. sentence: why it is not READ, "" where it is; may quote what AWS or Kubernetes said."""

    name: str
    state: PartState
    read_at: datetime | None = None
    sentence: str = ""


@dataclass
class Gathered:
    """All evidence, and of which parts it is."""

    evidence: list[Evidence] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)

    def add(self, part: Part, evidence: list[Evidence] | None = None) -> None:
        self.parts.append(part)
        self.evidence += evidence or ()
