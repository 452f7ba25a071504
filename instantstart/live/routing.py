"""Addresses of WebSockets."""

from __future__ import annotations

from channels.auth import AuthMiddlewareStack
from channels.routing import URLRouter
from channels.security.websocket import WebsocketDenier
from django.urls import path, re_path

from instantstart.live.consumer import EventConsumer
from instantstart.live.origin import SameOrigin

# The last refuses the handshake: without it Channels raises for an address that nobody has, which the caller sees as a 500.
_ROUTES = [path("ws/events/", EventConsumer.as_asgi()), re_path(r"^.*$", WebsocketDenier.as_asgi())]

websocket_application = SameOrigin(AuthMiddlewareStack(URLRouter(_ROUTES)))
