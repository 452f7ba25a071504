"""The page of managed features, and the plans that begin there. What is chosen travels in the address, as of groups."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters import features
from clusters.actions.feature import SetFeature
from clusters.choices import FeatureState, PartState
from clusters.features.relations import required_by, rivals
from clusters.models import Cluster, ClusterFeature
from clusters.web.feature_form import FeatureForm
from clusters.web.groups import to_operation
from instantstart.problem import Problem
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.models import Operation

PLAN = "plan"
"""Member of the address that asks for the plan: a form may be sent as it is, with every field empty."""
CASCADE = "cascade"
_LOOKS = {
    FeatureState.INSTALLING: "creating",
    FeatureState.REMOVING: "deleting",
    PartState.MOVING: "creating",
    PartState.READY: "ready",
    PartState.BROKEN: "failed",
}


@page()
@require_safe
def feature_list(request: HttpRequest, name: str) -> HttpResponse:
    """Every feature as it was last observed, with its parts, what it needs, and what can be done."""
    cluster = get_object_or_404(Cluster, name=name)
    rows = list(cluster.features.filter(name__in=features.REGISTRY).select_related("cluster"))
    active = {
        row.pk: row for row in Operation.objects.filter(pk__in=[row.operation_id for row in rows if row.operation_id]) if not row.ended
    }
    context = {
        "cluster": cluster,
        "features": [_shown(row, active) for row in rows],
        "may_change": principal_of(request).role.covers(Role.OPERATOR),
    }
    live = bool(request.headers.get("HX-Request"))
    return render(request, "clusters/features_body.html" if live else "clusters/features.html", context)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def feature_on(request: HttpRequest, name: str, feature: str) -> HttpResponse:
    """Turn it on, or change its settings: a form where it has some, then the plan of what differs."""
    row, entry = _found(name, feature)
    cascade = CASCADE in request.GET
    form = FeatureForm(entry, row.settings, request.GET if PLAN in request.GET else None)
    if form.fields and not form.is_bound:
        form.initial.update(request.GET.dict())
        return render(request, "clusters/feature_form.html", _form_context(row, entry, form, cascade))
    if not form.fields:
        return reviewed(request, _turned_on(request, row, entry, {}, cascade), to_operation(name))
    if form.is_valid():
        review = _turned_on(request, row, entry, form.changed_settings(), cascade)
        try:
            if request.method == "POST":
                return carry_out(request, review, to_operation(name))
            return show(request, review, plan_of(request, review))
        except Problem as problem:
            form.add_problem(problem)
    return render(request, "clusters/feature_form.html", _form_context(row, entry, form, cascade), status=422)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def feature_off(request: HttpRequest, name: str, feature: str) -> HttpResponse:
    """The plan of its removal, with what needs it named, or removed along when that was chosen."""
    row, entry = _found(name, feature)
    cascade = CASCADE in request.GET
    review = Review(
        SetFeature.kind,
        {"name": row.cluster.name, "features": {feature: {"enabled": False}}, "cascade": cascade},
        f"Turn off {entry.title} on {name}",
        "Turn it off",
        _page(name),
        danger=True,
        choices="clusters/cascade_choices.html",
        chosen={"cascade": cascade, "off": True},
    )
    return reviewed(request, review, to_operation(name))


def _found(name: str, feature: str) -> tuple[ClusterFeature, features.Feature]:
    if feature not in features.REGISTRY:
        raise Http404
    cluster = get_object_or_404(Cluster, name=name)
    return cluster.features.filter(name=feature).first() or ClusterFeature(cluster=cluster, name=feature), features.find(feature)


def _page(name: str) -> str:
    return reverse("clusters-web:features", args=[name])


def _turned_on(request: HttpRequest, row: ClusterFeature, entry: features.Feature, settings: dict[str, Any], cascade: bool) -> Review:
    name = row.cluster.name
    typed = {key: value for key, value in request.GET.items() if key != PLAN}
    form = f"{reverse('clusters-web:feature-on', args=[name, row.name])}?{urlencode(typed)}"
    word = "Change" if row.state == FeatureState.ACTIVE else "Turn on"
    return Review(
        SetFeature.kind,
        {"name": name, "features": {row.name: {"enabled": True, "settings": settings}}, "cascade": cascade},
        f"{word} {entry.title} on {name}",
        "Change it" if word == "Change" else "Turn it on",
        form if entry.Settings.model_fields else _page(name),
        choices="clusters/cascade_choices.html" if entry.requires and not entry.Settings.model_fields else "",
        chosen={"cascade": cascade},
    )


def _form_context(row: ClusterFeature, entry: features.Feature, form: FeatureForm, cascade: bool) -> dict[str, Any]:
    return {"cluster": row.cluster, "feature": entry, "row": row, "form": form, "cascade": cascade}


def _shown(row: ClusterFeature, active: dict[Any, Operation]) -> dict[str, Any]:
    entry = features.find(row.name)
    on = row.state not in (FeatureState.ABSENT, FeatureState.REMOVING)
    parts = [{**part, "look": _LOOKS.get(part["state"], part["state"]), "word": PartState(part["state"]).label} for part in row.parts]
    return {
        "row": row,
        "title": entry.title,
        "summary": entry.summary,
        "look": _LOOKS.get(FeatureState(row.state), row.state),
        "operation": active.get(row.operation_id),
        "settings": [(name.replace("_", " "), _text(value)) for name, value in row.settings.items() if value is not None and on],
        "parts": parts,
        "requires": [features.find(name).title for name in entry.requires],
        "required_by": [features.find(name).title for name in required_by(row.name)],
        "excludes": [features.find(name).title for name in sorted(rivals(row.name))],
        "needs": entry.needs,
        "on": on,
        "has_settings": bool(entry.Settings.model_fields),
        "whole": row.state == FeatureState.ACTIVE,
        "can_go": row.state != FeatureState.ABSENT,
    }


def _text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value) or "none"
    return value if isinstance(value, str) else json.dumps(value)
