"""Stacks on the page of drift: a change set worked out, looked at and carried out, or thrown away."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.choices import Role
from clusters import names
from clusters.models import Cluster
from clusters.stacks.change_sets import Changed
from instantstart.web.review import Review, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.submission import Submission

VERBS: dict[str, tuple[str, str]] = {
    "compare": ("Work out the changes of", "Have it worked out"),
    "update": ("Update", "Carry it out"),
    "discard": ("Throw away the change set of", "Throw it away"),
}


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def stack_change(request: HttpRequest, name: str, stack: str, verb: str) -> HttpResponse:
    cluster = get_object_or_404(Cluster, name=name)
    if verb not in VERBS:
        raise Http404
    word, confirm = VERBS[verb]
    back, full = reverse("clusters-web:drift", args=[name]), names.stack(name, stack)
    data: dict[str, object] = {"name": name, "stack": stack}
    row = cluster.stacks.filter(part=stack).first()
    destroys = verb == "update" and row is not None and any(Changed.from_json(one).destroys for one in row.changes)
    typed = request.POST.get("confirm", "")
    if verb == "compare":
        data["revert_drift"] = "revert_drift" in request.GET
    elif destroys:
        data["confirm"] = typed or full
    review = Review(f"stack.{verb}", data, f"{word} the stack {full}", confirm, back, typed=full if destroys else "", danger=destroys)
    if request.method == "POST" and destroys and typed != full:
        messages.error(request, f"Type {full} to confirm; nothing was changed.")
        return show(request, review, plan_of(request, review), status=409)

    def done(submission: Submission) -> str:
        return reverse("operations-web:detail", args=[submission.operation.pk]) if submission.operation else back

    return reviewed(request, review, done)
