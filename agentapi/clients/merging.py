"""A document that was written, changed by its user, and is to be written anew: ours changes, theirs stays.

A merge of three: what we wrote last (base), what stands there now (theirs), what we would write (ours). Where the user changed a value, it
stays; elsewhere ours goes in. Lists of plain values are sets here: what the user added or took out stays so.
"""

from __future__ import annotations

import hashlib
from typing import Any

ABSENT = object()


def mark(secret: str) -> str:
    """What is remembered in place of a text that holds a secret: enough to tell whether it still stands there."""
    return f"sha256:{hashlib.sha256(secret.encode()).hexdigest()}"


def merge(base: Any, theirs: Any, ours: Any) -> Any:
    """The merged value; ABSENT for a key that goes. Pass ABSENT where there is none."""
    if theirs == base or (isinstance(theirs, str) and mark(theirs) == base):
        return ours
    if isinstance(theirs, dict) and isinstance(ours, dict):
        known = base if isinstance(base, dict) else {}
        keys = [*theirs, *(key for key in ours if key not in theirs)]
        merged = {key: merge(known.get(key, ABSENT), theirs.get(key, ABSENT), ours.get(key, ABSENT)) for key in keys}
        return {key: value for key, value in merged.items() if value is not ABSENT}
    if isinstance(theirs, list) and isinstance(ours, list):
        known_items = base if isinstance(base, list) else []
        removed = [item for item in known_items if item not in theirs]
        added = [item for item in theirs if item not in known_items and item not in ours]
        return [*(item for item in ours if item not in removed), *added]
    return ours if theirs is ABSENT and base is ABSENT else theirs
