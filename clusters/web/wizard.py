"""The wizard: form, then plan, then yes. The stage travels in the form; nothing is kept in between."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.web.forms import ClusterForm
from clusters.web.offered import Offered, offered
from instantstart.problem import Problem
from instantstart.web.review import Review, carry_out, plan_of, show
from instantstart.web.signed_in import page

LEFT_OUT = ("csrfmiddlewaretoken", "stage")


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_new(request: HttpRequest) -> HttpResponse:
    """Stages: none (an empty form), `region` (the same form with another region's choices), `review` (the plan), `edit` (back from
    the plan to the form), `confirm` (the yes)."""
    stage = request.POST.get("stage", "")
    if stage == "confirm":
        return _confirmed(request)
    typed = QueryDict(request.POST.get("given", "")) if stage == "edit" else request.POST
    region = typed.get("region") or settings.DEFAULT_REGION
    choices = offered(region, principal_of(request), typed.get("account", ""))
    if stage != "review":
        return _form(request, ClusterForm(initial=_initial(typed, choices) if stage else {"region": region}, offered=choices), choices)
    form = ClusterForm(request.POST, offered=choices)
    if form.is_valid():
        review = _review(form.to_input(), _given(request))
        try:
            return show(request, review, plan_of(request, review))
        except Problem as problem:
            form.add_problem(problem)
    return _form(request, form, choices, status=422)


def _confirmed(request: HttpRequest) -> HttpResponse:
    """Carry it out; what is refused now is said on the form, as it was filled in."""
    data, given = _document(request.POST.get("data", "")), request.POST.get("given", "")

    def refused(problem: Problem) -> HttpResponse:
        typed = QueryDict(given)
        choices = offered(typed.get("region") or settings.DEFAULT_REGION, principal_of(request), typed.get("account", ""))
        form = ClusterForm(typed, offered=choices)
        form.add_problem(problem)
        return _form(request, form, choices, status=422)

    return carry_out(request, _review(data, given), lambda _: reverse("clusters-web:detail", args=[data["name"]]), refused)


def _form(request: HttpRequest, form: ClusterForm, choices: Offered, status: int = 200) -> HttpResponse:
    return render(request, "clusters/new.html", {"form": form, "trouble": choices.trouble}, status=status)


def _review(data: dict[str, Any], given: str) -> Review:
    title = f"Create the cluster {data.get('name', '')}"
    return Review("cluster.create", data, title, "Create the cluster", reverse("clusters-web:new"), given=given)


def _document(text: str) -> dict[str, Any]:
    """The input that the review page carried; what is no such document becomes an empty one, which the action refuses."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _given(request: HttpRequest) -> str:
    """What was typed, as a query string, for the way back from the plan."""
    typed = request.POST.copy()
    for name in LEFT_OUT:
        typed.pop(name, None)
    return typed.urlencode()


def _initial(typed: QueryDict, choices: Offered) -> dict[str, Any]:
    """What was typed, field by field as its widget reads it."""
    fields = ClusterForm(offered=choices).fields
    return {name: field.widget.value_from_datadict(typed, {}, name) for name, field in fields.items()}
