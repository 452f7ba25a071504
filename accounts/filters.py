"""What lists of people, tokens and audit entries can be narrowed by."""

from __future__ import annotations

import django_filters as filters

from accounts.choices import AuditOutcome, Role
from accounts.models import ApiToken, AuditEntry, User
from instantstart.moments import MomentFilter


class TokenFilterSet(filters.FilterSet):
    user = filters.CharFilter(field_name="user__username", help_text="Admins see the tokens of others with it.")
    role = filters.ChoiceFilter(choices=Role.choices)

    class Meta:
        model = ApiToken
        fields = ("user", "role", "agent", "read_only", "name")


class UserFilterSet(filters.FilterSet):
    class Meta:
        model = User
        fields = ("role", "is_active")


class AuditEntryFilterSet(filters.FilterSet):
    user = filters.CharFilter(field_name="username")
    outcome = filters.ChoiceFilter(choices=AuditOutcome.choices)
    since = MomentFilter(field_name="at", lookup_expr="gte")
    until = MomentFilter(field_name="at", lookup_expr="lt")

    class Meta:
        model = AuditEntry
        fields = ("user", "token_name", "channel", "action", "subject", "outcome", "code", "operation", "request_id", "since", "until")
