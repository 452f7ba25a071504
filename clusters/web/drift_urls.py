"""Routes of the pages of drift."""

from django.urls import path

from clusters.web import drift

urlpatterns = [
    path("clusters/<slug:name>/drift/", drift.drift_list, name="drift"),
    path("clusters/<slug:name>/drift/observe/", drift.drift_observe, name="drift-observe"),
    path("clusters/<slug:name>/drift/<int:drift>/<slug:verb>/", drift.drift_decide, name="drift-decide"),
]
