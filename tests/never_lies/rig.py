"""The product in this process against a sandbox in another one, whose clock moves only when a step moves it."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from rest_framework.test import APIClient

from accounts.models import User
from accounts.principals import principal_for
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.problem import Problem
from operations import clock, dispatch, observing, queue
from operations.cancel import cancel
from operations.dispatcher import Dispatcher
from operations.driver import let_time_pass, work
from operations.models import ObservedSource, Operation
from operations.submit import submit

CLUSTER = "demo"
PATIENCE, PARTITIONED_PATIENCE = (3.0, 20.0), (0.3, 0.3)
"""Seconds to connect and to read."""


class Rig:
    """What a step may do, and how the product is asked."""

    def __init__(self, sandbox: Sandbox, who: User, client: APIClient, settings: Any) -> None:
        self.sandbox, self.who, self.client, self.settings = sandbox, who, client, settings
        self.dispatcher = Dispatcher(name="walk")
        self.looks = 0
        self._connection = http.client.HTTPConnection(urlsplit(sandbox.endpoint).netloc, timeout=60)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        self._connection.request(method, f"/_sandbox/{path}", None if body is None else json.dumps(body))
        answer = self._connection.getresponse()
        said = json.loads(answer.read())
        assert answer.status == 200, said
        return said

    def forward(self, target: float | str) -> None:
        self.control("POST", "clock", {"fast_forward": target})

    def add_fault(self, **fault: Any) -> str:
        made = self.control("POST", "faults", fault)
        self._patience()
        return str(made["id"])

    def remove_fault(self, fault_id: str) -> None:
        self.control("DELETE", f"faults/{fault_id}")
        self._patience()

    def faults(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.control("GET", "faults")["faults"]
        return found

    def _patience(self) -> None:
        """Packets that are dropped are waited for by the real clock: not for as long as in production."""
        partitioned = any(fault.get("scenario") == "kube_partition" for fault in self.faults())
        connect, read = PARTITIONED_PATIENCE if partitioned else PATIENCE
        self.settings.AWS_CONNECT_TIMEOUT, self.settings.AWS_READ_TIMEOUT = connect, read

    def drive(self, ticks: int) -> None:
        """Operations only: what observers see is seen by polls alone."""
        for _ in range(ticks):
            if work(self.dispatcher, sources=False) == 0:
                let_time_pass(sources=False)

    def submit(self, kind: str, **raw: Any) -> bool:
        """Whether it was accepted."""
        try:
            submit(kind, raw, principal_for(self.who), channel="api")
        except Problem:
            return False
        return True

    def cancel(self) -> None:
        operation = Operation.objects.filter(Operation.drivable(), parent=None).first()
        if operation is not None:
            try:
                cancel(operation, principal_for(self.who))
            except Problem:
                return

    def outside(self, service: str, operation: str, **params: Any) -> Any:
        """A call of somebody else's; what AWS refuses stays undone."""
        try:
            return cloud.connect("us-west-2").write(service, operation, **params).data
        except CloudError:
            return None

    def poll(self) -> bool:
        """One look of the observer, by the way a dispatcher and a worker take it. False when the cluster is not observed."""
        ObservedSource.objects.filter(key=CLUSTER).update(next_due_at=clock.now(), lease_owner="", lease_expires_at=None)
        source = ObservedSource.objects.filter(key=CLUSTER).first()
        if source is None:
            return False
        tasks: list[tuple[Any, ...]] = []
        with queue.using(lambda path, *args: tasks.append(args)):
            dispatch.dispatch(ObservedSource, source.pk, source.fencing_token)
        for args in tasks:
            observing.observe(int(args[0]), args[1])
        self.looks += 1
        return True

    def shown(self) -> dict[str, Any] | None:
        """The cluster as the API shows it, None for 404."""
        answer = self.client.get(f"/api/v1/clusters/{CLUSTER}/")
        if answer.status_code == 404:
            return None
        assert answer.status_code == 200, answer.content
        body: dict[str, Any] = json.loads(answer.content)
        return body
