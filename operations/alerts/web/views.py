"""Pages of alerts, and of the webhooks that are told of them."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.choices import Role
from accounts.principals import principal_of
from accounts.reach import within
from instantstart.problem import Problem
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page
from operations.alerts import acknowledge as acknowledging
from operations.alerts import webhooks
from operations.alerts.web.forms import WebhookForm
from operations.choices import Channel
from operations.models import Alert, Webhook
from operations.models.alert import AlertKind

PAGE = 50
DELIVERIES = 50


def _chosen(request: HttpRequest) -> QuerySet[Alert]:
    rows = within(Alert.objects.order_by("-opened_at", "-id"), principal_of(request))
    if not request.GET.get("all"):
        rows = rows.filter(closed_at=None)
    if request.GET.get("kind") in AlertKind.values:
        rows = rows.filter(kind=request.GET["kind"])
    if cluster := request.GET.get("cluster", "").strip():
        rows = rows.filter(cluster=cluster)
    return rows


@page()
def alert_list(request: HttpRequest) -> HttpResponse:
    """What is the matter; with ?all=1 also what was."""
    context = {
        "alerts": Paginator(_chosen(request), PAGE).get_page(request.GET.get("page")),
        "query": other_parameters(request),
        "given": request.GET,
        "kinds": AlertKind.choices,
        "may_acknowledge": principal_of(request).role.covers(Role.OPERATOR),
    }
    return render(request, "alerts/list_rows.html" if request.headers.get("HX-Request") else "alerts/list.html", context)


@page()
def badge(request: HttpRequest) -> HttpResponse:
    """The number of open alerts alone; pages ask for it when alerts change."""
    return render(request, "components/alerts_badge.html")


@page(Role.OPERATOR)
@require_POST
def acknowledge(request: HttpRequest, pk: int) -> HttpResponse:
    alert = get_object_or_404(within(Alert.objects.all(), principal_of(request)), pk=pk)
    try:
        acknowledging.acknowledge(principal_of(request), alert, channel=Channel.WEB)
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("alerts-web:list")


def _webhooks(request: HttpRequest) -> QuerySet[Webhook]:
    """They hear of every cluster: who is limited to some sees none."""
    return Webhook.objects.all() if principal_of(request).clusters is None else Webhook.objects.none()


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def webhook_list(request: HttpRequest) -> HttpResponse:
    """The webhooks; the secret of a new one is shown this once."""
    form = WebhookForm(request.POST or None)
    secret = ""
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            _, secret = webhooks.add(principal_of(request), url=data["url"], kinds=data["kinds"], channel=Channel.WEB)
            form = WebhookForm()
        except Problem as problem:
            form.add_problem(problem)
    context = {"form": form, "webhooks": _webhooks(request).defer("secret"), "secret": secret}
    return render(request, "alerts/webhooks.html", context, status=422 if form.errors else 200)


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def webhook_detail(request: HttpRequest, pk: str) -> HttpResponse:
    """One webhook, what was sent to it, and changing it."""
    row = get_object_or_404(_webhooks(request), pk=pk)
    form = WebhookForm(request.POST or None, initial={"url": row.url, "kinds": row.kinds})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            webhooks.change(principal_of(request), row, url=data["url"], kinds=data["kinds"], channel=Channel.WEB)
            messages.success(request, "The webhook is changed.")
            return redirect("alerts-web:webhook", pk)
        except Problem as problem:
            form.add_problem(problem)
            row.refresh_from_db()
    return _show(request, row, form)


def _show(request: HttpRequest, row: Webhook, form: WebhookForm, secret: str = "") -> HttpResponse:
    deliveries = row.deliveries.defer("body")[:DELIVERIES]
    context = {"form": form, "webhook": row, "deliveries": deliveries, "secret": secret}
    return render(request, "alerts/webhook.html", context, status=422 if form.errors else 200)


@page(Role.ADMIN)
@require_POST
def webhook_secret(request: HttpRequest, pk: str) -> HttpResponse:
    """Another secret, shown this once."""
    row = get_object_or_404(_webhooks(request), pk=pk)
    try:
        secret = webhooks.change(principal_of(request), row, new_secret=True, channel=Channel.WEB)
    except Problem as problem:
        messages.error(request, str(problem))
        return redirect("alerts-web:webhook", pk)
    return _show(request, row, WebhookForm(initial={"url": row.url, "kinds": row.kinds}), secret or "")


@page(Role.ADMIN)
@require_POST
def webhook_turn(request: HttpRequest, pk: str) -> HttpResponse:
    """On or off."""
    enabled = request.POST.get("enabled") == "yes"
    said = "It is turned on." if enabled else "It is turned off: what happens from now on is not told to it."
    return _carry_out(
        request, pk, lambda row: webhooks.change(principal_of(request), row, enabled=enabled, channel=Channel.WEB), said, "webhook"
    )


@page(Role.ADMIN)
@require_POST
def webhook_test(request: HttpRequest, pk: str) -> HttpResponse:
    return _carry_out(
        request, pk, lambda row: webhooks.test(principal_of(request), row, channel=Channel.WEB), "A test message is on its way.", "webhook"
    )


@page(Role.ADMIN)
@require_POST
def webhook_remove(request: HttpRequest, pk: str) -> HttpResponse:
    return _carry_out(
        request, pk, lambda row: webhooks.remove(principal_of(request), row, channel=Channel.WEB), "The webhook is removed.", "webhooks"
    )


def _carry_out(request: HttpRequest, pk: str, act: Callable[[Webhook], object], said: str, after: str) -> HttpResponse:
    row = get_object_or_404(_webhooks(request), pk=pk)
    try:
        act(row)
        messages.success(request, said)
    except Problem as problem:
        messages.error(request, str(problem))
        after = "webhook"
    return redirect("alerts-web:webhook", pk) if after == "webhook" else redirect(f"alerts-web:{after}")
