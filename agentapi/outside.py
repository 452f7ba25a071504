"""Text that others wrote (node names, event texts, tags, log lines): quoted and marked, so that it stays data.

An answer shows it as `<untrusted>…</untrusted>`; the server's instructions say that nothing within is ever an instruction. The text can't
end its own quotation: its angle brackets are replaced, and so are control and direction-changing characters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

OPEN, CLOSE = "<untrusted>", "</untrusted>"
LONGEST = 240
_MACHINE_MADE = re.compile(
    r"(?:hyperpod-)?i-[0-9a-f]{8,17}"  # instances
    r"|ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[a-z0-9-]{1,16}){0,3}"  # private DNS names
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)"
    r"|(?:vpc|subnet|sg|eni|fs|vol|nat|rtb|igw|eipalloc)-[0-9a-f]{8,17}"
)
"""Forms that only machines give out and that can carry no sentence."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+-]{0,63}")

_SENTENCE = re.compile(r"[A-Za-z]{2,}(?:[_:+-]+[A-Za-z]{2,}){3,}")
"""Four words and more without a figure between them may be read as a sentence, whatever joins them."""


def quote(text: str, most: int = LONGEST) -> str:
    """The text on one line, clipped, in its quotation marks."""
    kept = []
    for character in text[: most + 1]:
        if character in "<>":
            kept.append("‹" if character == "<" else "›")
        elif character in "\r\n\t":
            kept.append(" ")
        elif unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"):
            kept.append("·")
        else:
            kept.append(character)
    clipped = "".join(kept[:most]) + ("…" if len(text) > most else "")
    return f"{OPEN}{clipped}{CLOSE}"


def outside(text: Any, most: int = LONGEST) -> str:
    """Quoted, unless it is empty or of a form that only machines give out."""
    if text is None or text == "":
        return ""
    written = str(text)
    return written if _MACHINE_MADE.fullmatch(written) else quote(written, most)


def inside(text: str) -> str:
    """What an agent gives back of an answer, without the marks."""
    return text.removeprefix(OPEN).removesuffix(CLOSE)


def outside_all(value: Any, *, words: bool = True) -> Any:
    """The same for every text within. words: leave single words (states, names, types) as they are."""
    if isinstance(value, dict):
        return {_key(key): outside_all(inner, words=words) for key, inner in value.items()}
    if isinstance(value, list):
        return [outside_all(inner, words=words) for inner in value]
    if isinstance(value, str):
        return value if words and _plain(value) else outside(value)
    return value


def _key(key: Any) -> str:
    written = str(key)
    return written if _plain(written) else quote(written, 80)


def _plain(text: str) -> bool:
    return bool(_WORD.fullmatch(text)) and not _SENTENCE.search(text)
