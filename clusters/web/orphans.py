"""Pages of orphans."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.accounts.reach import visible_orphans
from clusters.choices import OrphanKind
from clusters.models import Orphan
from clusters.orphans import kinds
from clusters.web.looking import looked_at
from instantstart.web.review import Review, plan_of, reviewed, show
from instantstart.web.signed_in import page
from operations.submission import Submission


@page()
@require_safe
def orphan_list(request: HttpRequest) -> HttpResponse:
    rows = list(visible_orphans(Orphan.objects.all(), principal_of(request)))
    context = {
        "unclaimed": [row for row in rows if row.kind == OrphanKind.UNCLAIMED],
        "missing": [row for row in rows if row.kind == OrphanKind.MISSING],
        "deletable": list(kinds.WAYS),
        "may_change": principal_of(request).role.covers(Role.OPERATOR),
    }
    return render(request, "clusters/orphans.html", context)


@page(Role.OPERATOR)
@require_POST
def orphan_observe(request: HttpRequest) -> HttpResponse:
    """Reads alone, so that nothing needs to be reviewed; its operation shows how far it is."""
    accounts = principal_of(request).accounts
    # Who is limited to one account looks there; to several, the API takes one of them.
    where = {"account": next(iter(accounts))} if accounts is not None and len(accounts) == 1 else {}
    return looked_at(request, "orphan.observe", where, reverse("clusters-web:orphans"))


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def orphan_delete(request: HttpRequest, orphan: int) -> HttpResponse:
    row = get_object_or_404(visible_orphans(Orphan.objects.all(), principal_of(request)), pk=orphan)
    back = reverse("clusters-web:orphans")
    typed = request.POST.get("confirm", "")
    review = Review(
        "orphan.delete",
        {"orphan": orphan, "confirm": typed or row.name},
        f"Delete {row.resource_type} {row.name}",
        "Delete it",
        back,
        typed=row.name,
        danger=True,
    )
    if request.method == "POST" and typed != row.name:
        messages.error(request, f"Type {row.name} to confirm the deletion; nothing was changed.")
        return show(request, review, plan_of(request, review), status=409)

    def done(submission: Submission) -> str:
        return reverse("operations-web:detail", args=[submission.operation.pk]) if submission.operation else back

    return reviewed(request, review, done)
