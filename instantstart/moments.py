"""Filters by a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import django_filters as filters
from django.core.exceptions import ValidationError
from django_filters.fields import IsoDateTimeField


class MomentField(IsoDateTimeField):  # type: ignore[misc]
    """One that can be told in UTC, as the database keeps it: at the edge of the calendar, another zone's cannot."""

    def clean(self, value: Any) -> datetime | None:
        moment: datetime | None = super().clean(value)
        try:
            return moment.astimezone(UTC) if moment is not None else None
        except OverflowError as error:
            raise ValidationError("That moment is beyond the calendar; give a year from 1 to 9999 in UTC.", code="invalid") from error


class MomentFilter(filters.IsoDateTimeFilter):  # type: ignore[misc]
    field_class = MomentField
