"""`manage.py dispatcher`: leases what is due and enqueues it, until it is told to stop."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from operations.dispatcher import Dispatcher


class Command(BaseCommand):
    help = "Leases due operations and sources, enqueues them for the workers, takes back what dead workers left."

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        Dispatcher().run(stop)
