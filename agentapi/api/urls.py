"""Addresses under /api/v1/."""

from django.urls import path

from agentapi.api.skills import SkillsView, SkillView

urlpatterns = [
    path("skills/", SkillsView.as_view(), name="skill-list"),
    path("skills/<slug:name>/", SkillView.as_view(), name="skill-detail"),
]
