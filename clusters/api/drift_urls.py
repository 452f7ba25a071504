"""Routes of drift."""

from django.urls import path

from clusters.api.drift import DriftViewSet

urlpatterns = [
    path("clusters/<slug:name>/drift/", DriftViewSet.as_view({"get": "list"}), name="cluster-drift-list"),
    path("clusters/<slug:name>/drift/observe/", DriftViewSet.as_view({"post": "observe"}), name="cluster-drift-observe"),
    path("clusters/<slug:name>/drift/<int:drift>/", DriftViewSet.as_view({"get": "retrieve"}), name="cluster-drift"),
    *(
        path(f"clusters/<slug:name>/drift/<int:drift>/{verb}/", DriftViewSet.as_view({"post": verb}), name=f"cluster-drift-{verb}")
        for verb in ("accept", "ignore", "revert")
    ),
]
