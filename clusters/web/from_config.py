"""The wizard filled in from a configuration that exists already, and a cluster's configuration to take away."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.api.configs import export_of
from clusters.configs.read import MOST_BYTES
from clusters.configs.taken import take
from clusters.models import Cluster
from clusters.web.forms import ClusterForm
from clusters.web.offered import offered
from instantstart.problem import Problem
from instantstart.web.forms import ProblemForm
from instantstart.web.signed_in import page


class ConfigForm(ProblemForm):
    """A file, or its text."""

    file = forms.FileField(required=False, label="Configuration file", help_text="JSON or YAML, up to 256 KiB.")
    text = forms.CharField(
        required=False, label="Or its text", widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "form-control mono"})
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        upload: UploadedFile[Any] | None = data.get("file")
        if upload is not None and (upload.size or 0) > MOST_BYTES:
            raise forms.ValidationError("The file is larger than 256 KiB.")
        if upload is not None:
            try:
                data["text"] = upload.read().decode()
            except UnicodeDecodeError:
                raise forms.ValidationError("The file is no text in UTF-8.") from None
        if not data.get("text", "").strip():
            raise forms.ValidationError("Choose a file or paste its text.")
        return data


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_from_config(request: HttpRequest) -> HttpResponse:
    """GET asks for the configuration; POST shows the wizard as it fills it in, with what could not be taken over."""
    form = ConfigForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            converted, errors = take(form.cleaned_data["text"])
        except Problem as problem:
            form.add_problem(problem)
        else:
            region = converted.input.get("region") or settings.DEFAULT_REGION
            choices = offered(region, principal_of(request))
            filled = ClusterForm(initial=initial(converted.input, region), offered=choices)
            context = {
                "form": filled,
                "trouble": choices.trouble,
                "findings": converted.findings,
                "errors": errors,
                "from": converted.format,
            }
            return render(request, "clusters/new.html", context)
    return render(request, "clusters/from_config.html", {"form": form}, status=422 if request.method == "POST" else 200)


def initial(data: dict[str, Any], region: str) -> dict[str, Any]:
    """An input as the form's initial values; what is not given keeps the form's own."""
    group, network = data.get("group") or {}, data.get("network") or {}
    existing = network.get("existing") or {}
    filled = {
        "name": data.get("name"),
        "account": data.get("account", ""),
        "region": region,
        "zone": next(iter(data.get("availability_zones") or []), None),
        "kubernetes_version": data.get("kubernetes_version"),
        **{f"group_{name}": value for name, value in group.items()},
        "groups": json.dumps(data["groups"]) if data.get("groups") else None,
        "deep_health_checks": data.get("deep_health_checks"),
        "network_vpc_cidr": network.get("vpc_cidr"),
        "network_existing_vpc_id": existing.get("vpc_id"),
        "network_existing_private_subnet_ids": " ".join(existing.get("private_subnet_ids") or []) or None,
        "network_existing_compute_subnet_id": existing.get("compute_subnet_id"),
        "fsx": data.get("fsx"),
        "tags": "\n".join(f"{key}={value}" for key, value in (data.get("tags") or {}).items()) or None,
    }
    return {name: value for name, value in filled.items() if value is not None}


@page()
@require_safe
def cluster_export(request: HttpRequest, name: str) -> HttpResponse:
    """The create-cluster JSON as a file."""
    cluster = get_object_or_404(Cluster, name=name)
    try:
        text = json.dumps(export_of(cluster), indent=2)
    except Problem as problem:
        messages.error(request, str(problem))
        return redirect("clusters-web:detail", name)
    return HttpResponse(text, content_type="application/json", headers={"Content-Disposition": f'attachment; filename="{name}.json"'})
