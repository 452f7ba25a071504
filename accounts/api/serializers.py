"""What the API shows of people, tokens and the audit trail."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from accounts.actions.token_limits import MOST_COST, MOST_OPERATIONS
from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from instantstart.api.asked import Asked


class MeSerializer(serializers.Serializer[Any]):
    """Who is calling and with what rights."""

    username = serializers.CharField()
    email = serializers.CharField()
    role = serializers.ChoiceField(Role.choices, help_text="What this call may do: the user's role, cut down to the token's.")
    user_role = serializers.ChoiceField(Role.choices)
    token = serializers.CharField(allow_null=True, help_text="Name of the token in use; null for a session.")
    clusters = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text="Null: every cluster.")
    accounts = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="AWS accounts to whose clusters it is limited; null: every account.",
    )
    read_only = serializers.BooleanField()  # type: ignore[assignment]
    agent = serializers.BooleanField()
    toolsets = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Sets of tools that the token is shown at /mcp; null: all."
    )
    operations_per_hour = serializers.IntegerField(allow_null=True, help_text="Operations that the token may begin within an hour.")
    cost_per_hour = serializers.FloatField(allow_null=True, help_text="US dollars that they may add to the running cost, within an hour.")
    preferred_cluster = serializers.CharField(help_text='"" when none is preferred.')


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    id = serializers.UUIDField(source="uid", read_only=True)
    user = serializers.SlugRelatedField[User](slug_field="username", read_only=True)
    created_at = serializers.DateTimeField(source="created", read_only=True)
    expires_at = serializers.DateTimeField(source="expiry", read_only=True)
    clusters = serializers.ListField(child=serializers.CharField(), allow_null=True, read_only=True)
    accounts = serializers.ListField(child=serializers.CharField(), allow_null=True, read_only=True)
    toolsets = serializers.ListField(child=serializers.CharField(), allow_null=True, read_only=True)
    made_by = serializers.CharField(source="parent.name", default=None, read_only=True, help_text="Name of the token that made it.")

    class Meta:
        model = ApiToken
        fields: ClassVar[tuple[str, ...]] = (
            "id",
            "name",
            "user",
            "role",
            "clusters",
            "accounts",
            "read_only",
            "agent",
            "toolsets",
            "operations_per_hour",
            "cost_per_hour",
            "made_by",
            "created_at",
            "expires_at",
            "last_used_at",
        )
        read_only_fields = fields


class NewTokenSerializer(Asked):
    """What one asks for. What is left out is inherited from the caller; nothing can exceed the caller."""

    name = serializers.RegexField(r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$", max_length=64, help_text="Unique among your tokens.")
    role = serializers.ChoiceField(Role.choices, required=False)
    clusters = serializers.ListField(child=serializers.CharField(max_length=63), required=False, allow_null=True, allow_empty=False)
    accounts = serializers.ListField(
        child=serializers.RegexField(r"^[0-9]{12}$"),
        required=False,
        allow_null=True,
        allow_empty=False,
        help_text="AWS accounts, by their twelve digits, to whose clusters the token is limited.",
    )
    read_only = serializers.BooleanField(required=False)  # type: ignore[assignment]
    agent = serializers.BooleanField(required=False, default=False)
    toolsets = serializers.ListField(
        child=serializers.CharField(max_length=32),
        required=False,
        allow_null=True,
        allow_empty=False,
        help_text="Sets of tools that an agent is shown at /mcp with it; all when absent. It gives and takes no rights.",
    )
    expires_in_days = serializers.IntegerField(required=False, min_value=1, max_value=3660)
    operations_per_hour = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MOST_OPERATIONS, help_text="Operations that it may begin within an hour."
    )
    cost_per_hour = serializers.FloatField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MOST_COST,
        help_text="US dollars that its operations may add to the running cost of an hour, within an hour.",
    )


class TokenLimitsSerializer(Asked):
    """What is to change; what is left out stays. Null: no limit, where the token that it was made from has none."""

    operations_per_hour = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=MOST_OPERATIONS)
    cost_per_hour = serializers.FloatField(required=False, allow_null=True, min_value=0, max_value=MOST_COST)


class MadeTokenSerializer(TokenSerializer):
    token = serializers.CharField(read_only=True, help_text="The secret, shown this once.")

    class Meta(TokenSerializer.Meta):
        fields = (*TokenSerializer.Meta.fields, "token")
        read_only_fields = fields


class UserSerializer(serializers.ModelSerializer[User]):
    accounts = serializers.ListField(
        child=serializers.CharField(), allow_null=True, read_only=True, help_text="AWS accounts to which the user is limited; null: none."
    )

    class Meta:
        model = User
        fields: ClassVar[tuple[str, ...]] = ("username", "email", "role", "accounts", "is_active", "last_login", "date_joined")
        read_only_fields = fields


class NewUserSerializer(Asked):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(write_only=True, max_length=1024, trim_whitespace=False)
    role = serializers.ChoiceField(Role.choices, default=Role.VIEWER)
    accounts = serializers.ListField(
        child=serializers.RegexField(r"^[0-9]{12}$"),
        required=False,
        default=None,
        allow_null=True,
        allow_empty=False,
        help_text="AWS accounts, by their twelve digits, to whose clusters the user is limited; null: every account.",
    )
    email = serializers.EmailField(required=False, allow_blank=True, default="")


class UserChangeSerializer(Asked):
    """Only what is sent changes."""

    role = serializers.ChoiceField(Role.choices, required=False)
    accounts = serializers.ListField(
        child=serializers.RegexField(r"^[0-9]{12}$"),
        required=False,
        allow_null=True,
        allow_empty=False,
        help_text="AWS accounts, by their twelve digits, to whose clusters the user is limited; null: every account.",
    )
    is_active = serializers.BooleanField(required=False)
    email = serializers.EmailField(required=False, allow_blank=True)
    password = serializers.CharField(write_only=True, required=False, max_length=1024, trim_whitespace=False)


class AuditEntrySerializer(serializers.ModelSerializer[AuditEntry]):
    user = serializers.CharField(source="username")

    class Meta:
        model = AuditEntry
        fields = (
            "id",
            "at",
            "user",
            "token_name",
            "channel",
            "action",
            "subject",
            "outcome",
            "code",
            "detail",
            "operation",
            "request_id",
            "remote_addr",
        )
        read_only_fields = fields
