"""The one error that the doors show: RFC 9457 problem details, as an exception."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FieldError:
    """One thing wrong with the input: `field` is a dotted path, `code` a stable word, `detail` a sentence, `hint` the fix."""

    field: str
    code: str
    detail: str
    hint: str = ""


@dataclass
class Problem(Exception):
    """A refusal or a failure, said so that a person can act on it.

    status: HTTP status the API answers with. code: stable, snake_case. title: short noun phrase.
    detail: one sentence on this case. hint: the fix. errors: field by field. extra: further members of the JSON
    (for example `operation` with the id of the one in the way).
    """

    status: int
    code: str
    title: str
    detail: str
    hint: str = ""
    errors: list[FieldError] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    audited: bool = False
    """Whether the refusal is in the audit trail already."""
    trail: dict[str, Any] = field(default_factory=dict)
    """What was written there, for who takes the transaction back that it was written in."""

    def __str__(self) -> str:
        return f"{self.detail} {self.hint}".strip()
