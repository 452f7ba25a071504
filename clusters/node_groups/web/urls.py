"""Routes of the pages of EKS node groups."""

from django.urls import path

from clusters.node_groups.web import views

urlpatterns = [
    path("clusters/<slug:name>/node-groups/new/", views.node_group_new, name="node-group-new"),
    path("clusters/<slug:name>/node-groups/<slug:node_group>/scale/", views.node_group_scale, name="node-group-scale"),
    path("clusters/<slug:name>/node-groups/<slug:node_group>/delete/", views.node_group_delete, name="node-group-delete"),
]
