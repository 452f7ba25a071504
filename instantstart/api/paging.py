"""Cursor paging: stable while rows come and go."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework import pagination
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from instantstart.problem import FieldError, Problem

if TYPE_CHECKING:
    from rest_framework.views import APIView

LONGEST_PAGE = 200


class CursorPaging(pagination.CursorPagination):
    """`?limit=` (1 to 200, 50 by default) and `?cursor=` (opaque, from `next` and `previous`). The view's `ordering` orders."""

    page_size_query_param = "limit"
    max_page_size = LONGEST_PAGE
    ordering = ("-pk",)
    page_size_query_description = f"Rows in a page, 1 to {LONGEST_PAGE}."
    cursor_query_description = "Where the page starts: from `next` or `previous` of another page."

    def get_ordering(self, request: Request, queryset: QuerySet[Any], view: APIView) -> tuple[str, ...]:
        ordering = getattr(view, "ordering", None)
        return tuple(ordering) if ordering else super().get_ordering(request, queryset, view)

    def get_page_size(self, request: Request) -> int | None:
        given = request.query_params.get(self.page_size_query_param)
        if given is None:
            return self.page_size
        if not given.isdecimal() or not 1 <= int(given) <= LONGEST_PAGE:
            error = FieldError("limit", "out_of_range", f"A page has 1 to {LONGEST_PAGE} rows.", f"Send limit=1 to limit={LONGEST_PAGE}.")
            raise Problem(400, "invalid_parameter", "Invalid parameter", "limit is not acceptable.", error.hint, errors=[error])
        return int(given)

    def _check_position(self, queryset: QuerySet[Any], request: Request, view: APIView | None) -> None:
        """What REST framework compares with the column as it came. Raises NotFound, ValidationError, ValueError, OverflowError."""
        cursor = self.decode_cursor(request)
        if cursor is None or cursor.position is None or view is None:
            return
        if "\0" in str(cursor.position):
            raise ValueError("no text of a database holds a NUL")
        column = queryset.model._meta.get_field(self.get_ordering(request, queryset, view)[0].lstrip("-"))
        value = column.to_python(cursor.position)
        if isinstance(value, datetime):
            value.astimezone(UTC)  # as the database will, and may not be able to

    def paginate_queryset(self, queryset: Any, request: Request, view: APIView | None = None) -> list[Any] | None:
        try:
            self._check_position(queryset, request, view)
            return super().paginate_queryset(queryset, request, view)
        except (NotFound, ValidationError, ValueError, OverflowError):
            error = FieldError("cursor", "invalid_cursor", "That is no cursor of this list.", "Take it from next or previous, unchanged.")
            raise Problem(400, "invalid_parameter", "Invalid parameter", "cursor is not acceptable.", error.hint, errors=[error]) from None
