"""The app that plans, records, drives and resumes every change."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class OperationsConfig(AppConfig):
    name = "operations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        post_migrate.connect(_schedule, sender=self, dispatch_uid="operations.schedules")


def _schedule(sender: AppConfig, **_: Any) -> None:
    """q2's tables may not be there yet when operations are migrated alone; then the next migrate does it."""
    from operations.schedules import ensure_schedules

    ensure_schedules()
