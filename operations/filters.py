"""What lists of operations can be narrowed by."""

from __future__ import annotations

import django_filters as filters
from django.db.models import QuerySet

from instantstart.moments import MomentFilter
from operations.choices import OperationState
from operations.models import Event, Operation
from operations.models.event import Level
from operations.models.operation import LOCKING_STATES


class OperationFilterSet(filters.FilterSet):
    state = filters.MultipleChoiceFilter(choices=OperationState.choices, help_text="May be repeated.")
    active = filters.BooleanFilter(method="keep_active", help_text="Whether it has not ended.")
    actor = filters.CharFilter(field_name="actor__username")
    parent = filters.UUIDFilter(field_name="parent_id")
    top = filters.BooleanFilter(field_name="parent", lookup_expr="isnull", help_text="Whether it is part of no other.")
    since = MomentFilter(field_name="created_at", lookup_expr="gte")
    until = MomentFilter(field_name="created_at", lookup_expr="lt")

    class Meta:
        model = Operation
        fields = ("state", "active", "kind", "cluster", "subject_type", "subject", "actor", "channel", "parent", "top", "since", "until")

    def keep_active(self, rows: QuerySet[Operation], name: str, value: bool) -> QuerySet[Operation]:
        return rows.filter(state__in=LOCKING_STATES) if value else rows.exclude(state__in=LOCKING_STATES)


class EventFilterSet(filters.FilterSet):
    level = filters.ChoiceFilter(choices=Level.choices)
    after = filters.NumberFilter(field_name="id", lookup_expr="gt", help_text="Only those after the event with this id.")

    class Meta:
        model = Event
        fields = ("level", "step", "code", "after")
