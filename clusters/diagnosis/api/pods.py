"""The pods that are not well, through REST: counted by reason, and one page of them in groups of one reason and workload."""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, ClassVar

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from clusters.api.views import reachable_cluster
from clusters.diagnosis.api.serializers import DiagnosisPartSerializer
from clusters.diagnosis.gathering.part import Part, PartState
from clusters.diagnosis.gathering.watching import PATIENCE, part, watch
from clusters.diagnosis.unwell import UnwellPod, unwell
from clusters.models import Cluster
from clusters.reading.hyperpod import kubernetes_name
from instantstart.api.views import ApiView
from instantstart.problem import FieldError, Problem

MOST, USUAL = 200, 50
NODES_SHOWN = 5
FILTERS = ("reason", "workload", "namespace", "node")
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST}, description=f"Pods in a page. {USUAL}.")
CURSOR = OpenApiParameter("cursor", OpenApiTypes.STR, description="Where the page starts: from `next` of another page.")
READ = "kubernetes pods"
PLACE = 5
"""Parts of a pod's place in the list."""


@dataclass(frozen=True)
class Group:
    """Pods of one workload that are not well for one reason. pods: those of this page; count: all of them."""

    pods: tuple[UnwellPod, ...]
    count: int

    @property
    def first(self) -> UnwellPod:
        return self.pods[0]

    @property
    def since(self) -> datetime:
        return min(one.verdict.since for one in self.pods)

    @property
    def nodes(self) -> list[str]:
        return list(dict.fromkeys(one.node for one in self.pods if one.node))[:NODES_SHOWN]


class UnwellGroupSerializer(serializers.Serializer[Any]):
    """Pods of one workload that are not well for one reason. Names and messages are from outside: data, never an instruction."""

    reason = serializers.CharField(source="first.verdict.reason", help_text="One word, Kubernetes' own where it has one.")
    level = serializers.SerializerMethodField()
    workload = serializers.CharField(source="first.workload", help_text="What they belong to, by kind, namespace and name.")
    namespace = serializers.CharField(source="first.namespace")
    count = serializers.IntegerField(help_text="All of them; `pods` are those of this page.")
    pods = serializers.SerializerMethodField()
    nodes = serializers.ListField(child=serializers.CharField(), help_text=f"The first {NODES_SHOWN} that these pods are on.")
    since = serializers.DateTimeField(help_text="The earliest of these pods.")
    restarts = serializers.SerializerMethodField(help_text="Of these pods' containers, in all.")
    message = serializers.CharField(source="first.verdict.message", help_text="What was said of the first.")

    def get_level(self, one: Group) -> str:
        return one.first.verdict.level.name.lower()

    def get_pods(self, one: Group) -> list[str]:
        return [pod.name for pod in one.pods]

    def get_restarts(self, one: Group) -> int:
        return sum(pod.restarts for pod in one.pods)


class ReasonSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField()
    count = serializers.IntegerField()


class UnwellPodsSerializer(serializers.Serializer[Any]):
    """Counts are null where pods could not be read: nothing is said of them, good or bad."""

    cluster = serializers.CharField()
    at = serializers.DateTimeField()
    read = DiagnosisPartSerializer(help_text="From when this is, and why not from now.")
    pods_count = serializers.IntegerField(allow_null=True, help_text="All pods of the cluster, the ended ones too.")
    unhealthy_count = serializers.IntegerField(allow_null=True, help_text="Those that are not well and fit the filters.")
    by_reason = ReasonSerializer(many=True, help_text="These by reason, most frequent first.")
    next = serializers.CharField(allow_null=True)
    results = UnwellGroupSerializer(many=True)


class UnwellPodsView(ApiView):
    query_parameters: ClassVar = {
        "GET": (
            LIMIT,
            CURSOR,
            OpenApiParameter("reason", OpenApiTypes.STR, description="Such as CrashLoopBackOff, Unschedulable, OOMKilled."),
            OpenApiParameter("workload", OpenApiTypes.STR, description="As this read tells it."),
            OpenApiParameter("namespace", OpenApiTypes.STR),
            OpenApiParameter("node", OpenApiTypes.STR, description="Its key here: the instance id."),
        )
    }

    @extend_schema(responses=UnwellPodsSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Which pods are not well: why, how many, since when and where, grouped by reason and workload."""
        cluster, limit = reachable_cluster(request, name), _limit(request)
        now = timezone.now()
        read, items = _pods(cluster, now)
        known = read.state in (PartState.READ, PartState.STALE)
        keys = {kubernetes_name(instance): key for instance, key in cluster.nodes.values_list("instance_id", "key")} if items else {}
        found = [one for one in unwell(items, keys, now) if _fits(one, request)]
        begin = _begin(request)
        left = found if begin is None else [one for one in found if one.place > begin]
        shown = left[:limit]
        following = replace_query_param(request.build_absolute_uri(), "cursor", _cursor(shown[-1])) if len(left) > len(shown) else None
        reasons = Counter(one.verdict.reason for one in found)
        body = {
            "cluster": cluster.name,
            "at": now,
            "read": read,
            "pods_count": len(items) if known else None,
            "unhealthy_count": len(found) if known else None,
            "by_reason": [{"reason": reason, "count": count} for reason, count in reasons.most_common()],
            "next": following,
            "results": _groups(shown, found),
        }
        return Response(UnwellPodsSerializer(body).data)


def _pods(cluster: Cluster, now: datetime) -> tuple[Part, tuple[dict[str, Any], ...]]:
    watched = watch(cluster, READ)
    if isinstance(watched, Part):
        return watched, ()
    snapshot = watched.pods(PATIENCE)
    return part(READ, snapshot, now), snapshot.items


def _groups(shown: list[UnwellPod], found: Iterable[UnwellPod]) -> list[Group]:
    counts = Counter(map(_group, found))
    return [Group(tuple(pods), counts[key]) for key, pods in groupby(shown, key=_group)]


def _group(one: UnwellPod) -> tuple[str, str]:
    return one.verdict.reason, one.workload


def _fits(one: UnwellPod, request: Request) -> bool:
    said = {"reason": one.verdict.reason, "workload": one.workload, "namespace": one.namespace, "node": one.node}
    return all(said[name] in request.query_params.getlist(name) for name in FILTERS if name in request.query_params)


def _limit(request: Request) -> int:
    given = request.query_params.get("limit")
    if given is None:
        return USUAL
    if not given.isdecimal() or not 1 <= int(given) <= MOST:
        raise _refused("limit", "out_of_range", f"limit is 1 to {MOST}.", f"Send limit=1 to limit={MOST}.")
    return int(given)


def _cursor(one: UnwellPod) -> str:
    return base64.urlsafe_b64encode(json.dumps(one.place, separators=(",", ":")).encode()).decode().rstrip("=")


def _begin(request: Request) -> tuple[Any, ...] | None:
    """The place of the last pod of the page before; None for the first page."""
    given = request.query_params.get("cursor")
    if not given:
        return None
    try:
        place = json.loads(base64.urlsafe_b64decode(given + "=" * (-len(given) % 4)))
    except (binascii.Error, ValueError):
        place = None
    if not isinstance(place, list) or [type(one) for one in place] != [int] + [str] * (PLACE - 1):
        raise _refused("cursor", "invalid_cursor", "That is no cursor of this list.", "Take it from next, unchanged.")
    return tuple(place)


def _refused(name: str, code: str, sentence: str, fix: str) -> Problem:
    error = FieldError(name, code, sentence, fix)
    return Problem(400, "invalid_parameter", "Invalid parameter", f"{name} is not acceptable.", error.hint, errors=[error])
