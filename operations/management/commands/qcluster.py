"""`manage.py qcluster`: django-q2's cluster of workers, which ends as a whole when one of its processes is killed."""

from __future__ import annotations

import os
from multiprocessing.process import BaseProcess

import structlog
from django_q import cluster
from django_q.management.commands import qcluster

log = structlog.get_logger(__name__)

RECYCLED = -2
TIMED_OUT = 0


class WholeSentinel(cluster.Sentinel):  # type: ignore[misc]  # django-q2 has no types
    """A worker waits for its next task inside the queue's lock, which dies with it: killed there, it would leave the
    others waiting for ever. So a process that did not end by django-q2's own doing takes all the others along, and who
    supervises starts a fresh cluster; what was queued or owned is offered again when its lease has run out."""

    def reincarnate(self, process: BaseProcess) -> None:
        timer = getattr(process, "timer", None)
        if timer is not None and timer.value in (RECYCLED, TIMED_OUT):
            super().reincarnate(process)
            return
        log.error("worker_killed", process=process.pid, exit_code=process.exitcode)
        for other in (*self.pool, self.monitor, self.pusher):
            other.kill()
        os._exit(1)


class Command(qcluster.Command):  # type: ignore[misc]
    def handle(self, *args: object, **options: object) -> None:
        cluster.Sentinel = WholeSentinel
        super().handle(*args, **options)
