"""The schema and its browsable page, which loads nothing from elsewhere and runs no inline script."""

from __future__ import annotations

import functools
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response


@functools.cache
def schema() -> dict[str, Any]:
    """The whole API; the same for everybody, so made once in a process (it takes about a second)."""
    made: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return made


class ApiSchemaView(SpectacularAPIView):
    """OpenAPI 3.1, as YAML or, with `?format=json`, as JSON. Public: it tells what the source code tells."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    def _get_schema_response(self, request: Request) -> Response:
        return Response(schema(), headers={"Cache-Control": "public, max-age=60"})


class ApiDocsView(SpectacularSwaggerSplitView):
    """Swagger's page, from the sidecar package's files."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    url_name = "api-schema"
    template_name = "instantstart/swagger_ui.html"
