"""Writes a client's documents into a folder, and keeps what its user has changed there.

What was written last is remembered in the folder itself (`.instantstart-agent.json`), without any token. A text that the user changed is
kept, and ours is put beside it as `<name>.new`; a JSON document is merged (merging.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentapi.clients.document import Document, to_json
from agentapi.clients.merging import ABSENT, mark, merge

MEMORY = ".instantstart-agent.json"
PRIVATE = 0o600


class UnreadableError(ValueError):
    """A file in the way that can't be understood; says which, and what to do."""


@dataclass(frozen=True)
class Written:
    """state: written, updated, unchanged, kept or removed."""

    path: str
    state: str


def write(folder: Path, documents: Sequence[Document], secret: str = "") -> Iterator[Written]:
    """Writes the documents. secret: a text in them that must not be remembered, and makes the file that holds it private.

    Everything is read before anything is written. Raises UnreadableError, OSError.
    """
    memory = _memory(folder)
    todo = [(document, *_text(folder, document, memory.get(document.path))) for document in documents]
    for document, text, state in todo:
        path = folder / document.path
        if state == "kept":
            _put(path.with_name(f"{path.name}.new"), document.text, secret)
        elif state != "unchanged":
            _put(path, text, secret)
        yield Written(document.path, state)
    gone = [path for path in memory if path not in {document.path for document in documents}]
    for name in gone:
        path = folder / name
        if path.is_file() and path.read_text(encoding="utf-8") == Document(name, memory[name]).text:
            path.unlink()
            yield Written(name, "removed")
    remembered = {document.path: _without(document.content, secret) for document in documents}
    _put(folder / MEMORY, to_json(remembered), "")


def _memory(folder: Path) -> dict[str, str | dict[str, Any]]:
    path = folder / MEMORY
    if not path.is_file():
        return {}
    found: dict[str, str | dict[str, Any]] = _read_json(path)
    return found


def _text(folder: Path, document: Document, base: str | dict[str, Any] | None) -> tuple[str, str]:
    """What to write, and what that means."""
    path = folder / document.path
    if not path.is_file():
        return document.text, "written"
    present = path.read_text(encoding="utf-8")
    if isinstance(document.content, dict):
        theirs = _read_json(path)
        text = to_json(merge(base if base is not None else ABSENT, theirs, document.content))
        return text, "unchanged" if json.loads(text) == theirs else "updated"
    if present == document.text:
        return present, "unchanged"
    return (document.text, "updated") if present == base else (present, "kept")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise UnreadableError(f"{path} is no JSON ({problem}). Mend it or move it away, then run this again.") from problem
    if not isinstance(found, dict):
        raise UnreadableError(f"{path} holds no JSON object. Mend it or move it away, then run this again.")
    return found


def _put(path: Path, text: str, secret: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    private = bool(secret) and secret in text
    if private:
        path.touch(mode=PRIVATE, exist_ok=True)
        path.chmod(PRIVATE)
    path.write_text(text, encoding="utf-8")


def _without(content: Any, secret: str) -> Any:
    if isinstance(content, dict):
        return {key: _without(value, secret) for key, value in content.items()}
    if isinstance(content, list):
        return [_without(value, secret) for value in content]
    return mark(content) if secret and isinstance(content, str) and secret in content else content
