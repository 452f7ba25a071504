"""Routes of quotas."""

from django.urls import path
from rest_framework.routers import SimpleRouter

from clusters.api import quotas

router = SimpleRouter(use_regex_path=False)
router.register("quotas", quotas.QuotaViewSet, basename="quota")

urlpatterns = [path("quotas/fit/", quotas.QuotaFitView.as_view(), name="quota-fit"), *router.urls]
