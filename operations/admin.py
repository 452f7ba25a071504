"""The stock admin for operations and all that belongs to them: look at every row, and cancel, retry, approve, refuse, resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django_q import admin as queue_admin

from accounts.principals import principal_of
from instantstart.admin import ReadOnlyAdmin, carry_out
from operations import approve, cancel, resolve, retry
from operations.agents import admin as agents_admin
from operations.alerts import admin as alerts_admin
from operations.choices import Channel
from operations.models import Event, Heartbeat, Intent, Notification, ObservedSource, Operation, StatusEvent

if TYPE_CHECKING:
    TabularInline = admin.TabularInline[Any, Operation]
else:
    TabularInline = admin.TabularInline

__all__ = ["agents_admin", "alerts_admin"]  # each registers its own

for queue_model in (queue_admin.Schedule, queue_admin.Success, queue_admin.Failure, queue_admin.OrmQ):
    # Its forms would run any function in a worker: a way past actions, rights and the trail. Operations show what is driven.
    if admin.site.is_registered(queue_model):  # with Redis as broker there is no queue in the database
        admin.site.unregister(queue_model)

FROM_ADMIN = "Decided in the admin site."


class _Lines(TabularInline):
    """Rows of an operation, oldest first, to read."""

    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class EventLines(_Lines):
    model = Event
    fields = ("at", "level", "step", "code", "message")


class IntentLines(_Lines):
    model = Intent
    fields = ("step", "attempt", "api", "fencing_token", "created_at", "sent_at", "ended_at", "outcome", "request_id", "error_code")


@admin.register(Operation)
class OperationAdmin(ReadOnlyAdmin):
    list_display = (
        "created_at",
        "kind",
        "subject",
        "cluster",
        "state",
        "step",
        "actor",
        "token_name",
        "agent",
        "channel",
        "attempts",
        "lease_owner",
    )
    list_filter = ("state", "agent", "kind", "channel")
    list_select_related = ("actor",)
    search_fields = ("id", "subject", "cluster", "token_name", "actor__username")
    date_hierarchy = "created_at"
    inlines = (EventLines, IntentLines)
    actions = ("cancel", "retry", "approve", "refuse", "resolve_succeeded", "resolve_failed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Operation]:
        rows: QuerySet[Operation] = super().get_queryset(request)
        on_list = request.resolver_match is not None and request.resolver_match.url_name == "operations_operation_changelist"
        return rows.defer("plan", "facts", "input", "steps") if on_list else rows

    @admin.action(description="Cancel")
    def cancel(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: cancel.cancel(row, principal), "{count} cancelled, or on the way there.")

    @admin.action(description="Retry")
    def retry(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: retry.retry(row, principal, Channel.ADMIN), "{count} tried again.")

    @admin.action(description="Approve")
    def approve(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: approve.approve(row, principal, FROM_ADMIN), "{count} approved.")

    @admin.action(description="Refuse")
    def refuse(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: approve.refuse(row, principal, FROM_ADMIN), "{count} refused.")

    @admin.action(description="Unknown outcome: it succeeded")
    def resolve_succeeded(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: resolve.resolve(row, principal, "succeeded", FROM_ADMIN), "{count} go on.")

    @admin.action(description="Unknown outcome: it failed")
    def resolve_failed(self, request: HttpRequest, rows: QuerySet[Operation]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: resolve.resolve(row, principal, "failed", FROM_ADMIN), "{count} ended as failed.")


@admin.register(Intent)
class IntentAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "operation", "step", "attempt", "api", "outcome", "request_id", "error_code")
    list_filter = ("outcome", "api")
    list_select_related = ("operation",)
    search_fields = ("operation__id", "api", "token", "request_id")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("at", "operation", "level", "step", "code", "message")
    list_filter = ("level",)
    list_select_related = ("operation",)
    search_fields = ("operation__id", "code", "message")


@admin.register(Notification)
class NotificationAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "kind", "user", "role", "title", "read_at")
    list_filter = ("kind",)
    list_select_related = ("user",)


@admin.register(ObservedSource)
class ObservedSourceAdmin(ReadOnlyAdmin):
    list_display = ("kind", "key", "cluster", "pace", "interval", "next_due_at", "last_success_at", "failures", "last_error_code")
    list_filter = ("kind", "pace")
    search_fields = ("key", "cluster")


@admin.register(StatusEvent)
class StatusEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "topic", "kind")
    search_fields = ("topic",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("name", "at")
