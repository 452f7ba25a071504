"""The page of a cluster's nodes: a window of them at a time, narrowed on the server, whatever their number."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from clusters.api.nodes import operations_on_nodes
from clusters.groups import advice
from clusters.models import Cluster, Node
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page

WINDOW = 50
"""Rows in the document at a time."""
SHOWS = {"unwell": "Not well", "idle": "With free accelerators", "cordoned": "Cordoned"}


@page()
@require_safe
def node_list(request: HttpRequest, name: str) -> HttpResponse:
    """The nodes that match, in the order of their groups; ?group=, ?show= and ?q= narrow them."""
    cluster = get_object_or_404(Cluster, name=name)
    shown = Paginator(_chosen(cluster, request), WINDOW).get_page(request.GET.get("page"))
    active = operations_on_nodes(name)
    rows = [
        {"node": node, "trouble": advice.trouble(node), "operation": active.get(node.instance_id or node.key)} for node in shown.object_list
    ]
    context = {
        "cluster": cluster,
        "rows": rows,
        "shown": shown,
        "given": request.GET,
        "narrowed": any(request.GET.get(part) for part in ("group", "show", "q")),
        "groups": list(cluster.groups.values_list("name", flat=True)),
        "shows": SHOWS.items(),
        "query": other_parameters(request),
    }
    return render(request, "clusters/parts/node_rows.html" if request.headers.get("HX-Request") else "clusters/nodes.html", context)


def _chosen(cluster: Cluster, request: HttpRequest) -> QuerySet[Node]:
    rows = cluster.nodes.order_by("group_name", "key").defer("labels", "boot_id")
    if group := request.GET.get("group", ""):
        rows = rows.filter(group_name=group)
    show = request.GET.get("show", "")
    if show == "unwell":
        rows = rows.filter(advice.troubled())
    elif show == "idle":
        rows = rows.filter(gpus__gt=0, gpus_used=0)
    elif show == "cordoned":
        rows = rows.filter(schedulable=False)
    if words := request.GET.get("q", "").strip().replace("\0", ""):
        rows = rows.filter(Q(key__icontains=words) | Q(kubernetes_name__icontains=words) | Q(private_dns__icontains=words))
    return rows
