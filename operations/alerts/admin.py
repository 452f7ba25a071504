"""The stock admin for alerts, webhooks and what was sent to them."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.principals import principal_of
from instantstart.admin import ReadOnlyAdmin, carry_out
from operations.alerts import acknowledge, webhooks
from operations.choices import Channel
from operations.models import Alert, Delivery, Webhook


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin):
    list_display = ("opened_at", "kind", "severity", "subject", "cluster", "closed_at", "acknowledged_by")
    list_filter = ("kind", "severity")
    search_fields = ("subject", "cluster", "sentence")
    date_hierarchy = "opened_at"
    actions = ("acknowledge",)

    @admin.action(description="Acknowledge")
    def acknowledge(self, request: HttpRequest, rows: QuerySet[Alert]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: acknowledge.acknowledge(principal, row, channel=Channel.ADMIN), "{count} acknowledged.")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    list_display = ("url", "kinds", "enabled", "disabled_because", "created_by", "created_at")
    list_filter = ("enabled",)
    exclude = ("secret",)
    actions = ("turn_on", "turn_off", "send_test", "remove")

    @admin.action(description="Turn on")
    def turn_on(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        self._turn(request, rows, True)

    @admin.action(description="Turn off")
    def turn_off(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        self._turn(request, rows, False)

    @admin.action(description="Send a test")
    def send_test(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: webhooks.test(principal, row, channel=Channel.ADMIN), "{count} will get a test.")

    @admin.action(description="Remove")
    def remove(self, request: HttpRequest, rows: QuerySet[Webhook]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda row: webhooks.remove(principal, row, channel=Channel.ADMIN), "{count} removed.")

    def _turn(self, request: HttpRequest, rows: QuerySet[Webhook], enabled: bool) -> None:
        principal = principal_of(request)
        word = "on" if enabled else "off"
        carry_out(
            request, rows, lambda row: webhooks.change(principal, row, enabled=enabled, channel=Channel.ADMIN), f"{{count}} turned {word}."
        )


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "event", "webhook", "status", "attempts", "next_attempt_at", "answer_status", "error")
    list_filter = ("status", "event")
    list_select_related = ("webhook",)
    search_fields = ("id", "webhook__url")
