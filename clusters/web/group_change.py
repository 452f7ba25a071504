"""The page that changes a group's fields. What HyperPod never changes is refused with the group to add instead, as a plan."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.choices import Role
from clusters.actions.group import INSTEAD
from clusters.models import InstanceGroup
from clusters.web.forms import CAPACITY_WORDS
from clusters.web.groups import to_operation
from clusters.web.type_choices import type_choices
from instantstart.problem import Problem
from instantstart.web.forms import ProblemForm
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.plan import Plan

PLAN, LIKE_IT = "plan", "instead"
"""Members of the address: the plan is asked for, and that of a group like this one in place of the change."""
_FIXED = "Fixed at creation: for another one the plan offers a group to add instead."


class GroupChangeForm(ProblemForm):
    """A group as it is. What is left as it is, or left empty, is not sent."""

    instance_type = forms.ChoiceField(required=False, label="Instance type", help_text=_FIXED)
    capacity = forms.ChoiceField(
        required=False, choices=[(mode.value, words) for mode, words in CAPACITY_WORDS.items()], label="Capacity", help_text=_FIXED
    )
    training_plan_arn = forms.CharField(required=False, label="Training plan (ARN)", help_text=_FIXED)
    subnet = forms.CharField(required=False, label="Subnet", help_text=_FIXED)
    volume_gb = forms.IntegerField(required=False, min_value=1, max_value=16384, label="EBS volume (GB)", help_text="Empty: as it is.")
    threads_per_core = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, choices=[("", "As it is"), ("1", "1"), ("2", "2")], label="Threads per core"
    )
    minimum = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=6758,
        label="Least number of nodes",
        help_text="With continuous provisioning only. Empty: as it is.",
    )

    def __init__(self, row: InstanceGroup, data: Any = None) -> None:
        seen = row.facts.get("settings") or {}
        self.current = {"instance_type": row.instance_type, "capacity": row.capacity} | {
            name: seen[name] for name in self.base_fields if seen.get(name) not in (None, "")
        }
        super().__init__(data, initial=self.current)
        field = self.fields["instance_type"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (narrows for the type checker)
        known = dict(type_choices(row.cluster.region))
        field.choices = list(({row.instance_type: row.instance_type} | known).items())

    def changed(self) -> dict[str, Any]:
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None) and value != self.current.get(name)}


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def group_change(request: HttpRequest, name: str, group: str) -> HttpResponse:
    """The form; with what was typed in the address its plan, or that of the group to add instead; a POST is the yes."""
    row = get_object_or_404(InstanceGroup.objects.select_related("cluster"), cluster__name=name, name=group)
    form = GroupChangeForm(row, request.GET if PLAN in request.GET else None)
    if form.is_bound and form.is_valid():
        review = _review(request, name, group, form.changed())
        try:
            if LIKE_IT not in request.GET:
                if request.method == "POST":
                    return carry_out(request, review, to_operation(name))
                return show(request, review, plan_of(request, review))
            instead = _instead(request, review, name, group)
            if request.method == "POST":
                return carry_out(request, instead, to_operation(name))
            return show(request, instead, plan_of(request, instead))
        except Problem as problem:
            form.add_problem(problem)
    status = 422 if form.is_bound else 200
    return render(request, "clusters/group_change.html", {"form": form, "cluster": row.cluster, "group": row}, status=status)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def group_replace(request: HttpRequest, name: str, group: str) -> HttpResponse:
    """All of it as one plan: a group like this one with what was typed in the address, then this one drained and deleted."""
    row = get_object_or_404(InstanceGroup.objects.select_related("cluster"), cluster__name=name, name=group)
    form = GroupChangeForm(row, request.GET)
    back = f"{reverse('clusters-web:group-change', args=[name, group])}?{request.GET.urlencode()}"
    if not form.is_valid():
        return redirect(back)
    disrupt, typed = "disrupt" in request.GET, request.POST.get("confirm", "")
    review = Review(
        "group.replace",
        {"name": name, "group": group, **form.changed(), "confirm": typed or group, "disrupt": disrupt},
        f"Replace the group {group} of {name}",
        "Add the new one, then drain and delete this one",
        back,
        typed=group,
        danger=True,
        choices="clusters/replace_choices.html",
        chosen={"disrupt": disrupt, "typed": form.changed()},
    )
    if request.method == "POST" and typed != group:
        messages.error(request, f"Type {group} to confirm that it goes; nothing was changed.")
        return show(request, review, plan_of(request, review), status=409)
    return reviewed(request, review, to_operation(name))


def _review(request: HttpRequest, name: str, group: str, changed: dict[str, Any]) -> Review:
    here = reverse("clusters-web:group-change", args=[name, group])
    typed = request.GET.copy()
    typed.pop(LIKE_IT, None)
    return Review(
        "group.update",
        {"name": name, "group": group, **changed},
        f"Change {group} of {name}",
        "Change it",
        here,
        choices="clusters/instead_choices.html",
        chosen={
            LIKE_IT: f"{here}?{typed.urlencode()}&{urlencode({LIKE_IT: 1})}",
            "replace": f"{reverse('clusters-web:group-replace', args=[name, group])}?{typed.urlencode()}",
        },
    )


def _instead(request: HttpRequest, review: Review, name: str, group: str) -> Review:
    """The group that the refused change offers. Problem 409 when it is not refused (any more)."""
    plan: Plan = plan_of(request, review)
    offered = plan.documents.get(INSTEAD)
    if offered is None:
        raise Problem(409, "nothing_to_replace", "Nothing to replace", f"{group} can be changed as asked.", "Plan the change itself.")
    asked = json.loads(offered)
    fresh = asked["groups"][0]["name"]
    return Review(
        "group.add",
        {"name": name, **asked},
        f"Add the group {fresh} to {name}, like {group}",
        "Add the group",
        f"{review.back}?{urlencode({key: value for key, value in request.GET.items() if key != LIKE_IT})}",
        choices="clusters/after_instead.html",
        chosen={"cluster": name, "group": group, "fresh": fresh},
    )
