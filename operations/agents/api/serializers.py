"""What the API shows of the rules for agents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from instantstart.api.asked import Asked
from operations.agents.switch import HIGHEST_COST, LONGEST_REASON


class AgentRulesSerializer(serializers.Serializer[Any]):
    """What agents may do here without a person, and whether they may do anything."""

    stopped = serializers.BooleanField(help_text="Whether no agent may write.")
    stopped_at = serializers.DateTimeField(allow_null=True)
    stopped_by = serializers.CharField()
    stop_reason = serializers.CharField(help_text="In the words of who stopped them.")
    approval_cost_per_hour = serializers.FloatField(
        allow_null=True,
        help_text="US dollars an hour; an agent's change that adds more, or nobody knows what, waits for a person. Null: no limit.",
    )
    approval_cost_is_setting = serializers.BooleanField(help_text="Whether that is the setting's, since no admin has chosen another.")
    approval_hours = serializers.FloatField(help_text="How long a change waits for a person's word before it expires.")
    awaiting_approval = serializers.IntegerField(help_text="Changes of agents that wait for a person.")
    held = serializers.IntegerField(help_text="Changes of agents that were let through and have not begun; held while agents are stopped.")


class StopSerializer(Asked):
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=LONGEST_REASON)


class AgentRulesChangeSerializer(Asked):
    approval_cost_per_hour = serializers.FloatField(
        allow_null=True,
        min_value=0,
        max_value=HIGHEST_COST,
        help_text="US dollars an hour; null: what the setting says.",
    )
