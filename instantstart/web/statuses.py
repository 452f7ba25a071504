"""A status in the spelling of AWS or Kubernetes ("InService", "UPDATE_ROLLBACK_COMPLETE"): what it looks like, and in words."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LOOKS: tuple[tuple[str, str], ...] = (
    # (part of the status in small letters without separators, state whose looks it has): the first that is found
    ("deletecomplete", "gone"),
    ("fail", "failed"),
    ("error", "failed"),
    ("rollback", "degraded"),
    ("rollingback", "degraded"),
    ("unschedulable", "degraded"),
    ("degraded", "degraded"),
    ("lost", "failed"),
    ("released", "degraded"),
    ("notfound", "gone"),
    ("delet", "deleting"),
    ("shuttingdown", "deleting"),
    ("terminat", "deleting"),
    ("pending", "pending"),
    ("inprogress", "creating"),
    ("creating", "creating"),
    ("updating", "creating"),
    ("scaling", "creating"),
    ("installing", "creating"),
    ("complete", "ready"),
    ("active", "ready"),
    ("available", "ready"),
    ("inservice", "ready"),
    ("running", "ready"),  # an instance that runs is well; an operation that runs is under way, but has no such status
    ("schedulable", "ready"),
    ("bound", "ready"),
    ("deployed", "ready"),
    ("ready", "ready"),
    ("succeeded", "ready"),
)
_NOT_WELL = ("inactive", "unavailable", "notready")


def words(status: str) -> str:
    """In service, Update rollback complete."""
    return " ".join(_WORD.findall(status)).capitalize()


def look(status: str) -> str:
    """The state whose icon and colour it gets; "" for one that is not known, which looks like plain information."""
    plain = re.sub(r"[^a-z]", "", status.lower())
    if any(part in plain for part in _NOT_WELL):
        return "degraded"
    return next((state for part, state in _LOOKS if part in plain), "")
