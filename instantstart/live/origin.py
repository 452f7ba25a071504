"""Browsers send cookies with any page's WebSocket: only pages of ours may open one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

Application = Callable[[dict[str, Any], Any, Any], Awaitable[Any]]


class SameOrigin:
    """Denies a handshake whose Origin is not the host that it goes to. A program sends none: then its cookies are dropped, tokens stay."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        origin = headers.get(b"origin")
        if origin is None:
            kept = [(name, value) for name, value in scope.get("headers", ()) if name != b"cookie"]
            return await self.application({**scope, "headers": kept}, receive, send)
        if not is_ours(origin.decode("latin-1"), headers.get(b"host", b"").decode("latin-1")):
            return await WebsocketDenier()(scope, receive, send)
        return await self.application(scope, receive, send)


def is_ours(origin: str, host: str) -> bool:
    """Whether a page at `origin` may talk to `host`: the same, and one that we answer to (else DNS could be bent towards us)."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    domain, _ = split_domain_port(host)
    return bool(domain) and urlsplit(origin).netloc == host and validate_host(domain, settings.ALLOWED_HOSTS)
