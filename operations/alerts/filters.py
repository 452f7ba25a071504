"""What lists of alerts and deliveries can be narrowed by."""

from __future__ import annotations

import django_filters as filters
from django.db.models import QuerySet

from instantstart.moments import MomentFilter
from operations.models import Alert, Delivery
from operations.models.alert import AlertKind, AlertSeverity


class AlertFilterSet(filters.FilterSet):
    kind = filters.MultipleChoiceFilter(choices=AlertKind.choices, help_text="May be repeated.")
    severity = filters.ChoiceFilter(choices=AlertSeverity.choices)
    open = filters.BooleanFilter(method="keep_open", help_text="Whether it is not over.")
    acknowledged = filters.BooleanFilter(method="keep_acknowledged", help_text="Whether somebody said that it is known.")
    since = MomentFilter(field_name="opened_at", lookup_expr="gte")

    class Meta:
        model = Alert
        fields = ("kind", "severity", "cluster", "subject", "open", "acknowledged", "since")

    def keep_open(self, rows: QuerySet[Alert], name: str, value: bool) -> QuerySet[Alert]:
        return rows.filter(closed_at__isnull=value)

    def keep_acknowledged(self, rows: QuerySet[Alert], name: str, value: bool) -> QuerySet[Alert]:
        return rows.filter(acknowledged_at__isnull=not value)


class DeliveryFilterSet(filters.FilterSet):
    class Meta:
        model = Delivery
        fields = ("status", "event")
