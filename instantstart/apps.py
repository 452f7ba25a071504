"""The frame."""

from django.apps import AppConfig


class InstantStartConfig(AppConfig):
    name = "instantstart"
    verbose_name = "InstantStart"
