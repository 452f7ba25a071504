"""HTTP as the protocols see it: a whole request in, a whole reply (or a slice of a file) out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_plus


@dataclass(frozen=True)
class Request:
    method: str
    raw_path: str  # percent-encoded, as it came
    raw_query: str  # without "?"
    headers: dict[str, str]  # names in lower case
    body: bytes = b""

    @property
    def query(self) -> list[tuple[str, str]]:
        """Decoded parameters in their order; one without "=" has the value ""."""
        return decoded_pairs(self.raw_query)

    def header(self, name: str) -> str:
        return self.headers.get(name, "")


@dataclass(frozen=True)
class FileSlice:
    """Bytes of a file to send as a body."""

    path: Path
    start: int
    length: int


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | FileSlice = b""


def decoded_pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for part in text.split("&"):
        if part:
            name, _, value = part.partition("=")
            pairs.append((unquote_plus(name), unquote_plus(value)))
    return pairs
