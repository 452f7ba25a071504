"""The one ASGI application: Django for HTTP, Channels for WebSockets."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
# First of all, since it loads the apps: nothing that imports a model may come before it.
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter  # noqa: E402

from instantstart.live.routing import websocket_application  # noqa: E402

application = ProtocolTypeRouter({"http": django_application, "websocket": websocket_application})
