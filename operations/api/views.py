"""Operations: their state, their history, and what a person decides about them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import mixins, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.principals import principal_of
from accounts.reach import within_or_own
from instantstart.api import idempotency, parameters
from instantstart.api.actions import ActionMixin, channel_of, operation_body, submission_response
from instantstart.api.describe import describe_action
from instantstart.api.plan import plan_body, plan_changed
from instantstart.api.reason import reason_of
from instantstart.api.views import ApiViewSet, wants_plan_only
from operations import approve, cancel, filters, resolve, retry
from operations.api import serializers
from operations.choices import OperationState
from operations.models import Event, Operation
from operations.plan import Change, FieldChange, Plan

_HEAVY = ("plan", "facts", "input", "steps")
"""Columns that only the detail shows."""


def reachable(rows: QuerySet[Operation], principal: Principal) -> QuerySet[Operation]:
    """The operations of clusters that the caller may reach, and the caller's own that are about none."""
    return within_or_own(rows, principal)


class OperationViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ActionMixin, ApiViewSet):
    """Every change is an operation: made before anything outside is touched, then driven until it ends."""

    queryset = Operation.objects.all()
    serializer_class = serializers.OperationDetailSerializer
    filterset_class = filters.OperationFilterSet
    lookup_value_converter = "uuid"
    ordering = ("-created_at", "-id")
    query_parameters = {"retrieve": (parameters.WAIT,)}

    def visible(self, rows: QuerySet[Operation], principal: Principal) -> QuerySet[Operation]:
        rows = reachable(rows, principal)
        if self.action == "list":
            return rows.select_related("actor").defer(*_HEAVY)
        return rows.select_related("actor", "decided_by")

    def get_serializer_class(self) -> Any:
        return serializers.OperationSerializer if self.action == "list" else serializers.OperationDetailSerializer

    @describe_action(None)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: uuid.UUID) -> Response:
        """Begin nothing new and let what is under way end."""
        return self._decide(request, "cancel", OperationState.CANCELLING, cancel.may_cancel, cancel.cancel)

    @describe_action(None)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: uuid.UUID) -> Response:
        """Ask for the same again, as a new operation."""
        principal = principal_of(request)
        dry_run = wants_plan_only(request)
        key = idempotency.key_of(request)
        submission = retry.retry(
            self.get_object(),
            principal,
            channel_of(principal),
            idempotency_key=idempotency.operation_key(principal, key) if key and not dry_run else None,
            dry_run=dry_run,
            plan_fingerprint=request.query_params.get(parameters.PLAN_FINGERPRINT.name) or None,
            reason=reason_of(request),
        )
        return Response(plan_body(submission.plan)) if dry_run else submission_response(submission)

    @describe_action(serializers.ApprovingSerializer)
    @action(detail=True, methods=["post"])
    def approve(self, request: Request, pk: uuid.UUID) -> Response:
        """Let an agent's operation begin that waits for a person. Not for agents."""
        asked = serializers.ApprovingSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return self._decide(
            request, "approve", OperationState.RECORDED, approve.may_approve, partial(approve.approve, **asked.validated_data)
        )

    @describe_action(serializers.ReasonSerializer)
    @action(detail=True, methods=["post"])
    def refuse(self, request: Request, pk: uuid.UUID) -> Response:
        """Refuse an agent's operation that waits for a person: it ends, nothing is done. Not for agents."""
        reason = self._reason(request)
        return self._decide(request, "refuse", OperationState.REFUSED, approve.may_refuse, partial(approve.refuse, reason=reason))

    @describe_action(serializers.ResolutionSerializer)
    @action(detail=True, methods=["post"])
    def resolve(self, request: Request, pk: uuid.UUID) -> Response:
        """Say how an operation ended whose outcome could not be told."""
        asked = serializers.ResolutionSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        outcome, reason = asked.validated_data["outcome"], asked.validated_data["reason"]
        after = OperationState.RUNNING if outcome == "succeeded" else OperationState.FAILED
        return self._decide(request, "resolve", after, resolve.may_resolve, partial(resolve.resolve, outcome=outcome, reason=reason))

    def _reason(self, request: Request) -> str:
        asked = serializers.ReasonSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return str(asked.validated_data["reason"])

    def _decide(
        self,
        request: Request,
        verb: str,
        after: OperationState,
        may: Callable[[Operation, Principal], None],
        decide: Callable[[Operation, Principal], Operation],
    ) -> Response:
        """Carry a decision out, or say what it would change: the operation's state. The world outside is the operation's own plan."""
        operation: Operation = self.get_object()
        state = FieldChange(field="state", before=operation.state, after=after.value)
        change = Change(resource_type="Operation", name=str(operation.pk), action="update", fields=(state,))
        plan = Plan(kind=f"operation.{verb}", summary=f"{verb.capitalize()} {operation.title!r}", changes=(change,))
        if wants_plan_only(request):
            may(operation, principal_of(request))
            return Response(plan_body(plan))
        agreed = request.query_params.get(parameters.PLAN_FINGERPRINT.name)
        if agreed and agreed != plan.fingerprint:
            raise plan_changed(plan)
        decide(operation, principal_of(request))
        href = reverse("operation-detail", kwargs={"pk": operation.pk})
        body = {"changed": True, **operation_body(operation.pk)}
        return Response(body, status=status.HTTP_202_ACCEPTED, headers={"Location": href})


class OperationEventViewSet(mixins.ListModelMixin, ApiViewSet):
    """The history of one operation, oldest first."""

    queryset = Event.objects.all()
    serializer_class = serializers.EventSerializer
    filterset_class = filters.EventFilterSet
    ordering = ("id",)

    def visible(self, rows: QuerySet[Event], principal: Principal) -> QuerySet[Event]:
        operation = get_object_or_404(reachable(Operation.objects.only("pk"), principal), pk=self.kwargs["operation_id"])
        return rows.filter(operation=operation)
