"""Clusters for the benchmarks, as an observer would have written them, and someone who changes them meanwhile."""

from __future__ import annotations

import random
import threading
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.models import User

SEED = 20261202


def clear() -> None:
    from clusters.models import Cluster

    Cluster.objects.all().delete()


def make(count: int, *, nodes: int = 4, first: int = 0) -> None:
    """`count` ready clusters with two instance groups and so many nodes each."""
    from django.db import transaction
    from django.utils import timezone

    from clusters import state
    from clusters.models import InstanceGroup
    from clusters.tests.rows import make_cluster

    at = timezone.now()
    with transaction.atomic():
        for number in range(first, first + count):
            row = make_cluster(
                f"fleet-{number:04d}", nodes=nodes, observed_at=at, endpoint="https://127.0.0.1:6443", kubernetes_version="1.36"
            )
            InstanceGroup.objects.create(
                cluster=row,
                name="trainers",
                instance_type="ml.p5.48xlarge",
                capacity="training-plan",
                status="InService",
                current_count=16,
                target_count=16,
                observed_at=at,
            )
            state.settle(row)


def trouble(name: str, *, every: int) -> None:
    """Every so-many-th node of the cluster is one that Kubernetes calls not ready."""
    from clusters.models import Node

    keys = list(Node.objects.filter(cluster__name=name).order_by("key").values_list("pk", flat=True))[::every]
    Node.objects.filter(pk__in=keys).update(ready=False)


def operator() -> User:
    from accounts.choices import Role
    from accounts.models import User

    user, _ = User.objects.get_or_create(username="bench", defaults={"role": Role.OPERATOR})
    return user


def operator_token() -> str:
    """The secret of a token of an operator, made for this run."""
    from accounts.actions import tokens
    from accounts.principals import principal_for

    _, secret = tokens.create(principal_for(operator()), name="bench", channel="api")
    return str(secret)


def operator_cookie() -> str:
    """The header of a browser in which that operator has signed in."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(operator())
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


class Changes:
    """Changes one cluster after another in a thread, as observers do, while the context lasts; `made` counts them."""

    def __init__(self, per_second: float) -> None:
        self.per_second = per_second
        self.made = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="changes", daemon=True)

    def __enter__(self) -> Changes:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join(30)

    def _run(self) -> None:
        from django.db import connection, transaction
        from django.utils import timezone

        from clusters import state
        from clusters.models import Cluster

        names = list(Cluster.objects.values_list("name", flat=True))
        dice = random.Random(SEED)
        try:
            while not self._stop.wait(1 / self.per_second):
                with transaction.atomic():
                    row = state.locked(dice.choice(names))
                    if row is not None:
                        before = state.shown(row)
                        row.observed_at = timezone.now()
                        row.groups.filter(name="workers").update(current_count=dice.randrange(1, 64))
                        state.settle(row, before)
                        self.made += 1
        finally:
            connection.close()
