"""Routes of orphans."""

from django.urls import path

from clusters.api.orphans import OrphanViewSet

urlpatterns = [
    path("orphans/", OrphanViewSet.as_view({"get": "list"}), name="orphans"),
    path("orphans/observe/", OrphanViewSet.as_view({"post": "observe"}), name="orphan-observe"),
    path("orphans/<int:orphan>/", OrphanViewSet.as_view({"get": "retrieve", "delete": "destroy"}), name="orphan"),
]
