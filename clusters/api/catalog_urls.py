"""Routes of the catalogue."""

from django.urls import path

from clusters.api import catalog

catalog_urls = [
    path("catalog/regions/", catalog.RegionsView.as_view(), name="catalog-regions"),
    path("catalog/zones/", catalog.ZonesView.as_view(), name="catalog-zones"),
    path("catalog/instance-types/", catalog.InstanceTypesView.as_view(), name="catalog-instance-types"),
    path("catalog/kubernetes-versions/", catalog.KubernetesVersionsView.as_view(), name="catalog-kubernetes-versions"),
    path("catalog/training-plans/", catalog.TrainingPlansView.as_view(), name="catalog-training-plans"),
    path("catalog/quotas/", catalog.QuotasView.as_view(), name="catalog-quotas"),
]
urlpatterns = catalog_urls
