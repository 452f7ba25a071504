"""Pages of operations: the list, one operation live, and what a person decides about it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST

from accounts.choices import Role
from accounts.principals import principal_of
from instantstart.problem import Problem
from instantstart.web.signed_in import page
from operations import action as actions
from operations import approve, cancel, resolve, retry
from operations.choices import DUE_STATES, Channel, OperationState
from operations.models import Operation

LIST_PAGE = 50


def _chosen(request: HttpRequest) -> QuerySet[Operation]:
    operations = Operation.objects.select_related("actor", "parent").order_by("-created_at", "id")
    if cluster := request.GET.get("cluster", "").strip():
        operations = operations.filter(cluster=cluster)
    wanted = request.GET.get("state", "")
    if wanted == "active":
        operations = operations.filter(Q(state__in=DUE_STATES) | Q(state=OperationState.AWAITING_APPROVAL))
    elif wanted in OperationState.values:
        operations = operations.filter(state=wanted)
    if not request.GET.get("all"):
        operations = operations.filter(parent=None)
    return operations


@page()
def operation_list(request: HttpRequest) -> HttpResponse:
    shown = Paginator(_chosen(request), LIST_PAGE).get_page(request.GET.get("page"))
    template = "operations/list_rows.html" if request.headers.get("HX-Request") else "operations/list.html"
    return render(request, template, {"operations": shown, "given": request.GET, "states": OperationState.choices})


def _seconds(step: dict[str, Any]) -> float | None:
    began = parse_datetime(step.get("started_at") or "")
    if began is None:
        return None
    ended = parse_datetime(step.get("ended_at") or "") or timezone.now()
    return (ended - began).total_seconds()


def _context(operation: Operation) -> dict[str, Any]:
    steps = [{**step, "elapsed": _seconds(step)} for step in operation.steps]
    done = sum(step["state"] == "ready" for step in steps)
    ended: datetime = operation.ended_at or timezone.now()
    typical = [step["typical_seconds"] for step in steps if step.get("typical_seconds")]
    return {
        "operation": operation,
        "steps": steps,
        "done": done,
        "elapsed": (ended - (operation.started_at or operation.created_at)).total_seconds(),
        "typical": sum(typical) if typical else None,
        "children": operation.children.order_by("created_at"),
        "intents": operation.intents.order_by("id"),
        "events": operation.events.order_by("-id")[:200],
        "can_cancel": operation.state in (OperationState.RECORDED, OperationState.RUNNING) and actions.find(operation.kind).cancellable,
        "can_retry": operation.state in (OperationState.FAILED, OperationState.CANCELLED) and operation.parent_id is None,
        "decides": operation.state == OperationState.AWAITING_APPROVAL,
        "unknown": operation.state == OperationState.UNKNOWN,
    }


@page()
def operation_detail(request: HttpRequest, pk: str) -> HttpResponse:
    operation = get_object_or_404(Operation.objects.select_related("actor", "parent"), pk=pk)
    template = "operations/detail_body.html" if request.headers.get("HX-Request") else "operations/detail.html"
    return render(request, template, _context(operation))


def _decide(request: HttpRequest, pk: str, decide: Callable[[Operation], Operation | None], said: str) -> HttpResponse:
    operation = get_object_or_404(Operation, pk=pk)
    try:
        after = decide(operation) or operation
        messages.success(request, said)
        return redirect("operations-web:detail", after.pk)
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("operations-web:detail", pk)


@page(Role.OPERATOR)
@require_POST
def operation_cancel(request: HttpRequest, pk: str) -> HttpResponse:
    def decide(operation: Operation) -> None:
        cancel.cancel(operation, principal_of(request))

    return _decide(request, pk, decide, "Cancelling: what is under way may end, nothing new is begun.")


@page(Role.OPERATOR)
@require_POST
def operation_retry(request: HttpRequest, pk: str) -> HttpResponse:
    def decide(operation: Operation) -> Operation | None:
        return retry.retry(operation, principal_of(request), Channel.WEB).operation

    return _decide(request, pk, decide, "Trying again.")


@page(Role.OPERATOR)
@require_POST
def operation_approve(request: HttpRequest, pk: str) -> HttpResponse:
    def decide(operation: Operation) -> None:
        approve.approve(operation, principal_of(request), request.POST.get("reason", ""))

    return _decide(request, pk, decide, "Approved.")


@page(Role.OPERATOR)
@require_POST
def operation_refuse(request: HttpRequest, pk: str) -> HttpResponse:
    def decide(operation: Operation) -> None:
        approve.refuse(operation, principal_of(request), request.POST.get("reason", ""))

    return _decide(request, pk, decide, "Refused.")


@page(Role.OPERATOR)
@require_POST
def operation_resolve(request: HttpRequest, pk: str) -> HttpResponse:
    def decide(operation: Operation) -> None:
        resolve.resolve(operation, principal_of(request), request.POST.get("outcome", ""), request.POST.get("reason", ""))

    return _decide(request, pk, decide, "Noted how it ended.")
