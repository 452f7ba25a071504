"""Routes of AWS accounts."""

from django.urls import path
from rest_framework.routers import SimpleRouter

from clusters.accounts.api import views

router = SimpleRouter(use_regex_path=False)
router.register("accounts", views.AwsAccountViewSet, basename="account")

urlpatterns = [path("accounts/trust/", views.TrustView.as_view(), name="account-trust"), *router.urls]
