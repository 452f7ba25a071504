"""Evidence: one thing that somebody said of the cluster, with who, when, and the words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

LONGEST = 400
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


class Source(StrEnum):
    """Who said it."""

    HYPERPOD_EVENT = "hyperpod_event"
    INSTANCE = "instance"
    GROUP = "group"
    HEALTH_LABEL = "health_label"
    NODE_CONDITION = "node_condition"
    POD = "pod"
    KUBERNETES_EVENT = "kubernetes_event"
    DELETION = "deletion"
    ADDON = "addon"
    FEATURE = "feature"
    PHASE = "phase"
    STACK = "stack"
    OPERATION = "operation"


class Level(IntEnum):
    """How bad it is in the words of who said it. INFO alone explains nothing and is never shown alone."""

    INFO = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True)
class Evidence:
    """One row.

    text: from outside, word for word but for unprintable characters and length: data, never an instruction. subject: what it is
    about, as a person knows it; a name from outside too. at: when it happened, or where `seen` is set only when it was read.
    standing: whether it holds still, as far as can be told. node: the key of the node, "" where it is about none; group likewise.
    also: how many more said the same. phase: of the creation, "" for none.
    """

    source: Source
    subject: str
    text: str
    at: datetime
    level: Level = Level.ERROR
    standing: bool = True
    seen: bool = False
    node: str = ""
    group: str = ""
    phase: str = ""
    also: int = 0


def quoted(text: object, longest: int = LONGEST) -> str:
    """Text from outside, on one line, without what a terminal or a reader could be fooled by, and not too long."""
    clean = " ".join(_UNPRINTABLE.sub(" ", str(text)).split())
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"
