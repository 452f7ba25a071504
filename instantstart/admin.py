"""The base of our admin pages: rows to look at; what changes them is an action, never a form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest

from instantstart.problem import Problem

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Nobody adds, edits or deletes a row by hand: the rules and the audit trail would not know."""

    actions_on_bottom = True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def carry_out(request: HttpRequest, rows: Iterable[Any], act: Callable[[Any], object], done: str) -> None:
    """Carry `act` out on each row; tell how many it was done to ("{count} revoked."), and each refusal with its reason and fix."""
    count = 0
    for row in rows:
        try:
            act(row)
            count += 1
        except Problem as problem:
            messages.error(request, f"{row}: {problem}")
    if count:
        messages.success(request, done.format(count=count))
