"""Alerts, and the webhooks that are told of them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import mixins, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from accounts.principal import Principal
from accounts.principals import principal_of
from accounts.reach import within
from instantstart.api.describe import describe_local
from instantstart.api.local import LocalWrites, Written
from instantstart.api.views import ApiViewSet
from operations.alerts import acknowledge, filters, webhooks
from operations.alerts.api import serializers
from operations.choices import Channel
from operations.models import Alert, Delivery, Webhook
from operations.plan import Change, FieldChange, Irreversible

SHOWN = ("url", "kinds", "enabled")


class AlertViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, LocalWrites, ApiViewSet):
    """What is the matter, and was: one open alert for each kind and subject, closed when it is seen to be over."""

    queryset = Alert.objects.all()
    serializer_class = serializers.AlertSerializer
    filterset_class = filters.AlertFilterSet
    lookup_value_converter = "int"
    ordering = ("-opened_at", "-id")

    def visible(self, rows: QuerySet[Alert], principal: Principal) -> QuerySet[Alert]:
        return within(rows, principal)

    @describe_local(None, 200, serializers.AlertSerializer)
    @action(detail=True, methods=["post"])
    def acknowledge(self, request: Request, pk: int) -> Response:
        """Say that it is known. A failed operation's alert, which nothing watches, is closed by it."""
        alert: Alert = self.get_object()

        def work() -> Written:
            before = alert.acknowledged_by
            after = acknowledge.acknowledge(principal_of(request), alert, channel=Channel.API)
            field = FieldChange(field="acknowledged_by", before=before or None, after=after.acknowledged_by or None)
            changed = before != after.acknowledged_by
            change = Change(resource_type="Alert", name=str(alert.pk), action="update" if changed else "none", fields=(field,) * changed)
            return Written((change,), Response(serializers.AlertSerializer(after).data))

        return self.write(request, acknowledge.KIND, f"Acknowledge {alert}", work)


class WebhookViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, LocalWrites, ApiViewSet):
    """Who outside is told of alerts, by signed messages. Admins only.

    Each message carries webhook-id, webhook-timestamp and webhook-signature as Standard Webhooks define them; the same id may come more
    than once. What is not answered with 2xx is sent again, nine times in all over about 18 hours; 410 turns the webhook off.
    """

    queryset = Webhook.objects.all()
    serializer_class = serializers.WebhookSerializer
    lookup_url_kwarg = "id"
    lookup_value_converter = "uuid"
    ordering = ("-created_at", "-id")
    required_role = dict.fromkeys(("GET", "HEAD", "POST", "PATCH", "DELETE"), Role.ADMIN)

    def visible(self, rows: QuerySet[Webhook], principal: Principal) -> QuerySet[Webhook]:
        # They hear of every cluster: a token of some has no part in them.
        return rows.defer("secret") if principal.clusters is None else rows.none()

    @describe_local(serializers.NewWebhookSerializer, 201, serializers.MadeWebhookSerializer)
    def create(self, request: Request) -> Response:
        """Add a webhook. Its secret is in this answer only."""
        asked = serializers.NewWebhookSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data

        def work() -> Written:
            row, secret = webhooks.add(principal_of(request), url=given["url"], kinds=given["kinds"], channel=Channel.API)
            shown = serializers.WebhookSerializer(row).data
            fields = tuple(FieldChange(field=name, after=shown[name]) for name in SHOWN)
            href = request.build_absolute_uri(f"{request.path}{row.pk}/")
            response = Response({**shown, "secret": secret}, status=status.HTTP_201_CREATED, headers={"Location": href})
            return Written((Change(resource_type="Webhook", name=row.url, action="create", fields=fields),), response)

        return self.write(request, "webhook.add", f"Add the webhook {given['url']}", work)

    @describe_local(serializers.WebhookChangeSerializer, 200, serializers.ChangedWebhookSerializer)
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change a webhook, turn it on or off, or give it a new secret."""
        row: Webhook = self.get_object()
        asked = serializers.WebhookChangeSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        given = dict(asked.validated_data)
        before = {name: getattr(row, name) for name in SHOWN}

        def work() -> Written:
            secret = webhooks.change(principal_of(request), row, **given, channel=Channel.API)
            fields = [
                FieldChange(field=name, before=value, after=getattr(row, name))
                for name, value in before.items()
                if getattr(row, name) != value
            ]
            if secret is not None:
                fields.append(FieldChange(field="secret"))
            change = Change(resource_type="Webhook", name=row.url, action="update" if fields else "none", fields=tuple(fields))
            return Written((change,), Response({**serializers.WebhookSerializer(row).data, "secret": secret}))

        return self.write(request, "webhook.change", f"Change the webhook {row.url}", work)

    @describe_local(None, 204, None)
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Remove a webhook, with the messages that were not sent yet."""
        row: Webhook = self.get_object()

        def work() -> Written:
            change = Change(resource_type="Webhook", name=row.url, action="delete")
            webhooks.remove(principal_of(request), row, channel=Channel.API)
            never = Irreversible(what="The webhook's secret and its messages", why="They are deleted.")
            return Written((change,), Response(status=status.HTTP_204_NO_CONTENT), (never,))

        return self.write(request, "webhook.remove", f"Remove the webhook {row.url}", work)

    @describe_local(None, 201, serializers.DeliverySerializer)
    @action(detail=True, methods=["post"])
    def test(self, request: Request, **kwargs: Any) -> Response:
        """Send a message that tells of nothing."""
        row: Webhook = self.get_object()

        def work() -> Written:
            delivery = webhooks.test(principal_of(request), row, channel=Channel.API)
            change = Change(resource_type="Message", name=f"{delivery.event} to {row.url}", action="create")
            return Written((change,), Response(serializers.DeliverySerializer(delivery).data, status=status.HTTP_201_CREATED))

        return self.write(request, "webhook.test", f"Send a test to {row.url}", work)


class DeliveryViewSet(mixins.ListModelMixin, ApiViewSet):
    """What was sent to one webhook, newest first. Admins only."""

    queryset = Delivery.objects.all()
    serializer_class = serializers.DeliverySerializer
    filterset_class = filters.DeliveryFilterSet
    ordering = ("-created_at", "-id")
    required_role = {"GET": Role.ADMIN, "HEAD": Role.ADMIN}

    def visible(self, rows: QuerySet[Delivery], principal: Principal) -> QuerySet[Delivery]:
        known = Webhook.objects.only("pk") if principal.clusters is None else Webhook.objects.none()
        return rows.filter(webhook=get_object_or_404(known, pk=self.kwargs["webhook_id"])).defer("body")
