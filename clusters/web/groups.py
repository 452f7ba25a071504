"""Pages of instance groups and nodes: what is asked for travels in the address, so that the plan shown is the plan of just that."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.api.groups import reasons
from clusters.api.nodes import VERBS, events_of, operations_on_nodes
from clusters.groups import advice
from clusters.groups.spec import DEDICATED, SHARED
from clusters.models import Cluster, InstanceGroup, Node
from clusters.spec import Capacity, GroupInput
from clusters.web.forms import CAPACITY_WORDS
from clusters.web.type_choices import type_choices
from instantstart.problem import Problem
from instantstart.web.forms import ProblemForm
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.submission import Submission

VERB_WORDS: dict[str, tuple[str, str]] = {
    "reboot": ("Reboot", "Reboot it"),
    "replace": ("Replace", "Replace it: its disks are lost"),
    "delete": ("Delete", "Delete it, and lower its group's count"),
    "drain": ("Drain", "Drain it"),
    "cordon": ("Cordon", "Let no new pods come to it"),
    "uncordon": ("Uncordon", "Let new pods come to it again"),
}
DANGEROUS = ("replace", "delete")
ASK_ABOUT_WORK = ("reboot", "replace", "delete", "drain")


FIELDS = (
    "name",
    "instance_type",
    "count",
    "capacity",
    "training_plan_arn",
    "availability_zone",
    "subnet",
    "volume_gb",
    "further_types",
    "threads_per_core",
    "image_id",
)
GIVEN = "given"
PLACES = (
    (SHARED, "The shared compute subnet of the zone"),
    (DEDICATED, "A new /20 of its own, made for this group and removed with it"),
    (GIVEN, "A subnet that is there"),
)


class GroupForm(ProblemForm):
    """A group to be added. What is allowed is decided by the action."""

    aliases = dict(zip((f"groups.0.{name}" for name in FIELDS), FIELDS, strict=True)) | {
        "groups.0": "training_plan_arn",
        "groups.0.volumes": "more_volumes",
    }

    name = forms.CharField(max_length=63, label="Group name")
    instance_type = forms.ChoiceField(label="Instance type", initial=GroupInput.model_fields["instance_type"].default)
    count = forms.IntegerField(min_value=0, max_value=6758, initial=1, label="Instances")
    capacity = forms.ChoiceField(
        choices=[(mode.value, words) for mode, words in CAPACITY_WORDS.items()], initial=Capacity.ON_DEMAND.value, label="Capacity"
    )
    training_plan_arn = forms.CharField(required=False, label="Training plan (ARN)", help_text="Only for capacity from a training plan.")
    availability_zone = forms.CharField(
        required=False,
        label="Availability Zone",
        help_text="Such as us-west-2b; empty: that of the cluster's own subnet. Where the cluster has none yet, one is made.",
    )
    place = forms.ChoiceField(required=False, choices=PLACES, initial=SHARED, label="Where its nodes go")
    subnet = forms.CharField(required=False, label="Subnet", help_text="subnet-…, for a subnet that is there.")
    volume_gb = forms.IntegerField(min_value=1, max_value=16384, initial=500, label="EBS volume (GB)")
    more_volumes = forms.RegexField(
        r"^\s*\d{1,5}(\s*,\s*\d{1,5}){0,2}\s*$",
        required=False,
        label="Further EBS volumes (GB)",
        help_text="Up to three sizes with commas between, such as 100, 200.",
    )
    root_key = forms.CharField(required=False, label="KMS key of the root volume", help_text="Key id or ARN; empty: AWS's own key.")
    further_types = forms.CharField(
        required=False,
        label="Other types where it has none",
        help_text="With commas between, in the order in which HyperPod is to try them; empty: that type alone.",
    )
    threads_per_core = forms.TypedChoiceField(
        choices=[("", "As usual for the type"), ("1", "1"), ("2", "2")],
        coerce=int,
        empty_value=None,
        required=False,
        label="Threads a core",
    )
    image_id = forms.CharField(required=False, label="Image", help_text="ami-…; empty: HyperPod's own.")

    def __init__(self, *args: Any, region: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["instance_type"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (narrows for the type checker)
        field.choices = type_choices(region)

    def to_group(self) -> dict[str, Any]:
        """One group of `group.add`; what was left empty is left out."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}
        given |= self._storage(given)
        if types := [one.strip() for one in given.pop("further_types", "").split(",") if one.strip()]:
            given["further_types"] = types
        place = given.pop("place", SHARED)
        return {**given, "subnet": DEDICATED} if place == DEDICATED else given

    @staticmethod
    def _storage(given: dict[str, Any]) -> dict[str, Any]:
        """`volumes` where there is more than the one of volume_gb, which it then takes the place of."""
        more, key = given.pop("more_volumes", ""), given.pop("root_key", "")
        if not more and not key:
            return {}
        sizes = [given.pop("volume_gb", None), *(int(size) for size in more.split(",") if size.strip())]
        root = [{"root": True, "kms_key": key}] if key else []
        return {"volumes": [*root, *({"size_gb": size} for size in sizes if size is not None)]}

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        place, subnet = given.get("place"), given.get("subnet")
        if place == GIVEN and not subnet:
            self.add_error("subnet", "Say which: subnet-….")
        elif place == DEDICATED and subnet:
            self.add_error("subnet", "Leave it empty for a new subnet, or choose a subnet that is there.")
        return given


def _here(name: str) -> str:
    return reverse("clusters-web:detail", args=[name])


def to_operation(name: str) -> Any:
    def done(submission: Submission) -> str:
        return reverse("operations-web:detail", args=[submission.operation.pk]) if submission.operation else _here(name)

    return done


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def group_new(request: HttpRequest, name: str) -> HttpResponse:
    """An empty form; with what was typed in the address, its plan; a POST is the yes."""
    cluster = get_object_or_404(Cluster, name=name)
    form = GroupForm(request.GET or None, region=cluster.region)
    status = 200
    if request.GET:
        status = 422
        if form.is_valid():
            group = form.to_group()
            back = reverse("clusters-web:group-new", args=[name])
            review = Review(
                "group.add", {"name": name, "groups": [group]}, f"Add the group {group['name']} to {name}", "Add the group", back
            )
            try:
                if request.method == "POST":
                    return carry_out(request, review, to_operation(name))
                return show(request, review, plan_of(request, review))
            except Problem as problem:
                form.add_problem(problem)
    return render(request, "clusters/group_new.html", {"form": form, "cluster": cluster}, status=status)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def group_scale(request: HttpRequest, name: str, group: str) -> HttpResponse:
    row = get_object_or_404(InstanceGroup, cluster__name=name, name=group)
    given = request.GET.get("count", "")
    count = int(given) if given.isdecimal() else row.target_count
    disrupt = "disrupt" in request.GET
    review = Review(
        "group.scale",
        {"name": name, "group": group, "count": count, "disrupt": disrupt},
        f"Scale {group} of {name}",
        f"Scale it to {count}",
        _here(name),
        danger=count < row.target_count,
        choices="clusters/scale_choices.html",
        chosen={"disrupt": disrupt},
    )
    if request.method == "GET" and "count" not in request.GET:
        return render(request, "clusters/scale.html", {"review": review})  # nothing is asked yet, so there is no plan to show
    return reviewed(request, review, to_operation(name))


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def group_delete(request: HttpRequest, name: str, group: str) -> HttpResponse:
    get_object_or_404(InstanceGroup, cluster__name=name, name=group)
    disrupt = "disrupt" in request.GET
    typed = request.POST.get("confirm", "")
    review = Review(
        "group.delete",
        {"name": name, "group": group, "confirm": typed or group, "disrupt": disrupt},
        f"Delete the group {group} of {name}",
        "Delete it, with its nodes",
        _here(name),
        typed=group,
        danger=True,
        choices="clusters/disrupt_choices.html",
        chosen={"disrupt": disrupt},
    )
    if request.method == "POST" and typed != group:
        messages.error(request, f"Type {group} to confirm the deletion; nothing was changed.")
        return show(request, review, plan_of(request, review), status=409)
    return reviewed(request, review, to_operation(name))


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def software_update(request: HttpRequest, name: str) -> HttpResponse:
    get_object_or_404(Cluster, name=name)
    disrupt = "disrupt" in request.GET
    review = Review(
        "cluster.update_software",
        {"name": name, "disrupt": disrupt},
        f"Update the software of {name}",
        "Update it",
        _here(name),
        choices="clusters/disrupt_choices.html",
        chosen={"disrupt": disrupt},
    )
    return reviewed(request, review, to_operation(name))


@page()
@require_safe
def node_detail(request: HttpRequest, name: str, node: str) -> HttpResponse:
    """One node: what it is, what runs there, what HyperPod told of it, and what can be done, in order."""
    row = get_object_or_404(Node.objects.select_related("cluster"), cluster__name=name, key=node)
    events = events_of(row)
    may_change = principal_of(request).role.covers(Role.OPERATOR)
    verbs = ["reboot", "replace", "cordon" if row.schedulable else "uncordon", "drain", "delete"]
    context = {
        "cluster": row.cluster,
        "node": row,
        "events": events,
        "steps": advice.next_steps(row, events),
        "last_reboot": advice.last(events, replacement=False),
        "operation": operations_on_nodes(name).get(row.instance_id or row.key),
        "verbs": [(verb, VERB_WORDS[verb][0]) for verb in verbs] if may_change and row.instance_id else [],
    }
    return render(request, "clusters/node.html", context)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def node_verb(request: HttpRequest, name: str, node: str, verb: str) -> HttpResponse:
    get_object_or_404(Node, cluster__name=name, key=node)
    if verb not in VERBS:
        raise Http404
    kind, meant = VERBS[verb]
    word, confirm = VERB_WORDS[verb]
    asks = verb in ASK_ABOUT_WORK
    disrupt = asks and "disrupt" in request.GET
    review = Review(
        kind,
        {"name": name, "nodes": [node], **meant, **({"disrupt": disrupt} if asks else {})},
        f"{word} {node}",
        confirm,
        reverse("clusters-web:node", args=[name, node]),
        danger=verb in DANGEROUS,
        choices="clusters/disrupt_choices.html" if asks else "",
        chosen={"disrupt": disrupt},
    )
    return reviewed(request, review, to_operation(name))


def shown_groups(cluster: Cluster) -> list[InstanceGroup]:
    """The groups, each that lacks nodes with the newest reason."""
    rows = list(cluster.groups.all())
    for row in rows:
        row.why = next(iter(reasons(row)), None)  # type: ignore[attr-defined]
    return rows
