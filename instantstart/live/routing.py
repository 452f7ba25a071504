"""Addresses of WebSockets."""

from __future__ import annotations

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from django.urls import path

from instantstart.live.consumer import EventConsumer
from instantstart.live.origin import SameOrigin

websocket_application = SameOrigin(AuthMiddlewareStack(URLRouter([path("ws/events/", EventConsumer.as_asgi())])))
