"""Routes of searching, importing, adopting and forgetting."""

from django.urls import path

from clusters.api import imports

urlpatterns = [
    path("imports/", imports.SearchView.as_view(), name="imports"),
    path("imports/clusters/", imports.FoundClusterViewSet.as_view({"get": "list", "post": "create"}), name="import-clusters"),
    path("clusters/<slug:name>/adopt/", imports.AdoptView.as_view(), name="cluster-adopt"),
    path("clusters/<slug:name>/forget/", imports.ForgetView.as_view(), name="cluster-forget"),
]
