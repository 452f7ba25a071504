from django.urls import path

from operations.agents.api import views

urlpatterns = [
    path("agents/", views.AgentRulesView.as_view(), name="agents"),
    path("agents/stop/", views.StopAgentsView.as_view(), name="agents-stop"),
    path("agents/start/", views.StartAgentsView.as_view(), name="agents-start"),
]
