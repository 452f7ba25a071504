"""The page of importing: what was found, to choose from, with an alias where a name is taken; adopting and forgetting."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.accounts.reach import account_choices, visible_found
from clusters.choices import SearchState
from clusters.imports.pairs import Pair, pairs
from clusters.models import Cluster, FoundCluster, SearchedRegion
from instantstart.cloud.regions import offered_regions
from instantstart.problem import Problem
from instantstart.web.review import Review, carry_out, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.choices import Channel
from operations.submission import Submission
from operations.submit import submit

MOST = 1000
BUSY = (SearchState.WAITING, SearchState.READING)


@page(Role.OPERATOR)
@require_safe
def import_list(request: HttpRequest) -> HttpResponse:
    return _show(request)


def _show(request: HttpRequest, errors: dict[str, str] | None = None, status: int = 200) -> HttpResponse:
    principal = principal_of(request)
    regions = list(visible_found(SearchedRegion.objects.all(), principal))
    rows: list[dict[str, Any]] = [
        {
            "pair": pair,
            "key": _keys(pair)[0],
            "alias": next((given for key in _keys(pair) if (given := request.GET.get(f"alias-{key}"))), ""),
            "chosen": any(key in request.GET.getlist("cluster") for key in _keys(pair)),
            "error": next((found for key in _keys(pair) if (found := (errors or {}).get(key))), ""),
        }
        for pair in pairs(visible_found(FoundCluster.objects.all(), principal)[:MOST])
    ]
    context = {
        "rows": rows,
        "searched": regions,
        "busy": any(row.state in BUSY for row in regions),
        "offered": sorted(offered_regions("eks") & offered_regions("sagemaker")),
        "accounts": account_choices(principal),
        "free": any(row["pair"].here is None for row in rows),
    }
    live = bool(request.headers.get("HX-Request"))
    return render(request, "clusters/import_progress.html" if live else "clusters/import.html", context, status=status)


def _keys(pair: Pair) -> tuple[str, str]:
    """How the form calls it; and as it may be called in an address that somebody wrote, where there is no doubt."""
    short = f"{pair.eks.region}/{pair.eks.name}"
    return f"{pair.eks.account}/{short}", short


@page(Role.OPERATOR)
@require_POST
def import_search(request: HttpRequest) -> HttpResponse:
    """Reads alone, so that nothing needs to be reviewed."""
    regions = [region for region in request.POST.getlist("region") if region]
    try:
        given = {"regions": regions, "account": request.POST.get("account", "")}
        submit("import.discover", given, principal_of(request), channel=Channel.WEB)
        messages.success(request, "The search has begun; what it finds shows up here.")
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("clusters-web:import")


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def import_review(request: HttpRequest) -> HttpResponse:
    """The plan of what was chosen in the address; a name that is taken or impossible is said at its row."""
    chosen = [_chosen(request, key) for key in request.GET.getlist("cluster") if "/" in key]
    back = reverse("clusters-web:import")
    if not chosen:
        messages.error(request, "Choose at least one cluster.")
        return redirect(back)
    review = Review("cluster.import", {"clusters": chosen}, "Import clusters", "Observe them from now on", back)
    try:
        if request.method == "POST":
            return carry_out(request, review, _done)
        plan = plan_of(request, review)
    except Problem as problem:
        messages.error(request, str(problem))
        return redirect(back)
    if plan.errors:
        return _show(request, _by_row(chosen, plan.errors), status=422)
    return show(request, review, plan)


def _chosen(request: HttpRequest, key: str) -> dict[str, str]:
    *account, region, name = key.split("/")[-3:]
    return {"account": "".join(account), "region": region, "eks_name": name, "alias": request.GET.get(f"alias-{key}", "").strip()}


def _by_row(chosen: list[dict[str, str]], errors: Any) -> dict[str, str]:
    """The first error of each row, as a sentence with its fix."""
    found: dict[str, str] = {}
    for check in errors:
        part = check.field.split(".")[1:2]
        if part and part[0].isdecimal():
            one = chosen[int(part[0])]
            found.setdefault("/".join(part for part in (one["account"], one["region"], one["eks_name"]) if part), _said(check))
    return found


def _said(check: Any) -> str:
    return f"{check.detail} {check.fix}".strip()


def _done(submission: Submission) -> str:
    operation = submission.operation
    return reverse("operations-web:detail", args=[operation.pk]) if operation is not None else reverse("clusters-web:import")


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_adopt(request: HttpRequest, name: str) -> HttpResponse:
    get_object_or_404(Cluster, name=name)
    here = reverse("clusters-web:detail", args=[name])
    review = Review("cluster.adopt", {"name": name}, f"Adopt {name}", "Write our tags, and allow changes", here)
    return reviewed(request, review, lambda _: here)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def cluster_forget(request: HttpRequest, name: str) -> HttpResponse:
    """?keep_tags=1 where AWS can't be read."""
    get_object_or_404(Cluster, name=name)
    here = reverse("clusters-web:detail", args=[name])
    asked = {"name": name, "keep_tags": "keep_tags" in request.GET}
    return reviewed(request, Review("cluster.forget", asked, f"Forget {name}", "Forget it", here), _done)
