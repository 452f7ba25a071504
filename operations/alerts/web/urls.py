"""Routes of the alerts' pages."""

from django.urls import path

from operations.alerts.web import views

app_name = "alerts-web"
urlpatterns = [
    path("alerts/", views.alert_list, name="list"),
    path("alerts/badge/", views.badge, name="badge"),
    path("alerts/<int:pk>/acknowledge/", views.acknowledge, name="acknowledge"),
    path("alerts/webhooks/", views.webhook_list, name="webhooks"),
    path("alerts/webhooks/<uuid:pk>/", views.webhook_detail, name="webhook"),
    path("alerts/webhooks/<uuid:pk>/secret/", views.webhook_secret, name="webhook-secret"),
    path("alerts/webhooks/<uuid:pk>/turn/", views.webhook_turn, name="webhook-turn"),
    path("alerts/webhooks/<uuid:pk>/test/", views.webhook_test, name="webhook-test"),
    path("alerts/webhooks/<uuid:pk>/remove/", views.webhook_remove, name="webhook-remove"),
]
