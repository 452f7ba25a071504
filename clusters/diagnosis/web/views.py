"""Pages of the diagnosis: what is the matter, why we think so, and the plan of what could be done."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.diagnosis import Diagnosis, examine
from clusters.models import Cluster, Node
from instantstart.web.signed_in import page

FINDINGS_SHOWN = 20
ROWS_SHOWN = 10
LEFT_SHOWN = 30


@page()
@require_safe
def cluster_diagnosis(request: HttpRequest, name: str) -> HttpResponse:
    return _shown(request, examine(get_object_or_404(Cluster, name=name)))


@page()
@require_safe
def node_diagnosis(request: HttpRequest, name: str, node: str) -> HttpResponse:
    row = get_object_or_404(Node.objects.select_related("cluster"), cluster__name=name, key=node)
    return _shown(request, examine(row.cluster, row))


def _shown(request: HttpRequest, diagnosis: Diagnosis) -> HttpResponse:
    found = [
        {
            "error": one.finding.error,
            "finding": one.finding,
            "confidence": one.finding.confidence.name.lower(),
            "actions": one.actions,
            "timeline": sorted(one.finding.evidence[:ROWS_SHOWN], key=lambda row: row.at, reverse=True),
            "more": max(0, len(one.finding.evidence) - ROWS_SHOWN),
        }
        for one in diagnosis.findings[:FINDINGS_SHOWN]
    ]
    context = {
        "diagnosis": diagnosis,
        "cluster": diagnosis.cluster,
        "node": diagnosis.node,
        "found": found,
        "left": diagnosis.left[:LEFT_SHOWN],
        "more_left": max(0, len(diagnosis.left) - LEFT_SHOWN),
        "may_change": principal_of(request).role.covers(Role.OPERATOR),
    }
    return render(request, "clusters/diagnosis.html", context)
