"""Prometheus metrics.

What is counted from the database (operations, sources, heartbeats) is the same whichever process answers. Request latencies are those of
the web process that answers: with several replicas scrape each of them, not their load balancer.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from hmac import compare_digest
from typing import Any

import structlog
from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.db.models import Count, Max, Min, Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from instantstart.api.errors import problem_response
from instantstart.problem import Problem

_log = structlog.get_logger(__name__)
registry = CollectorRegistry()
ProcessCollector(registry=registry)
LATENCY = Histogram(
    "instantstart_http_request_seconds",
    "Time to answer, by route; of this web process alone.",
    ("method", "route", "status"),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=registry,
)


class WorkCollector(Collector):
    """Reads the work path's state from the database at each scrape."""

    def describe(self) -> list[Metric]:
        return []  # registering must not touch the database

    def collect(self) -> Iterator[Metric]:
        yield self._operations()
        yield from self._lateness()
        yield self._sources()

    def _operations(self) -> Metric:
        from operations.choices import OperationState
        from operations.models import Operation

        counts = dict(Operation.objects.values_list("state").annotate(Count("pk")).order_by())
        gauge = GaugeMetricFamily("instantstart_operations", "Operations kept, by state.", labels=["state"])
        for state in OperationState:
            gauge.add_metric([state.value], counts.get(state.value, 0))
        return gauge

    def _lateness(self) -> Iterator[Metric]:
        from operations.models import Heartbeat, ObservedSource, Operation

        now = timezone.now()
        due = Operation.objects.filter(Operation.due(now)).aggregate(at=Min("next_attempt_at"))["at"]
        looked = ObservedSource.objects.filter(ObservedSource.due(now)).aggregate(at=Min("next_due_at"))["at"]
        beat = Heartbeat.objects.aggregate(at=Max("at"))["at"]
        ages = (
            ("instantstart_oldest_due_operation_seconds", "Age of the oldest due operation, 0 when none is due.", due),
            ("instantstart_oldest_due_observation_seconds", "Age of the oldest due observation, 0 when none is due.", looked),
        )
        for name, text, at in ages:
            yield GaugeMetricFamily(name, text, value=max(0.0, (now - at).total_seconds()) if at else 0.0)
        if beat is not None:
            age = (now - beat).total_seconds()
            yield GaugeMetricFamily("instantstart_dispatcher_heartbeat_age_seconds", "Since the last tick of any dispatcher.", value=age)

    def _sources(self) -> Metric:
        from operations.models import ObservedSource

        counts = ObservedSource.objects.aggregate(all=Count("pk"), unreadable=Count("pk", filter=Q(failures__gt=0)))
        gauge = GaugeMetricFamily(
            "instantstart_observed_sources", "Sources looked at, by whether the last look succeeded.", labels=["readable"]
        )
        gauge.add_metric(["true"], counts["all"] - counts["unreadable"])
        gauge.add_metric(["false"], counts["unreadable"])
        return gauge


registry.register(WorkCollector())


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The exposition. With INSTANTSTART_METRICS_TOKEN set, only for who sends it as a bearer token."""
    wanted: str = settings.METRICS_TOKEN
    if wanted and not compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {wanted}".encode()):
        return problem_response(
            Problem(
                401,
                "not_signed_in",
                "Not signed in",
                "The metrics need a token here.",
                "Send INSTANTSTART_METRICS_TOKEN as a bearer token.",
            )
        )
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class LatencyMiddleware:
    """Measures each answer by its route, never by its path: the number of series stays bounded."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._asynchronous = iscoroutinefunction(get_response)
        if self._asynchronous:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        started = time.perf_counter()
        if self._asynchronous:
            return self._answer_later(request, started)
        response: HttpResponseBase = self.get_response(request)
        _observe(request, response, started)
        return response

    async def _answer_later(self, request: HttpRequest, started: float) -> HttpResponseBase:
        response: HttpResponseBase = await self.get_response(request)
        _observe(request, response, started)
        return response


def _observe(request: HttpRequest, response: HttpResponseBase, started: float) -> None:
    match = request.resolver_match
    route = match.route if match is not None else "unrouted"
    method = request.method if request.method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
    seconds = time.perf_counter() - started
    LATENCY.labels(method, route, str(response.status_code)).observe(seconds)
    if response.status_code >= 400 and not getattr(response, "_has_been_logged", False):
        # Django would log it too, but outside of all middleware: without the request's id.
        write = _log.error if response.status_code >= 500 else _log.warning
        write("request_refused", method=method, path=request.path, status=response.status_code, seconds=round(seconds, 4))
        response._has_been_logged = True  # type: ignore[attr-defined]
