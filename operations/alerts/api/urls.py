from django.urls import path
from rest_framework.routers import SimpleRouter

from operations.alerts.api import views

router = SimpleRouter(use_regex_path=False)
router.register("alerts", views.AlertViewSet, basename="alert")
router.register("webhooks", views.WebhookViewSet, basename="webhook")

urlpatterns = [
    path("webhooks/<uuid:webhook_id>/deliveries/", views.DeliveryViewSet.as_view({"get": "list"}), name="webhook-deliveries"),
    *router.urls,
]
