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
from accounts.principal import Principal
from accounts.principals import principal_of
from accounts.reach import within_or_own
from instantstart.problem import Problem
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page
from operations import action as actions
from operations import approve, cancel, resolve, retry
from operations.agents import approval
from operations.choices import DUE_STATES, Channel, OperationState
from operations.ending import permission_of
from operations.models import Operation
from operations.plan import Plan

LIST_PAGE = 50
_STEP_WORDS = {
    # progress of a step: (state whose looks it has, word)
    "waiting": ("pending", "To come"),
    "running": ("running", "Under way"),
    "ready": ("ready", "Done"),
}


def _visible(request: HttpRequest) -> QuerySet[Operation]:
    return within_or_own(Operation.objects.all(), principal_of(request))


def _chosen(request: HttpRequest) -> QuerySet[Operation]:
    operations = _visible(request).select_related("actor", "parent").order_by("-created_at", "id")
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
    context = {"operations": shown, "given": request.GET, "states": OperationState.choices, "query": other_parameters(request)}
    template = "operations/list_rows.html" if request.headers.get("HX-Request") else "operations/list.html"
    return render(request, template, context)


def _seconds(step: dict[str, Any]) -> float | None:
    began = parse_datetime(step.get("started_at") or "")
    if began is None:
        return None
    ended = parse_datetime(step.get("ended_at") or "") or timezone.now()
    return (ended - began).total_seconds()


def _shown_step(step: dict[str, Any]) -> dict[str, Any]:
    """A step with the seconds that it took and its state as a person says it."""
    look, word = _STEP_WORDS.get(step["state"], (step["state"], ""))
    says_nothing_new = step["message"] in (step["title"], f"{step['title']}: done.")
    return {**step, "elapsed": _seconds(step), "look": look, "word": word, "message": "" if says_nothing_new else step["message"]}


def _may_change(operation: Operation, principal: Principal) -> bool:
    """Whether to show buttons; what they do asks for the right itself. An action that exists no more has none."""
    return operation.kind in actions.kinds() and principal.role.covers(actions.find(operation.kind).permission)


def _context(operation: Operation, principal: Principal) -> dict[str, Any]:
    may_change = _may_change(operation, principal)
    steps = [_shown_step(step) for step in operation.steps]
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
        "intents": operation.intents.exclude(api__startswith="operations:").order_by("id"),  # its parts are listed as such
        "events": operation.events.order_by("-id")[:200],
        "plan": Plan.model_validate(operation.plan) if operation.plan else None,
        "can_cancel": may_change
        and operation.state in (OperationState.RECORDED, OperationState.RUNNING)
        and actions.find(operation.kind).cancellable,
        "can_retry": may_change and operation.state in retry.RETRIABLE and operation.parent_id is None,
        "decides": may_change and operation.state == OperationState.AWAITING_APPROVAL,
        "unknown": operation.state == OperationState.UNKNOWN,
        "may_change": may_change,
        "approval": approval.facts(operation, permission_of(operation)),
    }


@page()
def operation_detail(request: HttpRequest, pk: str) -> HttpResponse:
    operation = get_object_or_404(_visible(request).select_related("actor", "parent", "decided_by"), pk=pk)
    template = "operations/detail_body.html" if request.headers.get("HX-Request") else "operations/detail.html"
    return render(request, template, _context(operation, principal_of(request)))


def _decide(request: HttpRequest, pk: str, decide: Callable[[Operation], Operation | None], said: str) -> HttpResponse:
    operation = get_object_or_404(_visible(request), pk=pk)
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
        seen = request.POST.get("plan_fingerprint", "")
        approve.approve(operation, principal_of(request), request.POST.get("reason", ""), plan_fingerprint=seen)

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
