"""What the API shows of alerts, webhooks and what was sent to them."""

from __future__ import annotations

from typing import ClassVar

from rest_framework import serializers

from instantstart.api.asked import Asked
from operations.alerts.webhooks import TOLD
from operations.models import Alert, Delivery, Webhook


class AlertSerializer(serializers.ModelSerializer[Alert]):
    open = serializers.BooleanField(help_text="Whether it is not over.")
    cluster = serializers.CharField(help_text="Empty where no cluster is concerned.")
    fix = serializers.CharField(help_text="What to do.")

    class Meta:
        model = Alert
        fields = (
            "id",
            "kind",
            "subject",
            "cluster",
            "severity",
            "sentence",
            "fix",
            "link",
            "open",
            "opened_at",
            "changed_at",
            "closed_at",
            "acknowledged_at",
            "acknowledged_by",
        )
        read_only_fields = fields


class WebhookSerializer(serializers.ModelSerializer[Webhook]):
    """Without the secret, which is told once."""

    kinds = serializers.ListField(child=serializers.ChoiceField(TOLD), help_text="Kinds of alerts, and approvals; empty for all.")

    class Meta:
        model = Webhook
        fields: ClassVar[tuple[str, ...]] = ("id", "url", "kinds", "enabled", "disabled_because", "created_by", "created_at")
        read_only_fields = fields


class MadeWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(help_text="Signs the messages; in this answer only.")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


class NewWebhookSerializer(Asked):
    """Who is to be told of alerts."""

    url = serializers.CharField(max_length=500, trim_whitespace=True)
    kinds = serializers.ListField(child=serializers.ChoiceField(TOLD), required=False, default=list, max_length=20)


class WebhookChangeSerializer(Asked):
    """What is to change; what is left out stays."""

    url = serializers.CharField(max_length=500, required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(TOLD), required=False, max_length=20)
    enabled = serializers.BooleanField(required=False)
    new_secret = serializers.BooleanField(required=False, help_text="true: make another secret; the answer tells it, once.")


class ChangedWebhookSerializer(WebhookSerializer):
    secret = serializers.CharField(allow_null=True, help_text="The new secret where one was asked for; in this answer only.")

    class Meta(WebhookSerializer.Meta):
        fields = (*WebhookSerializer.Meta.fields, "secret")
        read_only_fields = fields


class DeliverySerializer(serializers.ModelSerializer[Delivery]):
    """A message and how its sending stands. `message_id` is the receiver's webhook-id."""

    message_id = serializers.CharField()
    alert = serializers.IntegerField(source="alert_id", allow_null=True)

    class Meta:
        model = Delivery
        fields = (
            "id",
            "message_id",
            "event",
            "alert",
            "status",
            "attempts",
            "next_attempt_at",
            "last_attempt_at",
            "answer_status",
            "error",
            "delivered_at",
            "created_at",
        )
        read_only_fields = fields
