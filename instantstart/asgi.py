"""The one ASGI application: Django for HTTP, Channels for WebSockets."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
# First of all, since it loads the apps: nothing that imports a model may come before it.
django.setup(set_prefix=False)

from channels.routing import ProtocolTypeRouter  # noqa: E402

from instantstart.handlers import HttpApplication  # noqa: E402
from instantstart.live.routing import websocket_application  # noqa: E402

application = ProtocolTypeRouter({"http": HttpApplication(), "websocket": websocket_application})
