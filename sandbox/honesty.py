"""Keeps docs/sandbox.md true: writes the operations and durations that are really there into its marked places.

`python -m sandbox.honesty` rewrites the page; a test fails when that would change it.
"""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.aws import registry, services
from sandbox.durations import DURATIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "sandbox.md"
_OPERATIONS = re.compile(r"<!-- operations: ([a-z0-9-]+) -->\n(?:\n[^\n]+\n)?(?=\n)")
_DURATIONS = re.compile(r"<!-- durations -->\n.*", re.DOTALL)


def rewritten(page: str) -> str:
    """The page with what is registered now. Raises LookupError for a service that the page does not speak of."""
    services.load()
    names: dict[str, list[str]] = {}
    for service, operation in registry.registered():
        names.setdefault(service, []).append(operation)
    missing = set(names) - set(_OPERATIONS.findall(page))
    if missing:
        raise LookupError(
            f"docs/sandbox.md says nothing of {', '.join(sorted(missing))}: give it a section with <!-- operations: name -->."
        )
    page = _OPERATIONS.sub(lambda found: f"<!-- operations: {found[1]} -->\n\n{_sentence(names.get(found[1], []))}\n", page)
    rows = "".join(f"| {name} | {seconds:g} |\n" for name, seconds in sorted(DURATIONS.items()))
    return _DURATIONS.sub(f"<!-- durations -->\n\n| what | seconds |\n|---|---|\n{rows}", page)


def _sentence(operations: list[str]) -> str:
    return f"{len(operations)} operations: {', '.join(operations)}."


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
