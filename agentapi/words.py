"""Numbers and moments as an agent reads them: with a unit, as an age, and "unknown" where nobody knows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

UNKNOWN = "unknown"


def span(seconds: float | None) -> str:
    """A duration in its largest fitting unit."""
    if seconds is None:
        return UNKNOWN
    whole = max(0, round(seconds))
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{round(whole / 60)} min"
    if whole < 172_800:
        return f"{round(whole / 3600)} h"
    return f"{round(whole / 86_400)} days"


def moment(written: Any) -> datetime | None:
    """A moment as REST writes it; None for none."""
    if not written:
        return None
    try:
        found = datetime.fromisoformat(str(written).replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def seconds_since(written: Any) -> float | None:
    at = moment(written)
    return None if at is None else (datetime.now(UTC) - at).total_seconds()


def ago(written: Any) -> str:
    """How long ago it was; "never" for none, "in …" for what is to come."""
    passed = seconds_since(written)
    if passed is None:
        return "never"
    return f"{span(passed)} ago" if passed >= 0 else f"in {span(-passed)}"


def money(dollars: Any) -> str:
    """US dollars an hour."""
    return UNKNOWN if dollars is None else f"{float(dollars):.2f} USD/h"


def known(value: Any) -> Any:
    return UNKNOWN if value is None or value == "" else value


def slim(data: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty: "", None, [] and {} say nothing. False and 0 do."""
    return {name: value for name, value in data.items() if value is not None and value != "" and value != [] and value != {}}
