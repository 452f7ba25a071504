"""`manage.py serve`: the parts of the Procfile in one container; one that dies is started again, SIGTERM ends all."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from instantstart import private_folder
from instantstart.supervisor import Part, Supervisor, expand, read_procfile


class Command(BaseCommand):
    help = "Run web server, dispatcher and workers (see Procfile) until SIGTERM or Ctrl-C."

    def handle(self, **options: Any) -> None:
        supervisor, ended = Supervisor(), False
        os.umask(0o077)  # whatever the parts write is the owner's alone
        private_folder.ensure(settings.STATE_DIR)

        def stop(_signal: int, _frame: FrameType | None) -> None:
            nonlocal ended
            ended = True

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        for name, command in read_procfile(settings.BASE_DIR / "Procfile").items():
            # In a container the platform collects what is printed; the parts print one JSON object a line.
            supervisor.add(Part(name, expand(command, environment), environment, Path("/dev/stderr"), settings.BASE_DIR))
        self.stderr.write(f"Serving on http://{environment.get('HOST', '127.0.0.1')}:{environment.get('PORT', '3099')}")
        while not ended:
            supervisor.check()
            time.sleep(0.3)
        supervisor.stop()
        sys.exit(0)
