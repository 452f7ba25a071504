"""Operations: their state, their history, and what a person decides about them."""

from __future__ import annotations

import uuid
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principals import principal_of
from instantstart.api import parameters
from instantstart.api.actions import operation_body, submission_response
from instantstart.api.views import ApiViewSet
from operations import approve, cancel, filters, resolve, retry
from operations.api import serializers
from operations.choices import Channel
from operations.models import Event, Operation

_HEAVY = ("plan", "facts", "input", "steps")
"""Columns that only the detail shows."""


def visible_operations(request: Request) -> QuerySet[Operation]:
    """The operations that the caller's token may see."""
    clusters = principal_of(request).clusters
    rows = Operation.objects.all()
    return rows if clusters is None else rows.filter(cluster__in=clusters)


class OperationViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ApiViewSet):
    """Every change is an operation: made before anything outside is touched, then driven until it ends."""

    queryset = Operation.objects.all()
    serializer_class = serializers.OperationDetailSerializer
    filterset_class = filters.OperationFilterSet
    lookup_value_converter = "uuid"
    ordering = ("-created_at", "-id")
    query_parameters = {"retrieve": (parameters.WAIT,)}

    def get_queryset(self) -> QuerySet[Operation]:
        rows = visible_operations(self.request)
        if self.action == "list":
            return rows.select_related("actor").defer(*_HEAVY)
        return rows.select_related("actor", "decided_by")

    def get_serializer_class(self) -> Any:
        return serializers.OperationSerializer if self.action == "list" else serializers.OperationDetailSerializer

    @extend_schema(request=None, responses={202: serializers.OperationDetailSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: uuid.UUID) -> Response:
        """Begin nothing new and let what is under way end."""
        operation: Operation = self.get_object()
        cancel.cancel(operation, principal_of(request))
        return self._accepted(operation)

    @extend_schema(request=None, responses={202: serializers.OperationDetailSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: uuid.UUID) -> Response:
        """Ask for the same again, as a new operation."""
        submission = retry.retry(self.get_object(), principal_of(request), Channel.API)
        return submission_response(submission)

    @extend_schema(request=serializers.ReasonSerializer, responses={202: serializers.OperationDetailSerializer})
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, pk: uuid.UUID) -> Response:
        """Let an agent's destructive operation begin."""
        operation: Operation = self.get_object()
        approve.approve(operation, principal_of(request), self._reason(request))
        return self._accepted(operation)

    @extend_schema(request=serializers.ReasonSerializer, responses={200: serializers.OperationDetailSerializer})
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: uuid.UUID) -> Response:
        """Refuse an agent's destructive operation: it ends, nothing is done."""
        operation: Operation = self.get_object()
        approve.refuse(operation, principal_of(request), self._reason(request))
        return Response(operation_body(operation.pk))

    @extend_schema(request=serializers.ResolutionSerializer, responses={200: serializers.OperationDetailSerializer})
    @action(detail=True, methods=["post"])
    def resolve(self, request: Request, pk: uuid.UUID) -> Response:
        """Say how an operation ended whose outcome could not be told."""
        asked = serializers.ResolutionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        operation: Operation = self.get_object()
        resolve.resolve(operation, principal_of(request), asked.validated_data["outcome"], asked.validated_data["reason"])
        return Response(operation_body(operation.pk))

    def _reason(self, request: Request) -> str:
        asked = serializers.ReasonSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return str(asked.validated_data["reason"])

    def _accepted(self, operation: Operation) -> Response:
        href = reverse("operation-detail", kwargs={"pk": operation.pk})
        return Response(operation_body(operation.pk), status=status.HTTP_202_ACCEPTED, headers={"Location": href})


class OperationEventViewSet(mixins.ListModelMixin, ApiViewSet):
    """The history of one operation, oldest first."""

    queryset = Event.objects.all()
    serializer_class = serializers.EventSerializer
    filterset_class = filters.EventFilterSet
    ordering = ("id",)

    def get_queryset(self) -> QuerySet[Event]:
        if "operation_id" not in self.kwargs:  # the schema is being generated
            return super().get_queryset().none()
        operation = get_object_or_404(visible_operations(self.request).only("pk"), pk=self.kwargs["operation_id"])
        return super().get_queryset().filter(operation=operation)
