"""Every address: the API, the pages, the admin site, the probes."""

from typing import Any

from django.contrib import admin
from django.urls import include, path

from instantstart import health, metrics
from instantstart.api.docs import ApiDocsView, ApiSchemaView

api: list[Any] = [
    path("", include("accounts.api.urls")),
    path("", include("operations.api.urls")),
    path("", include("operations.alerts.api.urls")),
    path("", include("operations.agents.api.urls")),
    path("", include("clusters.api.urls")),
    path("", include("agentapi.api.urls")),
    path("schema/", ApiSchemaView.as_view(), name="api-schema"),
]

urlpatterns = [
    path("livez", health.livez, name="livez"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
    path("api/v1/", include(api)),
    path("api/docs/", ApiDocsView.as_view(), name="api-docs"),
    path("admin/", admin.site.urls),
    path("", include("accounts.web.urls")),
    path("", include("operations.web.urls")),
    path("", include("operations.alerts.web.urls")),
    path("", include("operations.agents.web.urls")),
    path("", include("clusters.web.urls")),
    path("", include("instantstart.web.urls")),
]

handler400 = "instantstart.api.errors.bad_request"
handler403 = "instantstart.api.errors.forbidden"
handler404 = "instantstart.api.errors.not_found"
handler500 = "instantstart.api.errors.server_error"
