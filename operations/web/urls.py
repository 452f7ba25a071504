"""Routes of the operations' pages."""

from django.urls import path

from operations.web import notifications, views

app_name = "operations-web"
urlpatterns = [
    path("operations/", views.operation_list, name="list"),
    path("operations/<uuid:pk>/", views.operation_detail, name="detail"),
    path("operations/<uuid:pk>/cancel/", views.operation_cancel, name="cancel"),
    path("operations/<uuid:pk>/retry/", views.operation_retry, name="retry"),
    path("operations/<uuid:pk>/approve/", views.operation_approve, name="approve"),
    path("operations/<uuid:pk>/refuse/", views.operation_refuse, name="refuse"),
    path("operations/<uuid:pk>/resolve/", views.operation_resolve, name="resolve"),
    path("notifications/", notifications.notification_list, name="notifications"),
    path("notifications/bell/", notifications.bell, name="bell"),
    path("notifications/dismiss/", notifications.notification_dismiss, name="dismiss"),
]
