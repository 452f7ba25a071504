from django.urls import path
from rest_framework.routers import SimpleRouter

from accounts.api import views

router = SimpleRouter(use_regex_path=False)
router.register("tokens", views.TokenViewSet, basename="token")
router.register("users", views.UserViewSet, basename="user")
router.register("audit", views.AuditEntryViewSet, basename="audit-entry")

urlpatterns = [path("me/", views.MeView.as_view(), name="me"), *router.urls]
