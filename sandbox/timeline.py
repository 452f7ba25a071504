"""Statuses derived from stored moments: `[[at_virtual, status], …]` in order of time; no thread moves anything on."""

from __future__ import annotations

Timeline = list[list[float | str]]


def begin(now: float, *stages: tuple[str, float] | str) -> Timeline:
    """`begin(now, ("CREATING", 600), "ACTIVE")`: each stage lasts its virtual seconds, the last one (a bare status) for good."""
    timeline: Timeline = []
    at = now
    for stage in stages:
        status_name, seconds = (stage, 0.0) if isinstance(stage, str) else stage
        timeline.append([at, status_name])
        at += seconds
    return timeline


def status(timeline: Timeline, now: float) -> str:
    """The status at `now`; before the first moment it is the first one."""
    current = timeline[0][1]
    for at, name in timeline:
        if float(at) > now:
            break
        current = name
    return str(current)


def since(timeline: Timeline, now: float) -> float:
    """The virtual moment at which the status of `now` began."""
    began = timeline[0][0]
    for at, _ in timeline:
        if float(at) > now:
            break
        began = at
    return float(began)


def ends(timeline: Timeline) -> float:
    """The virtual moment of the last change."""
    return float(timeline[-1][0])


def upcoming(timeline: Timeline, now: float) -> float | None:
    """The next change after `now`, None when the last status holds."""
    return next((float(at) for at, _ in timeline if float(at) > now), None)


def settled(timeline: Timeline, now: float) -> bool:
    return ends(timeline) <= now
