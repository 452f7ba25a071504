"""People, their tokens and what they did."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import sign_out
        from accounts.api import openapi  # noqa: F401  (registers how the schema describes our authentication)

        sign_out.follow()
