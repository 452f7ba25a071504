"""Routes of the pages of orphans."""

from django.urls import path

from clusters.web import orphans

urlpatterns = [
    path("orphans/", orphans.orphan_list, name="orphans"),
    path("orphans/observe/", orphans.orphan_observe, name="orphan-observe"),
    path("orphans/<int:orphan>/delete/", orphans.orphan_delete, name="orphan-delete"),
]
