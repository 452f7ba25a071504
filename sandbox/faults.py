"""Things that go wrong on purpose: at the wire by service, operation and count, or as scenarios that handlers ask for."""

from __future__ import annotations

import itertools
import re
from typing import Any

from sandbox.database import Database

_SETTING = "faults"

WIRE_KINDS = ("throttle", "access_denied", "reply_lost", "error_after", "reset")  # and error:<code>, slow:<seconds>
SCENARIOS: dict[str, tuple[str, ...]] = {
    "capacity_shortage": ("zone", "instance_type", "available"),
    "quota_reached": ("name",),
    "lifecycle_failure": ("group",),
    "node_failure": ("instance_id", "group", "reason", "fault_type", "health"),
    "spot_reclaim": ("instance_id", "group"),
    "training_plan_ended": ("plan",),
    "efa_failure": ("group",),
    "addon_degraded": ("addon", "code", "message", "cluster"),
    "expired_credentials": ("access_key",),
    "kube_partition": ("cluster",),
    "deep_health_check_failure": ("group", "instance_id"),
}
_ERROR = re.compile(r"error:[A-Za-z0-9._]+")
_LABELS = ("reason", "fault_type", "health")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?")
_SLOW = re.compile(r"slow:\d+(\.\d+)?")

Fault = dict[str, Any]


class Faults:
    def __init__(self, database: Database) -> None:
        self._database = database
        stored = database.setting(_SETTING) or {"faults": [], "next": 1}
        self._faults: list[Fault] = stored["faults"]
        self._next = itertools.count(stored["next"])

    def list(self) -> list[Fault]:
        return [dict(fault) for fault in self._faults]

    def add(self, fault: Fault) -> Fault:
        """Add a wire fault `{kind, service?, operation?, count?, skip?}` or a scenario `{scenario, count?, …its parameters}`.

        `count` is how often it strikes (null: always; a wire fault's default is 1), `skip` how many matching calls pass first.
        Raises ValueError with the field, the reason and what is allowed.
        """
        fault = _checked(fault)
        fault["id"] = str(next(self._next))
        fault["struck"] = 0
        self._faults.append(fault)
        self._save()
        return dict(fault)

    def remove(self, fault_id: str) -> bool:
        before = len(self._faults)
        self._faults = [fault for fault in self._faults if fault["id"] != fault_id]
        self._save()
        return len(self._faults) < before

    def clear(self) -> None:
        self._faults = []
        self._save()

    def take(self, service: str, operation: str, only: tuple[str, ...] = ()) -> Fault | None:
        """The fault that strikes this call, counted; None most of the time. `only`: the beginnings of the kinds that may."""
        for fault in self._faults:
            if "kind" not in fault or fault["service"] not in ("", service) or fault["operation"] not in ("", operation):
                continue
            if only and not fault["kind"].startswith(only):
                continue
            if fault["skip"] > 0:
                fault["skip"] -= 1
                self._save()
                continue
            if self._strike(fault):
                return dict(fault)
        return None

    def scenario(self, name: str, /, **facts: Any) -> Fault | None:
        """The scenario in force for these facts: each parameter that it names must be equal to the fact of that name."""
        if name not in SCENARIOS:
            raise ValueError(f"no scenario {name}: {', '.join(SCENARIOS)}")
        for fault in self._faults:
            if fault.get("scenario") != name:
                continue
            if all(fault.get(key) in (None, "", value) for key, value in facts.items()) and self._strike(fault):
                return dict(fault)
        return None

    def _strike(self, fault: Fault) -> bool:
        if fault["count"] is None:
            if "kind" in fault:
                fault["struck"] += 1
            return True
        if fault["struck"] >= fault["count"]:
            return False
        fault["struck"] += 1
        self._save()
        return True

    def _save(self) -> None:
        upcoming = next(self._next)
        self._next = itertools.count(upcoming)
        self._database.set_setting(_SETTING, {"faults": self._faults, "next": upcoming})


def _checked(given: Fault) -> Fault:
    fault = dict(given)
    count = fault.setdefault("count", 1 if "kind" in fault else None)
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        raise ValueError(f"count must be a whole number from 1 on, or null for always, not {count!r}.")
    if "scenario" in fault:
        name = fault["scenario"]
        if name not in SCENARIOS:
            raise ValueError(f"scenario must be one of {', '.join(SCENARIOS)}, not {name!r}.")
        unknown = set(fault) - {"scenario", "count", *SCENARIOS[name]}
        if unknown:
            raise ValueError(f"{name} has no parameter {', '.join(sorted(unknown))}; it has {', '.join(SCENARIOS[name])} and count.")
        for parameter in {*_LABELS} & set(fault):
            if not (isinstance(fault[parameter], str) and _LABEL_VALUE.fullmatch(fault[parameter])):
                raise ValueError(
                    f"{parameter} becomes a node's label: up to 63 letters, digits, '-', '_' and '.', not {fault[parameter]!r}."
                )
        return fault
    kind = fault.get("kind", "")
    if not isinstance(kind, str) or not (kind in WIRE_KINDS or _ERROR.fullmatch(kind) or _SLOW.fullmatch(kind)):
        raise ValueError(f"kind must be one of {', '.join(WIRE_KINDS)}, error:<code> or slow:<seconds>, not {kind!r}.")
    fault.setdefault("skip", 0)
    if not isinstance(fault["skip"], int) or isinstance(fault["skip"], bool) or fault["skip"] < 0:
        raise ValueError(f"skip must be a whole number from 0 on, not {fault['skip']!r}.")
    for name in ("service", "operation", "message"):
        if not isinstance(fault.setdefault(name, ""), str):
            raise ValueError(f"{name} must be text, not {fault[name]!r}.")
    unknown = set(fault) - {"kind", "service", "operation", "count", "skip", "message"}
    if unknown:
        raise ValueError(f"a wire fault has no {', '.join(sorted(unknown))}; it has kind, service, operation, count, skip and message.")
    return fault
