"""The diagnosis through REST: reads only."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from clusters.api.views import reachable_cluster
from clusters.diagnosis import Diagnosis, examine
from clusters.diagnosis.api.serializers import DiagnosisSerializer
from clusters.models import Node
from instantstart.api import parameters
from instantstart.api.fields import keep_fields
from instantstart.api.views import ApiView
from instantstart.problem import FieldError, Problem

MOST = 50
LIMIT = OpenApiParameter("limit", {"type": "integer", "minimum": 1, "maximum": MOST}, description="Findings, and unexplained rows. 5.")
ROWS = OpenApiParameter("evidence_rows", {"type": "integer", "minimum": 0, "maximum": MOST}, description="Evidence of each finding. 3.")


class DiagnosisView(ApiView):
    query_parameters: ClassVar = {"GET": (LIMIT, ROWS, parameters.FIELDS)}

    def answer(self, request: Request, diagnosis: Diagnosis) -> Response:
        context: dict[str, Any] = {"limit": _number(request, "limit", 5, 1), "evidence_rows": _number(request, "evidence_rows", 3, 0)}
        serializer = DiagnosisSerializer(diagnosis, context=context)
        keep_fields(serializer, request)
        return Response(serializer.data)


class ClusterDiagnosisView(DiagnosisView):
    @extend_schema(responses=DiagnosisSerializer)
    def get(self, request: Request, name: str) -> Response:
        """What is the matter with the cluster: known errors with evidence, confidence and fix, and what none explains."""
        return self.answer(request, examine(reachable_cluster(request, name)))


class NodeDiagnosisView(DiagnosisView):
    @extend_schema(responses=DiagnosisSerializer)
    def get(self, request: Request, name: str, node: str) -> Response:
        """What is the matter with one node, and what to do next: analyse, then reboot, then replace."""
        cluster = reachable_cluster(request, name)
        return self.answer(request, examine(cluster, get_object_or_404(Node, cluster=cluster, key=node)))


def _number(request: Request, name: str, otherwise: int, least: int) -> int:
    given = request.query_params.get(name)
    if given is None:
        return otherwise
    if not given.isdecimal() or not least <= int(given) <= MOST:
        error = FieldError(name, "out_of_range", f"{name} is {least} to {MOST}.", f"Send {name}={least} to {name}={MOST}.")
        raise Problem(400, "invalid_parameter", "Invalid parameter", f"{name} is not acceptable.", error.hint, errors=[error])
    return int(given)
