"""The one ASGI application: Django for HTTP, Channels for WebSockets."""

import gc
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
# First of all, since it loads the apps: nothing that imports a model may come before it.
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import get_resolver  # noqa: E402

from instantstart import cloud  # noqa: E402
from instantstart.handlers import HttpApplication  # noqa: E402
from instantstart.live.routing import websocket_application  # noqa: E402

application = ProtocolTypeRouter({"http": HttpApplication(), "websocket": websocket_application})

_ = get_resolver().url_patterns  # imports every view


def keep() -> None:
    """Takes what stays for the life of the process (modules, routes, service models) out of the search for garbage.

    A full collection of it holds all threads for a quarter of a second: one request in fifty waited on that.
    """
    gc.collect()
    gc.freeze()


# The first plan a person asks for should not wait for the service models to be read.
cloud.warm_up(settings.DEFAULT_REGION, keep)
