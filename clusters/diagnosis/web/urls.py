"""Routes of the diagnosis' pages."""

from django.urls import path

from clusters.diagnosis.web import views

urlpatterns = [
    path("clusters/<slug:name>/diagnosis/", views.cluster_diagnosis, name="diagnosis"),
    path("clusters/<slug:name>/nodes/<slug:node>/diagnosis/", views.node_diagnosis, name="node-diagnosis"),
]
