"""The page of quotas: how much of each is in use, what a group would take, and asking for more."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.accounts.reach import account_choices, visible_quotas
from clusters.models.quota import Quota
from clusters.quotas.fit import fits
from clusters.spec import Capacity
from instantstart.web.review import Review, reviewed
from instantstart.web.signed_in import page
from operations.submission import Submission


@page()
@require_safe
def quota_list(request: HttpRequest) -> HttpResponse:
    """Of one region; those of which nothing is used or asked for only with ?all=1, or when a type is looked for."""
    region = request.GET.get("region", "").strip() or settings.DEFAULT_REGION
    principal = principal_of(request)
    seen = visible_quotas(Quota.objects.all(), principal)
    looked_at = seen.filter(region=region).order_by("account").values_list("account", flat=True).distinct()
    offered = dict(account_choices(principal))
    others = [digits for digits in looked_at if digits not in offered]
    if others:
        offered.pop("", None)  # once it was looked at, the installation's own goes by its digits
    accounts = dict.fromkeys(others, "") | offered
    account = request.GET.get("account", "")
    account = account if account in accounts else next(iter(accounts), "")
    known = rows = seen.filter(region=region, account=account)
    kind = request.GET.get("instance_type", "").strip()
    if kind:
        rows = rows.filter(instance_type=kind)
    elif not request.GET.get("all"):
        rows = rows.exclude(used=0, request_status="")
    context: dict[str, Any] = {
        "quotas": rows,
        "region": region,
        "regions": sorted({settings.DEFAULT_REGION, *seen.values_list("region", flat=True).distinct()}),
        "given": request.GET,
        "capacities": [one.value for one in Capacity],
        "fits": _fits(request, known, kind),
        "account": account,
        "accounts": [(digits, words or digits) for digits, words in accounts.items()],
        "observed_at": known.order_by("observed_at").values_list("observed_at", flat=True).first(),
    }
    return render(request, "clusters/quotas.html", context)


def _fits(request: HttpRequest, known: QuerySet[Quota], kind: str) -> list[Any]:
    count, capacity = request.GET.get("count", ""), request.GET.get("capacity", Capacity.ON_DEMAND.value)
    if not kind or not (count.isdecimal() and len(count) < 7) or capacity not in [one.value for one in Capacity]:
        return []
    return fits(known, kind, int(count), Capacity(capacity))


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def quota_observe(request: HttpRequest) -> HttpResponse:
    region = request.GET.get("region") or settings.DEFAULT_REGION
    account = request.GET.get("account", "")
    back = f"{reverse('clusters-web:quotas')}?region={region}&account={account}"
    review = Review("quota.observe", {"region": region, "account": account}, f"Look at the quotas of {region}", "Look now", back)
    return reviewed(request, review, _to_operation)


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def quota_increase(request: HttpRequest, pk: int) -> HttpResponse:
    """?value= is the limit to ask for."""
    row = get_object_or_404(visible_quotas(Quota.objects.all(), principal_of(request)), pk=pk)
    given = request.GET.get("value", "")
    value: Any = float(given) if given.replace(".", "", 1).isdecimal() else given
    data = {"account": row.account, "region": row.region, "service": row.service, "quota": row.name, "value": value}
    back = f"{reverse('clusters-web:quotas')}?region={row.region}&account={row.account}"
    return reviewed(request, Review("quota.request_increase", data, "Ask for a higher quota", "Ask AWS", back), _to_operation)


def _to_operation(submission: Submission) -> str:
    operation = submission.operation
    return reverse("operations-web:detail", args=[operation.pk]) if operation is not None else reverse("clusters-web:quotas")
