"""The stock admin for the rules of agents: to look, and to throw the switch."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.principals import principal_of
from instantstart.admin import ReadOnlyAdmin, carry_out
from operations.agents import switch
from operations.choices import Channel
from operations.models import AgentRules

FROM_ADMIN = "Stopped in the admin site."


@admin.register(AgentRules)
class AgentRulesAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "stopped", "stopped_at", "stopped_by", "stop_reason", "approval_cost_per_hour")
    actions = ("stop", "start", "ask_by_the_setting")

    @admin.action(description="Stop all agents")
    def stop(self, request: HttpRequest, rows: QuerySet[AgentRules]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda _: switch.stop(principal, FROM_ADMIN, channel=Channel.ADMIN), "Agents are stopped.")

    @admin.action(description="Start agents again")
    def start(self, request: HttpRequest, rows: QuerySet[AgentRules]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda _: switch.start(principal, channel=Channel.ADMIN), "Agents may write again.")

    @admin.action(description="Ask above the cost that the setting says")
    def ask_by_the_setting(self, request: HttpRequest, rows: QuerySet[AgentRules]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda _: switch.set_approval_cost(principal, None, channel=Channel.ADMIN), "The setting holds.")
