"""Whether this installation lives, and whether work gets done: the probes of load balancers and of `make up`."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Max, Min
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from instantstart.api.errors import problem_response
from instantstart.command_line import manage
from instantstart.problem import FieldError, Problem

DISPATCHER_SILENT_AFTER = 30.0
"""Seconds; a dispatcher ticks several times in a second."""
WORK_LATE_AFTER = 60.0
"""Seconds that a due operation may wait before somebody should look."""
OBSERVATION_LATE_AFTER = 300.0
"""Seconds that a due observation may wait: under load they are stretched on purpose, but not so far."""


@dataclass(frozen=True)
class Probe:
    """One thing looked at. age_seconds: how old, or how late, None when there is nothing; limit_seconds: what is still well."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
    age_seconds: float | None = None
    limit_seconds: float | None = None


@require_safe
@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """The process answers. Touches nothing else, so that a database that is away restarts no web process."""
    return JsonResponse({"status": "live"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """The work path: database, dispatcher, oldest due operation and observation. 503 with problem details when one of them is not well."""
    probes = look()
    if failed := [probe for probe in probes if not probe.ok]:
        return problem_response(
            Problem(
                503,
                "not_ready",
                "Not ready",
                " ".join(probe.detail for probe in failed),
                failed[0].fix,
                errors=[FieldError(probe.name, "not_ready", probe.detail, probe.fix) for probe in failed],
                extra={"checks": [asdict(probe) for probe in probes]},
            )
        )
    return JsonResponse({"status": "ready", "checks": [asdict(probe) for probe in probes]})


def look() -> list[Probe]:
    """All probes; only the database's when it does not answer."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        now = timezone.now()
        return [
            Probe("database", True, "The database answers."),
            _dispatcher(now),
            _operations(now),
            _observations(now),
        ]
    except DatabaseError as error:
        return [
            Probe(
                "database", False, f"The database does not answer as it should: {type(error).__name__}.", "See DATABASE_URL; run migrate."
            )
        ]


def _dispatcher(now: dt.datetime) -> Probe:
    from operations.models import Heartbeat

    last = Heartbeat.objects.aggregate(at=Max("at"))["at"]
    fix = f"Start `{manage('dispatcher')}`."
    if last is None:
        return Probe("dispatcher", False, "No dispatcher has ever run.", fix, None, DISPATCHER_SILENT_AFTER)
    age = (now - last).total_seconds()
    limit = max(DISPATCHER_SILENT_AFTER, 20 * settings.DISPATCH_INTERVAL)
    return Probe("dispatcher", age <= limit, f"The dispatcher ticked {age:.1f} s ago.", "" if age <= limit else fix, age, limit)


def _operations(now: dt.datetime) -> Probe:
    from operations.models import Operation

    oldest = Operation.objects.filter(Operation.due(now)).aggregate(at=Min("next_attempt_at"))["at"]
    return _late("operations", "operation", oldest, now, WORK_LATE_AFTER)


def _observations(now: dt.datetime) -> Probe:
    from operations.models import ObservedSource

    oldest = ObservedSource.objects.filter(ObservedSource.due(now)).aggregate(at=Min("next_due_at"))["at"]
    return _late("observations", "observation", oldest, now, OBSERVATION_LATE_AFTER)


def _late(name: str, noun: str, oldest: dt.datetime | None, now: dt.datetime, limit: float) -> Probe:
    if oldest is None:
        return Probe(name, True, f"No {noun} is overdue.", limit_seconds=limit)
    age = max(0.0, (now - oldest).total_seconds())
    fix = "" if age <= limit else f"Start more workers: `{manage('qcluster')}`."
    return Probe(name, age <= limit, f"The oldest due {noun} is {age:.1f} s late.", fix, age, limit)
