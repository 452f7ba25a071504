"""The one ASGI application: Django for HTTP, Channels for WebSockets, the MCP server for /mcp."""

import gc
import os
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
# First of all, since it loads the apps: nothing that imports a model may come before it.
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from agentapi.http import PATH, Door  # noqa: E402
from instantstart import cloud  # noqa: E402
from instantstart.handlers import HttpApplication  # noqa: E402
from instantstart.live.routing import websocket_application  # noqa: E402


class Application:
    """The lifespan is the MCP server's: the others have none. It can be gone through once."""

    def __init__(self) -> None:
        http = HttpApplication()
        self._pages = ProtocolTypeRouter({"http": http, "websocket": websocket_application})
        self._agents = Door(http)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        agents = scope["type"] == "lifespan" or (scope["type"] == "http" and (scope["path"] + "/").startswith(PATH + "/"))
        await (self._agents if agents else self._pages)(scope, receive, send)


application = Application()

_ = get_resolver().url_patterns  # imports every view


def keep() -> None:
    """Takes what stays for the life of the process (modules, routes, service models) out of the search for garbage.

    A full collection of it holds all threads for a quarter of a second: one request in fifty waited on that.
    """
    gc.collect()
    gc.freeze()


# The first plan a person asks for should not wait for the service models to be read.
cloud.warm_up(settings.DEFAULT_REGION, keep)
