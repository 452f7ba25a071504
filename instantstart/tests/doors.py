"""Views of tests: fake actions behind the real conventions."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from instantstart.api.actions import ActionMixin
from instantstart.api.views import ApiView
from operations.tests import fakes  # noqa: F401  (registers the fake actions)


class MakeView(ActionMixin, ApiView):
    """POST makes things in the fake world."""

    def post(self, request: Request) -> Response:
        return self.run_action(request, "fake.make", request.data)


class BrokenView(ApiView):
    """Fails in a way that nobody expected, and would tell a secret."""

    def get(self, request: Request) -> Response:
        raise RuntimeError("the password is hunter2")


def call(view: Any, method: str, path: str, secret: str, body: Any = None, **headers: str) -> Any:
    """One rendered answer of a view, called with a token."""
    extra = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    request = getattr(APIRequestFactory(), method)(path, body, format="json", HTTP_AUTHORIZATION=f"Bearer {secret}", **extra)
    response = view.as_view()(request)
    return response.render() if hasattr(response, "render") and not response.is_rendered else response
