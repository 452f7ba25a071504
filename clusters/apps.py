"""The app `clusters`."""

from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig


class ClustersConfig(AppConfig):
    name = "clusters"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        for module in ("clusters.actions", "clusters.observers"):
            import_module(module)
        from accounts import reach
        from clusters.accounts.known import clusters_in, role_of
        from instantstart.cloud import roles

        roles.provide(role_of)
        reach.provide(clusters_in)
