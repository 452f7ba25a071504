"""Routes of the catalogue."""

from django.urls import path

from clusters.api import catalog, training_plans

catalog_urls = [
    path("catalog/regions/", catalog.RegionsView.as_view(), name="catalog-regions"),
    path("catalog/zones/", catalog.ZonesView.as_view(), name="catalog-zones"),
    path("catalog/instance-types/", catalog.InstanceTypesView.as_view(), name="catalog-instance-types"),
    path("catalog/kubernetes-versions/", catalog.KubernetesVersionsView.as_view(), name="catalog-kubernetes-versions"),
    path("catalog/training-plans/", catalog.TrainingPlansView.as_view(), name="catalog-training-plans"),
    path("catalog/training-plan-offers/", training_plans.TrainingPlanOffersView.as_view(), name="catalog-training-plan-offers"),
    path("catalog/quotas/", catalog.QuotasView.as_view(), name="catalog-quotas"),
]
urlpatterns = [*catalog_urls, path("training-plans/", training_plans.TrainingPlansView.as_view(), name="training-plans")]
