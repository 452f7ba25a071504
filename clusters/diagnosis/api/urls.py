"""Routes of the diagnosis."""

from django.urls import path

from clusters.diagnosis.api import pods, views

urlpatterns = [
    path("clusters/<slug:name>/diagnosis/", views.ClusterDiagnosisView.as_view(), name="cluster-diagnosis"),
    path("clusters/<slug:name>/diagnosis/pods/", pods.UnwellPodsView.as_view(), name="unwell-pods"),
    path("clusters/<slug:name>/nodes/<slug:node>/diagnosis/", views.NodeDiagnosisView.as_view(), name="node-diagnosis"),
]
