"""The schema and its browsable page, which loads nothing from elsewhere and runs no inline script."""

from __future__ import annotations

from typing import Any

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny


class ApiSchemaView(SpectacularAPIView):
    """OpenAPI 3.1, as YAML or, with `?format=json`, as JSON. Public: it tells what the source code tells."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    serve_public = True


class ApiDocsView(SpectacularSwaggerSplitView):
    """Swagger's page, from the sidecar package's files."""

    permission_classes = [AllowAny]
    url_name = "api-schema"
    template_name = "instantstart/swagger_ui.html"
