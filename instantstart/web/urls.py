"""Routes of the pages that belong to no app."""

from django.urls import path

from instantstart.web import views

app_name = "web"
urlpatterns = [
    path("connection/", views.connection, name="connection"),
    path("connection/trouble/", views.trouble, name="trouble"),
]
