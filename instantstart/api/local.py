"""Writes that change only our own database: planned by carrying them out and taking them back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from instantstart.api import parameters
from instantstart.api.plan import plan_body, plan_changed
from instantstart.api.views import Conventions, wants_plan_only
from instantstart.problem import Problem
from operations.plan import Change, Irreversible, Plan


@dataclass(frozen=True)
class Written:
    """What a write did: its differences and its answer."""

    changes: tuple[Change, ...]
    response: Response
    irreversible: tuple[Irreversible, ...] = ()


class LocalWrites(Conventions):
    """For views whose unsafe methods go through `write`."""

    idempotency_atomic: ClassVar[bool] = True

    def own_parameters(self) -> list[OpenApiParameter]:
        more = () if self.request.method in SAFE_METHODS else (parameters.DRY_RUN, parameters.PLAN_FINGERPRINT)
        return [*super().own_parameters(), *more]

    def write(self, request: Request, kind: str, summary: str, work: Callable[[], Written]) -> Response:
        """Carry out `work` whole or not at all. `?dry_run=true` takes it back and answers with the plan.

        Problem 409 `plan_changed` when `plan_fingerprint` is given and is another by now; 200 with `changed: false` without differences.
        """
        agreed = request.query_params.get(parameters.PLAN_FINGERPRINT.name)
        dry_run = wants_plan_only(request)
        refusal: Problem | None = None
        with transaction.atomic():
            try:
                written = work()
                plan = Plan(kind=kind, summary=summary, changes=written.changes, typical_seconds=0, irreversible=written.irreversible)
                if agreed and agreed != plan.fingerprint:
                    raise plan_changed(plan)
            except Problem as raised:
                refusal = raised
            if refusal is not None or dry_run:
                transaction.set_rollback(True)
        if refusal is not None:
            _keep_on_trail(refusal, dry_run)
            raise refusal
        if dry_run:
            return Response(plan_body(plan))
        if not plan.changed:
            return Response({"changed": False, "operation": None, "plan": plan_body(plan)})
        return written.response


def _keep_on_trail(refusal: Problem, dry_run: bool) -> None:
    """The refusal's audit entry went with the transaction that was taken back: write it again."""
    from accounts import audit

    if refusal.trail and not dry_run:
        audit.record(**refusal.trail)
