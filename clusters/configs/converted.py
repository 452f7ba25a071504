"""What a configuration becomes: an input, and a finding for each field that is not, or not as it stood, in that input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["unknown", "unsupported", "replaced", "changed"]
EMPTY: tuple[Any, ...] = (None, "", [], {})


@dataclass(frozen=True)
class Finding:
    """One field of the configuration.

    field: its dotted path there. kind: unknown (the format has no such field), unsupported (nothing here does that; the cluster is
    made without it), replaced (the control plane does that in its own way), changed (taken over in another form).
    """

    field: str
    kind: Kind
    sentence: str


@dataclass
class Converted:
    """format: "aws-create-cluster" or "hyp-cluster-stack". input: of `cluster.create`, not validated yet."""

    format: str
    input: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def found(self, path: str, kind: Kind, sentence: str) -> None:
        self.findings.append(Finding(path, kind, sentence))

    def leave(self, path: str, value: Any, reasons: Mapping[str, tuple[Kind, str]], fields: Iterable[str] = ()) -> None:
        """Names every member of an object that is not taken over: with its reason, or as one that the format does not have.

        fields: the members that are taken over. An empty member says nothing, so nothing is lost with it.
        """
        taken = set(fields)
        for name, member in value.items():
            if name in taken or member in EMPTY:
                continue
            kind, sentence = reasons.get(str(name), ("unknown", "There is no such field in this format; is it misspelt?"))
            self.found(f"{path}.{name}" if path else str(name), kind, sentence)
