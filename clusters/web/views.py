"""Pages of clusters: the list, one cluster live, and the changes that begin there. Each is reviewed as a plan first."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.choices import Role
from accounts.preferences import prefer_cluster, preferred_cluster
from accounts.principals import principal_of
from accounts.reach import within
from clusters.choices import DependencyState, DriftState, PhaseName, State
from clusters.commands import commands
from clusters.groups import advice
from clusters.models import Cluster, Phase
from clusters.web.groups import shown_groups
from instantstart.problem import Problem
from instantstart.web.review import Review, reviewed
from instantstart.web.signed_in import page
from operations.choices import Channel, OperationState
from operations.models import Alert, Operation
from operations.models.alert import AlertKind
from operations.submission import Submission
from operations.submit import submit

NODES_SHOWN = 20
"""On the cluster's own page, those that are not well first; its page of nodes has all."""
EVENTS_SHOWN = 20
OPERATIONS_SHOWN = 8
ALERTS_SHOWN = 5
BANNERS = Q(kind__in=(AlertKind.NODE_UNHEALTHY, AlertKind.CAPACITY_PARTIAL))
"""Kinds of alerts that the page of a cluster shows above all; drift and failed operations have their own places."""
_DOCUMENTS = {"eks": "EKS cluster", "hyperpod": "HyperPod cluster", "stack": "CloudFormation stack of the control plane"}
_LOOKS = {
    DependencyState.ACTIVE: "ready",
    DependencyState.ABSENT: "pending",
    DependencyState.INSTALLING: "running",
    DependencyState.STARTING: "running",
    DependencyState.WAITS_FOR_NODES: "pending",
    DependencyState.REMOVING: "deleting",
}


@page()
def cluster_list(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request)
    clusters = list(within(Cluster.objects.prefetch_related("groups").order_by("name"), principal, "name"))
    failed = {cluster.operation_id: cluster for cluster in clusters if cluster.state == State.FAILED and cluster.operation_id}
    for operation in Operation.objects.filter(pk__in=failed).exclude(error_message="") if failed else ():
        failed[operation.pk].message = operation.error_message
    context = {
        "clusters": clusters,
        "preferred": preferred_cluster(principal),
        "may_create": principal.role.covers(Role.OPERATOR),
    }
    template = "clusters/list_rows.html" if request.headers.get("HX-Request") else "clusters/list.html"
    return render(request, template, context)


def _phase(row: Phase, operation: Operation | None) -> dict[str, Any]:
    """One phase as the page shows it: with the step at work, and how far it is in its usual time."""
    began, ended = row.started_at, row.ended_at
    if operation is not None and operation.state == OperationState.AWAITING_APPROVAL:
        began = operation = None  # nothing has begun
    elapsed = ((ended or timezone.now()) - began).total_seconds() if began else None
    current = (
        next((step for step in operation.steps if step["name"] == operation.step), None) if operation and not operation.ended else None
    )
    typical = sum(step.get("typical_seconds") or 0 for step in operation.steps) if operation else None
    return {
        "row": row,
        "step": current["title"] if current else "",
        "elapsed": elapsed,
        "typical": typical or None,
        "progress": min(elapsed or 0, typical or 0),
        "ended": ended is not None,
        "error": operation if operation and row.state == State.FAILED and operation.error_message else None,
        "faults": [fault for fault in row.faults if fault["message"] not in row.message],
        "can_retry": row.state in (State.FAILED, State.CANCELLED, State.DEGRADED) and (operation is None or operation.ended),
    }


@page()
def cluster_detail(request: HttpRequest, name: str) -> HttpResponse:
    principal = principal_of(request)
    live = bool(request.headers.get("HX-Request"))
    cluster = Cluster.objects.filter(name=name).first()
    if cluster is None and live:
        return render(request, "clusters/gone.html", {"name": name})
    if cluster is None:
        raise Http404
    operations = list(Operation.objects.filter(cluster=name, parent=None).order_by("-created_at")[:OPERATIONS_SHOWN])
    rows = list(cluster.phases.all())
    by_id = {row.pk: row for row in Operation.objects.filter(pk__in=[row.operation_id for row in rows if row.operation_id])}
    active = next((row for row in operations if not row.ended), None)
    wrong = operations[0] if operations and operations[0].state in (OperationState.FAILED, OperationState.UNKNOWN) else None
    shown = active or wrong
    if shown is not None:
        shown.can_cancel = shown.state in (OperationState.RECORDED, OperationState.RUNNING) and principal.role.covers(Role.OPERATOR)  # type: ignore[attr-defined]
    dependencies = list(cluster.dependencies.all())
    for dependency in dependencies:
        dependency.look = _LOOKS.get(DependencyState(dependency.state), dependency.state)  # type: ignore[attr-defined]
    context = {
        "cluster": cluster,
        "phases": [_phase(row, by_id.get(row.operation_id) if row.operation_id else None) for row in rows],
        "commands": "\n".join(f"# {item['title']}\n{item['command']}" for item in commands(cluster)),
        "groups": shown_groups(cluster),
        "node_groups": list(cluster.node_groups.all()),
        "nodes": cluster.nodes.order_by(advice.unwell_first(), "group_name", "key")[:NODES_SHOWN],
        "more_nodes": max(0, cluster.node_count - NODES_SHOWN),
        "dependencies": dependencies,
        "events": cluster.events.all()[:EVENTS_SHOWN],
        "resources": cluster.resources.all(),
        "operations": operations,
        "operation": shown,
        "alerts": Alert.objects.filter(BANNERS, cluster=name, closed_at=None).order_by("-opened_at")[:ALERTS_SHOWN],
        "drifted": cluster.drifts.filter(state=DriftState.OPEN).count(),
        "preferred": preferred_cluster(principal),
        "may_change": principal.role.covers(Role.OPERATOR),
        "may_retry": active is None and principal.role.covers(Role.OPERATOR),
    }
    template = "clusters/detail_body.html" if live else "clusters/detail.html"
    return render(request, template, context)


@page()
def cluster_raw(request: HttpRequest, name: str) -> HttpResponse:
    """The JSON documents as AWS gave them, indented."""
    cluster = get_object_or_404(Cluster, name=name)
    documents = [
        {"title": _DOCUMENTS.get(row.name, row.name), "observed_at": row.observed_at, "text": json.dumps(row.body, indent=2, default=str)}
        for row in cluster.documents.all()
    ]
    return render(request, "clusters/raw.html", {"cluster": cluster, "documents": documents})


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_delete(request: HttpRequest, name: str) -> HttpResponse:
    """The plan of the deletion, with what blocks it named; carried out once the name is typed.

    `empty_bucket` and `skip_kubernetes` are asked for in the address, so that the plan shown is the plan of just that.
    """
    get_object_or_404(Cluster, name=name)
    typed = request.POST.get("confirm", "")
    chosen = {choice: choice in request.GET for choice in ("empty_bucket", "skip_kubernetes")}
    review = Review(
        "cluster.delete",
        {"name": name, "confirm": typed or name, **chosen},
        f"Delete the cluster {name}",
        "Delete it, and everything in it",
        reverse("clusters-web:detail", args=[name]),
        typed=name,
        danger=True,
        choices="clusters/deletion_choices.html",
        chosen=chosen,
    )

    def done(submission: Submission) -> str:
        return reverse("operations-web:detail", args=[submission.operation.pk]) if submission.operation else review.back

    if request.method == "POST" and typed != name:
        messages.error(request, f"Type {name} to confirm the deletion; nothing was changed.")
        return redirect(request.get_full_path())
    return reviewed(request, review, done)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def phase_retry(request: HttpRequest, name: str, phase: str) -> HttpResponse:
    get_object_or_404(Cluster, name=name)
    here = reverse("clusters-web:detail", args=[name])
    label = PhaseName(phase).label if phase in PhaseName.values else phase
    review = Review("phase.retry", {"name": name, "phase": phase}, f"Retry {label} of {name}", "Retry, and go on with what follows", here)
    return reviewed(request, review, lambda _: here)


@page(Role.OPERATOR)
@require_POST
def cluster_protect(request: HttpRequest, name: str) -> HttpResponse:
    enabled = request.POST.get("enabled") == "yes"
    try:
        submit("cluster.protect", {"name": name, "enabled": enabled}, principal_of(request), channel=Channel.WEB)
        messages.success(request, f"{name} is {'protected against deletion' if enabled else 'no longer protected'}.")
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("clusters-web:detail", name)


@page()
@require_POST
def cluster_prefer(request: HttpRequest, name: str) -> HttpResponse:
    """One's own preference: nothing outside changes, and nobody else's."""
    get_object_or_404(Cluster, name=name)
    prefer_cluster(principal_of(request), name)
    messages.success(request, f"{name} is your preferred cluster now.")
    return redirect("clusters-web:detail", name)
