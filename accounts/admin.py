"""The stock admin for people, tokens and the trail. What changes goes through accounts.actions, so that the rules and the trail hold."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.actions import token_limits, tokens, users
from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, Preference, SignInAttempt, TokenUse, User
from accounts.principals import principal_of
from instantstart.admin import ReadOnlyAdmin, carry_out
from instantstart.models import IdempotencyRecord
from operations.choices import Channel

# Roles are the only rights there are: Django's groups would be a second, silent set.
admin.site.unregister(Group)
admin.site.site_header = "InstantStart"
admin.site.site_title = "InstantStart admin"


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ("username", "email", "role", "accounts", "is_active", "last_login", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "email")
    exclude = ("password", "groups", "user_permissions")
    actions = ("make_viewer", "make_operator", "make_admin", "lift_limit", "shut_out", "let_in")

    @admin.action(description="Give the role viewer")
    def make_viewer(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        self._set_role(request, rows, Role.VIEWER)

    @admin.action(description="Give the role operator")
    def make_operator(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        self._set_role(request, rows, Role.OPERATOR)

    @admin.action(description="Give the role admin")
    def make_admin(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        self._set_role(request, rows, Role.ADMIN)

    @admin.action(description="Lift the limit to AWS accounts")
    def lift_limit(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda user: users.set_accounts(principal, user, None, channel=Channel.ADMIN), "{count} without a limit.")

    @admin.action(description="Shut out: end sessions and tokens")
    def shut_out(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda user: users.set_active(principal, user, False, channel=Channel.ADMIN), "{count} shut out.")

    @admin.action(description="Let in again")
    def let_in(self, request: HttpRequest, rows: QuerySet[User]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda user: users.set_active(principal, user, True, channel=Channel.ADMIN), "{count} let in.")

    def _set_role(self, request: HttpRequest, rows: QuerySet[User], role: Role) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda user: users.set_role(principal, user, role, channel=Channel.ADMIN), f"{{count}} set to {role}.")


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = (
        "name",
        "user",
        "role",
        "clusters",
        "accounts",
        "read_only",
        "agent",
        "toolsets",
        *token_limits.FIELDS,
        "parent",
        "created",
        "expiry",
        "last_used_at",
    )
    list_filter = ("role", "agent", "read_only")
    list_select_related = ("user", "parent__user")
    search_fields = ("name", "user__username")
    exclude = ("digest", "token_key")
    actions = ("revoke",)

    @admin.action(description="Revoke, with the tokens made with it")
    def revoke(self, request: HttpRequest, rows: QuerySet[ApiToken]) -> None:
        principal = principal_of(request)
        carry_out(request, rows, lambda token: tokens.revoke(principal, token, channel=Channel.ADMIN), "{count} revoked.")


@admin.register(TokenUse)
class TokenUseAdmin(ReadOnlyAdmin):
    """What counts against tokens' limits of an hour."""

    list_display = ("at", "token", "operation", "cost")
    list_select_related = ("token__user",)
    search_fields = ("token__name", "operation")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "username", "token_name", "channel", "action", "subject", "outcome", "code", "request_id")
    list_filter = ("outcome", "channel", "action")
    search_fields = ("username", "token_name", "action", "subject", "request_id", "operation")
    date_hierarchy = "at"


@admin.register(Preference)
class PreferenceAdmin(ReadOnlyAdmin):
    list_display = ("user", "token", "cluster")
    list_select_related = ("user", "token__user")


@admin.register(SignInAttempt)
class SignInAttemptAdmin(ReadOnlyAdmin):
    list_display = ("at", "username", "address")
    search_fields = ("username", "address")


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    """Without the answers: they may hold secrets, and are encrypted."""

    list_display = ("created_at", "scope", "key", "state", "expires_at")
    list_filter = ("state",)
    search_fields = ("scope", "key")
    exclude = ("answer",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("answer")
