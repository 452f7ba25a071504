"""What lists of clusters and of their parts can be narrowed by."""

from __future__ import annotations

import django_filters as filters
from django.db.models import F, QuerySet

from clusters.choices import DependencyState, DriftState, EventLevel, FeatureState, State
from clusters.models import (
    Cluster,
    ClusterEvent,
    ClusterFeature,
    Dependency,
    Drift,
    InstanceGroup,
    Node,
    NodeGroup,
    Orphan,
    Phase,
    Quota,
    Resource,
)
from clusters.models.quota import NEAR, OPEN_REQUESTS
from instantstart.moments import MomentFilter


class ClusterFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=State.choices, help_text="May be repeated.")
    name_contains = filters.CharFilter(field_name="name", lookup_expr="contains")
    instance_type = filters.CharFilter(field_name="groups__instance_type", distinct=True)

    class Meta:
        model = Cluster
        fields = ("state", "origin", "region", "account", "kubernetes_version", "deletion_protection", "name_contains", "instance_type")


class PhaseFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=State.choices, help_text="May be repeated.")

    class Meta:
        model = Phase
        fields = ("state",)


class InstanceGroupFilterSet(filters.FilterSet):
    class Meta:
        model = InstanceGroup
        fields = ("instance_type", "capacity", "status")


class NodeGroupFilterSet(filters.FilterSet):
    class Meta:
        model = NodeGroup
        fields = ("capacity", "status")


class NodeFilterSet(filters.FilterSet):
    group = filters.CharFilter(field_name="group_name")

    class Meta:
        model = Node
        fields = ("group", "instance_type", "status", "ready", "health", "zone")


class ClusterEventFilterSet(filters.FilterSet):
    level = filters.MultipleChoiceFilter(choices=EventLevel.choices, help_text="May be repeated.")
    group = filters.CharFilter(field_name="group_name")
    since = MomentFilter(field_name="at", lookup_expr="gte")
    until = MomentFilter(field_name="at", lookup_expr="lt")

    class Meta:
        model = ClusterEvent
        fields = ("level", "resource_type", "group", "instance_id", "code", "since", "until")


class DependencyFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=DependencyState.choices, help_text="May be repeated.")

    class Meta:
        model = Dependency
        fields = ("state", "kind")


class FeatureFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=FeatureState.choices, help_text="May be repeated.")

    class Meta:
        model = ClusterFeature
        fields = ("state",)


class ResourceFilterSet(filters.FilterSet):
    class Meta:
        model = Resource
        fields = ("phase", "resource_type", "status")


class QuotaFilterSet(filters.FilterSet):
    in_use = filters.BooleanFilter(method="keep_in_use", help_text="Whether something of it is in use or was asked for.")
    near = filters.BooleanFilter(method="keep_near", help_text="Whether most of it is in use.")
    pending = filters.BooleanFilter(method="keep_pending", help_text="Whether a request for more is open.")

    class Meta:
        model = Quota
        fields = ("account", "region", "service", "name", "instance_type", "in_use", "near", "pending")

    def keep_in_use(self, rows: QuerySet[Quota], name: str, value: bool) -> QuerySet[Quota]:
        return in_use(rows) if value else rows.filter(used=0, request_status="")

    def keep_near(self, rows: QuerySet[Quota], name: str, value: bool) -> QuerySet[Quota]:
        close = rows.filter(used__gt=0, used__gte=F("limit") * NEAR)
        return close if value else rows.exclude(pk__in=close.values("pk"))

    def keep_pending(self, rows: QuerySet[Quota], name: str, value: bool) -> QuerySet[Quota]:
        return rows.filter(request_status__in=OPEN_REQUESTS) if value else rows.exclude(request_status__in=OPEN_REQUESTS)


def in_use(rows: QuerySet[Quota]) -> QuerySet[Quota]:
    """Those of which something is used, or could not be counted, or was asked for."""
    return rows.exclude(used=0, request_status="")


class DriftFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=DriftState.choices, help_text="May be repeated.")

    class Meta:
        model = Drift
        fields = ("state", "source", "resource")


class OrphanFilterSet(filters.FilterSet):
    class Meta:
        model = Orphan
        fields = ("kind", "resource_type", "account", "region", "cluster")
