"""Pages of EKS node groups: what is asked for travels in the address, so that the plan shown is the plan of just that."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.choices import Role
from clusters.models import Cluster, NodeGroup
from clusters.node_groups.spec import MOST_NODES, NodeCapacity
from clusters.web.groups import to_operation
from instantstart.problem import Problem
from instantstart.web.forms import ProblemForm
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page

CAPACITY_WORDS = {
    NodeCapacity.ON_DEMAND: "On demand",
    NodeCapacity.SPOT: "Spot: cheaper, may be taken back",
    NodeCapacity.CAPACITY_BLOCK: "Capacity Block: reserved and paid in advance",
}
COUNTS = ("minimum", "desired", "maximum")


class CountsForm(ProblemForm):
    minimum = forms.IntegerField(min_value=0, max_value=MOST_NODES, initial=0, label="At least")
    desired = forms.IntegerField(min_value=0, max_value=MOST_NODES, initial=1, label="Nodes it is to have")
    maximum = forms.IntegerField(min_value=1, max_value=MOST_NODES, initial=3, label="At most")


class ScaleForm(CountsForm):
    disrupt = forms.BooleanField(
        required=False,
        label="Let nodes go although something runs there",
        widget=forms.CheckboxInput(attrs={"class": "form-check-input"}),
    )


class NodeGroupForm(CountsForm):
    """A node group to be made. What is allowed is decided by the action."""

    node_group = forms.CharField(max_length=63, label="Name")
    instance_types = forms.CharField(
        initial="m5.xlarge",
        label="Instance types",
        help_text="EC2's names, separated by commas; several for Spot, in the order of preference.",
    )
    capacity = forms.ChoiceField(
        choices=[(one.value, words) for one, words in CAPACITY_WORDS.items()], initial=NodeCapacity.ON_DEMAND.value, label="Capacity"
    )
    capacity_reservation = forms.CharField(
        required=False, label="Capacity Block", help_text="Its reservation, cr-…; only for capacity from a Capacity Block."
    )
    subnets = forms.CharField(required=False, label="Subnets", help_text="subnet-…, separated by commas; empty: the cluster's own.")
    volume_gb = forms.IntegerField(min_value=20, max_value=16384, initial=200, label="EBS volume (GB)")
    efa = forms.BooleanField(
        required=False, label="EFA: all interfaces of the type", widget=forms.CheckboxInput(attrs={"class": "form-check-input"})
    )
    field_order = ("node_group", "instance_types", *COUNTS, "capacity", "capacity_reservation", "subnets", "volume_gb", "efa")

    def to_group(self) -> dict[str, Any]:
        """What was left empty is left out."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        for name in ("instance_types", "subnets"):
            if name in given:
                given[name] = [one.strip() for one in given[name].split(",") if one.strip()]
        return given


def _here(name: str) -> str:
    return reverse("clusters-web:detail", args=[name])


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def node_group_new(request: HttpRequest, name: str) -> HttpResponse:
    """An empty form; with what was typed in the address, its plan; a POST is the yes."""
    cluster = get_object_or_404(Cluster, name=name)
    form = NodeGroupForm(request.GET or None)
    status = 200
    if request.GET:
        status = 422
        if form.is_valid():
            group = form.to_group()
            back = reverse("clusters-web:node-group-new", args=[name])
            title = f"Create the EKS node group {group['node_group']} in {name}"
            review = Review("node_group.create", {"name": name, **group}, title, "Create the node group", back)
            try:
                if request.method == "POST":
                    return carry_out(request, review, to_operation(name))
                return show(request, review, plan_of(request, review))
            except Problem as problem:
                form.add_problem(problem)
    context = {"form": form, "cluster": cluster, "title": f"Create an EKS node group in {name}"}
    return render(request, "clusters/node_group_form.html", context, status=status)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def node_group_scale(request: HttpRequest, name: str, node_group: str) -> HttpResponse:
    """The counts as they are; with others in the address, their plan; a POST is the yes."""
    row = get_object_or_404(NodeGroup.objects.select_related("cluster"), cluster__name=name, name=node_group)
    form = ScaleForm(request.GET or None, initial={one: getattr(row, one) for one in COUNTS})
    status = 200
    if request.GET:
        status = 422
        if form.is_valid():
            counts = {one: form.cleaned_data[one] for one in COUNTS}
            back = reverse("clusters-web:node-group-scale", args=[name, node_group])
            data = {"name": name, "node_group": node_group, **counts, "disrupt": form.cleaned_data["disrupt"]}
            fewer = counts["desired"] < row.desired
            review = Review(
                "node_group.scale", data, f"Scale {node_group} of {name}", f"Scale it to {counts['desired']}", back, danger=fewer
            )
            try:
                if request.method == "POST":
                    return carry_out(request, review, to_operation(name))
                return show(request, review, plan_of(request, review))
            except Problem as problem:
                form.add_problem(problem)
    context = {"form": form, "cluster": row.cluster, "title": f"Scale {node_group} of {name}"}
    return render(request, "clusters/node_group_form.html", context, status=status)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def node_group_delete(request: HttpRequest, name: str, node_group: str) -> HttpResponse:
    get_object_or_404(NodeGroup, cluster__name=name, name=node_group)
    disrupt = "disrupt" in request.GET
    typed = request.POST.get("confirm", "")
    review = Review(
        "node_group.delete",
        {"name": name, "node_group": node_group, "confirm": typed or node_group, "disrupt": disrupt},
        f"Delete the EKS node group {node_group} of {name}",
        "Delete it, with its nodes",
        _here(name),
        typed=node_group,
        danger=True,
        choices="clusters/disrupt_choices.html",
        chosen={"disrupt": disrupt},
    )
    if request.method == "POST" and typed != node_group:
        messages.error(request, f"Type {node_group} to confirm the deletion; nothing was changed.")
        return show(request, review, plan_of(request, review), status=409)
    return reviewed(request, review, to_operation(name))
