"""The task: drives one operation as far as it goes without waiting."""

from __future__ import annotations

import time
import uuid

import structlog

from operations import leases
from operations.engine.run import Run, Turn
from operations.leases import LeaseLost, StateChanged
from operations.models import Operation

log = structlog.get_logger(__name__)

RUN_SECONDS = 30.0
"""How long one task goes on before it gives the worker to others; below the queue's own time limit."""


def advance(operation_id: str, fencing_token: int) -> None:
    """Claims the operation that was offered with this token and drives it. A token that is not current does nothing."""
    lease = leases.claim(Operation, uuid.UUID(str(operation_id)), fencing_token)
    if lease is None:
        log.debug("task_out_of_date", operation=str(operation_id), fencing_token=fencing_token)
        return
    until = time.monotonic() + RUN_SECONDS
    with structlog.contextvars.bound_contextvars(operation=str(operation_id), fencing_token=lease.token):
        try:
            while True:
                operation = Operation.objects.filter(lease.held()).first()
                if operation is None:
                    raise LeaseLost
                structlog.contextvars.bind_contextvars(cluster=operation.cluster)
                try:
                    turn = Run(lease, operation).tick(yield_now=time.monotonic() > until)
                except StateChanged:
                    continue
                if turn is Turn.OVER:
                    return
        except LeaseLost:
            log.info("lease_lost")
        finally:
            structlog.contextvars.unbind_contextvars("cluster")
