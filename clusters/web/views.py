"""Pages of clusters: list, wizard, one cluster live, and the changes that begin there. Each change is reviewed as a plan first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.choices import Role
from accounts.preferences import prefer_cluster, preferred_cluster
from accounts.principals import principal_of
from clusters.catalog import reading
from clusters.choices import DependencyState, PhaseName, State
from clusters.models import Cluster, Phase
from clusters.web.forms import ClusterForm
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.problem import Problem
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.choices import Channel, OperationState
from operations.models import Operation
from operations.submission import Submission
from operations.submit import submit

NODES_SHOWN = 100
EVENTS_SHOWN = 20
OPERATIONS_SHOWN = 8
_LOOKS = {
    DependencyState.ACTIVE: "ready",
    DependencyState.INSTALLING: "running",
    DependencyState.STARTING: "running",
    DependencyState.WAITS_FOR_NODES: "pending",
    DependencyState.REMOVING: "deleting",
}


@page()
def cluster_list(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request)
    context = {
        "clusters": Cluster.objects.prefetch_related("groups").order_by("name"),
        "preferred": preferred_cluster(principal),
        "may_create": principal.role.covers(Role.OPERATOR),
    }
    template = "clusters/list_rows.html" if request.headers.get("HX-Request") else "clusters/list.html"
    return render(request, template, context)


@dataclass(frozen=True)
class Offered:
    """What the wizard can offer; `trouble` says why it is incomplete."""

    regions: list[str]
    zones: list[str]
    versions: list[str]
    trouble: str = ""


def _offered(region: str) -> Offered:
    try:
        aws = cloud.connect(region)
        return Offered(
            reading.regions(aws).value,
            [zone.name for zone in reading.zones(aws).value],
            [version.version for version in reading.kubernetes_versions(aws).value],
        )
    except CloudError as error:
        return Offered([region], [], [], f"AWS could not be read: {error}.")


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_new(request: HttpRequest) -> HttpResponse:
    """The wizard: form, then plan, then yes. The stage travels in the form, nothing is kept in between."""
    back = reverse("clusters-web:new")
    stage = request.POST.get("stage", "")
    if stage == "confirm":
        data = json.loads(request.POST.get("data") or "{}")
        review = Review("cluster.create", data, f"Create the cluster {data.get('name', '')}", "Create the cluster", back)
        return carry_out(request, review, lambda _: reverse("clusters-web:detail", args=[data["name"]]))
    region = request.POST.get("region") or settings.DEFAULT_REGION
    offered = _offered(region)
    choices = {"regions": offered.regions, "zones": offered.zones, "versions": offered.versions}
    if stage != "review":
        given = {name: value for name, value in request.POST.items() if stage == "region"} or {"region": region}
        return render(request, "clusters/new.html", {"form": ClusterForm(initial=given, **choices), "trouble": offered.trouble})
    form = ClusterForm(request.POST, **choices)
    if form.is_valid():
        review = Review("cluster.create", form.to_input(), f"Create the cluster {form.cleaned_data['name']}", "Create the cluster", back)
        try:
            return show(request, review, plan_of(request, review))
        except Problem as problem:
            form.add_problem(problem)
    return render(request, "clusters/new.html", {"form": form, "trouble": offered.trouble}, status=422)


def _phase(row: Phase, operation: Operation | None) -> dict[str, Any]:
    """One phase as the page shows it: with the step at work, and how far it is in its usual time."""
    began, ended = row.started_at, row.ended_at
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
        "can_retry": row.state in (State.FAILED, State.CANCELLED, State.DEGRADED) and (operation is None or operation.ended),
    }


@page()
def cluster_detail(request: HttpRequest, name: str) -> HttpResponse:
    principal = principal_of(request)
    cluster = get_object_or_404(Cluster, name=name)
    operations = list(Operation.objects.filter(cluster=name, parent=None).order_by("-created_at")[:OPERATIONS_SHOWN])
    rows = list(cluster.phases.all())
    by_id = {row.pk: row for row in Operation.objects.filter(pk__in=[row.operation_id for row in rows if row.operation_id])}
    active = next((row for row in operations if not row.ended), None)
    failed = operations[0] if operations and operations[0].state == OperationState.FAILED else None
    shown = active or failed
    if shown is not None:
        shown.can_cancel = shown.state in (OperationState.RECORDED, OperationState.RUNNING) and principal.role.covers(Role.OPERATOR)  # type: ignore[attr-defined]
    dependencies = list(cluster.dependencies.all())
    for dependency in dependencies:
        dependency.look = _LOOKS.get(DependencyState(dependency.state), dependency.state)  # type: ignore[attr-defined]
    context = {
        "cluster": cluster,
        "phases": [_phase(row, by_id.get(row.operation_id) if row.operation_id else None) for row in rows],
        "groups": cluster.groups.all(),
        "nodes": cluster.nodes.all()[:NODES_SHOWN],
        "more_nodes": max(0, cluster.node_count - NODES_SHOWN),
        "dependencies": dependencies,
        "events": cluster.events.all()[:EVENTS_SHOWN],
        "resources": cluster.resources.all(),
        "operations": operations,
        "operation": shown,
        "preferred": preferred_cluster(principal),
        "may_change": principal.role.covers(Role.OPERATOR),
    }
    template = "clusters/detail_body.html" if request.headers.get("HX-Request") else "clusters/detail.html"
    return render(request, template, context)


@page()
def cluster_raw(request: HttpRequest, name: str) -> HttpResponse:
    """The JSON documents as AWS gave them, indented."""
    cluster = get_object_or_404(Cluster, name=name)
    documents = [
        {"name": row.name, "observed_at": row.observed_at, "text": json.dumps(row.body, indent=2, default=str)}
        for row in cluster.documents.all()
    ]
    return render(request, "clusters/raw.html", {"cluster": cluster, "documents": documents})


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_delete(request: HttpRequest, name: str) -> HttpResponse:
    """The plan of the deletion, with what blocks it named; carried out once the name is typed."""
    get_object_or_404(Cluster, name=name)
    typed = request.POST.get("confirm", "")
    data = {"name": name, "confirm": typed or name, "empty_bucket": True}
    review = Review(
        "cluster.delete",
        data,
        f"Delete the cluster {name}",
        "Delete it, and everything in it",
        reverse("clusters-web:detail", args=[name]),
        typed=name,
        danger=True,
    )

    def done(submission: Submission) -> str:
        return reverse("operations-web:detail", args=[submission.operation.pk]) if submission.operation else review.back

    if request.method == "POST" and typed != name:
        messages.error(request, f"Type {name} to confirm the deletion; nothing was changed.")
        return redirect("clusters-web:delete", name)
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
