"""Routes of EKS node groups."""

from django.urls import path

from clusters.node_groups.api import views

urlpatterns = [
    path(
        "clusters/<slug:name>/node-groups/",
        views.NodeGroupViewSet.as_view({"get": "list", "post": "create"}),
        name="cluster-node-groups",
    ),
    path(
        "clusters/<slug:name>/node-groups/<slug:node_group>/",
        views.NodeGroupViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="cluster-node-group",
    ),
]
