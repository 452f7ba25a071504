"""What the doctor says of one thing it looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Health(StrEnum):
    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """code: stable. title: noun phrase. detail: one sentence. fix: what to do, when something is wrong. facts: JSON-able."""

    code: str
    title: str
    health: Health
    detail: str
    fix: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """All findings, in the order in which one would mend them."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return not any(finding.health is Health.ERROR for finding in self.findings)

    def find(self, code: str) -> Finding | None:
        return next((finding for finding in self.findings if finding.code == code), None)

    def document(self) -> dict[str, Any]:
        """JSON-able; no secret is in it."""
        return {"ok": self.ok, "findings": [asdict(finding) for finding in self.findings]}
