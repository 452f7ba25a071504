"""`python -m operations.tests.race dispatcher|worker`: one racing process.

Says that it is ready by a file "ready-PID" in RACE_FOLDER, begins when the file "go" is there, ends when "stop" is.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path


def main(part: str) -> None:
    import django

    django.setup()
    import operations.tests.race.actions  # noqa: F401  (registers the action)

    stop = threading.Event()
    folder = Path(os.environ["RACE_FOLDER"])

    def watch() -> None:
        while not (folder / "stop").exists():
            stop.wait(0.05)
        stop.set()

    threading.Thread(target=watch, daemon=True).start()
    (folder / f"ready-{os.getpid()}").touch()
    while not (folder / "go").exists() and not stop.is_set():
        stop.wait(0.05)
    if part == "dispatcher":
        from operations.dispatcher import Dispatcher

        Dispatcher().run(stop)
    else:
        work(stop)


def work(stop: threading.Event) -> None:
    """What a qcluster's worker does: takes a task from the broker, runs it, acknowledges it. Every task is run twice."""
    from django_q.brokers import get_broker
    from django_q.signing import SignedPackage

    from operations import tasks

    broker = get_broker()
    while not stop.is_set():
        for ack_id, package in broker.dequeue() or ():
            task = SignedPackage.loads(package)
            for _ in range(2):
                getattr(tasks, task["func"].rpartition(".")[2])(*task["args"])
            broker.acknowledge(ack_id)


main(sys.argv[1])
