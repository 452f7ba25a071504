"""Pages of drift: field by field, who did it and when, and the three answers to it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.choices import DriftState
from clusters.models import Cluster, Drift, DriftLook
from clusters.stacks import parts
from clusters.web.looking import looked_at
from instantstart.web.review import Review, reviewed
from instantstart.web.signed_in import page
from operations.submission import Submission

PAST_SHOWN = 20
VERBS: dict[str, tuple[str, str]] = {
    "accept": ("Accept", "Accept it: it is meant as it is now"),
    "ignore": ("Ignore", "Ignore it until it becomes another"),
    "revert": ("Put back", "Put it back as it was meant"),
}


@page()
@require_safe
def drift_list(request: HttpRequest, name: str) -> HttpResponse:
    cluster = get_object_or_404(Cluster, name=name)
    rows = cluster.drifts.all()
    context = {
        "cluster": cluster,
        "open": rows.filter(state=DriftState.OPEN),
        "ignored": rows.filter(state=DriftState.IGNORED),
        "past": rows.filter(state__in=(DriftState.ACCEPTED, DriftState.RESOLVED)).order_by("-decided_at")[:PAST_SHOWN],
        "stacks": cluster.stacks.all(),
        "look": DriftLook.objects.filter(cluster=cluster).first(),
        "may_change": principal_of(request).role.covers(Role.OPERATOR),
    }
    return render(request, "clusters/drift.html", context)


@page(Role.OPERATOR)
@require_POST
def drift_observe(request: HttpRequest, name: str) -> HttpResponse:
    """Reads alone, so that nothing needs to be reviewed; its operation shows how far it is."""
    get_object_or_404(Cluster, name=name)
    return looked_at(request, "drift.observe", {"name": name}, reverse("clusters-web:drift", args=[name]))


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def drift_decide(request: HttpRequest, name: str, drift: int, verb: str) -> HttpResponse:
    row = get_object_or_404(Drift.objects.select_related("cluster"), cluster__name=name, pk=drift)
    if verb not in VERBS:
        raise Http404
    if verb == "revert" and row.source == "stack":
        part, _ = parts.split(row.resource)
        waits = row.cluster.stacks.filter(part=part, reverts=True).exclude(change_set="").exists()
        where = reverse("clusters-web:stack", args=[name, part, "update" if waits else "compare"])
        return redirect(where if waits else f"{where}?revert_drift=1")
    word, confirm = VERBS[verb]
    back = reverse("clusters-web:drift", args=[name])
    disrupt = verb == "revert" and "disrupt" in request.GET
    review = Review(
        f"drift.{verb}",
        {"name": name, "drift": drift, **({"disrupt": disrupt} if verb == "revert" else {})},
        f"{word}: {row.field} of {row.resource} in {name}",
        confirm,
        back,
        choices="clusters/disrupt_choices.html" if verb == "revert" and row.field == "count" else "",
        chosen={"disrupt": disrupt},
    )

    def done(submission: Submission) -> str:
        if verb != "revert" or submission.operation is None:
            return back
        return reverse("operations-web:detail", args=[submission.operation.pk])

    return reviewed(request, review, done)
