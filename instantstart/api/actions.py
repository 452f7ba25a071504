"""Carrying out an action through REST: plan only, refused, nothing to do, or accepted and going on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.principals import principal_of
from instantstart.api import idempotency, parameters, request_id
from instantstart.api.plan import plan_body
from instantstart.api.reason import reason_of
from instantstart.api.views import Conventions, wants_plan_only
from operations.choices import Channel
from operations.models import Operation
from operations.submission import Submission
from operations.submit import submit

ACTION_PARAMETERS = (parameters.DRY_RUN, parameters.PLAN_FINGERPRINT, parameters.REASON)


class ActionMixin(Conventions):
    """For views whose unsafe methods are actions; put it before the base. See `describe_action` for their schema."""

    def own_parameters(self) -> list[OpenApiParameter]:
        more = () if self.request.method in SAFE_METHODS else ACTION_PARAMETERS
        return [*super().own_parameters(), *more]

    def run_action(self, request: Request, kind: str, raw_input: Mapping[str, Any]) -> Response:
        """Submit the action of that kind with the caller's rights.

        200 with the plan for `?dry_run=true`; 200 with `changed: false` when the world is already as asked; else 202 with the operation,
        whose address is in Location. Refusals are raised as Problem.
        """
        principal = principal_of(request)
        dry_run = wants_plan_only(request)
        key = idempotency.key_of(request)
        submission = submit(
            kind,
            raw_input,
            principal,
            channel=channel_of(principal),
            idempotency_key=idempotency.operation_key(principal, key) if key and not dry_run else None,
            dry_run=dry_run,
            plan_fingerprint=request.query_params.get(parameters.PLAN_FINGERPRINT.name) or None,
            reason=reason_of(request),
        )
        return Response(plan_body(submission.plan)) if dry_run else submission_response(submission)


def channel_of(principal: Principal) -> Channel:
    """The door that the call at hand came through: the API's, or the MCP server's in front of it."""
    return Channel(request_id.current().channel_of(principal.agent) or Channel.API)


def submission_response(submission: Submission) -> Response:
    """202 with the operation, or 200 with the plan that has no differences."""
    if submission.operation is None:
        return Response({"changed": submission.changed, "operation": None, "plan": plan_body(submission.plan)})
    href = reverse("operation-detail", kwargs={"pk": submission.operation.pk})
    body = {"changed": True, **operation_body(submission.operation.pk)}
    return Response(body, status=status.HTTP_202_ACCEPTED, headers={"Location": href})


def operation_body(pk: uuid.UUID) -> dict[str, Any]:
    """The operation as its own address shows it now: read again, since a worker may be at it already."""
    from operations.api.serializers import OperationDetailSerializer

    operation = Operation.objects.select_related("actor", "decided_by").get(pk=pk)
    return dict(OperationDetailSerializer(operation).data)
