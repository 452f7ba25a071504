"""Routes of the pages about agents."""

from django.urls import path

from operations.agents.web import views

app_name = "agents-web"
urlpatterns = [
    path("approvals/", views.approval_list, name="approvals"),
    path("approvals/badge/", views.badge, name="badge"),
    path("agents/", views.rules_page, name="rules"),
    path("agents/cost/", views.set_cost, name="cost"),
    path("agents/stop/", views.stop, name="stop"),
    path("agents/start/", views.start, name="start"),
]
