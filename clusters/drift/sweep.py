"""The hourly round over all clusters, and the second one that reads what CloudFormation has found meanwhile."""

from __future__ import annotations

from datetime import timedelta

import structlog
from django_q.models import Schedule

from clusters.drift.look import look
from clusters.models import Cluster, ClusterStack
from instantstart.cloud.errors import CloudError
from operations import clock

log = structlog.get_logger(__name__)

FOLLOW_UP, FOLLOW_UP_AFTER = "clusters.drift.follow_up", timedelta(minutes=3)


def hourly() -> int:
    """Looks at every cluster. How many."""
    names = list(Cluster.objects.values_list("name", flat=True))
    looked = sum(_one(name) for name in names)
    if ClusterStack.objects.exclude(detection="").exists():
        Schedule.objects.filter(name=FOLLOW_UP).delete()
        Schedule.objects.create(
            name=FOLLOW_UP,
            func="clusters.drift.sweep.follow_up",
            schedule_type=Schedule.ONCE,
            next_run=clock.now() + FOLLOW_UP_AFTER,
        )
    return looked


def follow_up() -> int:
    """Looks again where CloudFormation was at work."""
    names = sorted(set(ClusterStack.objects.exclude(detection="").values_list("cluster__name", flat=True)))
    return sum(_one(name) for name in names)


def _one(name: str) -> bool:
    """One cluster's trouble is no other's."""
    try:
        look(name)
    except CloudError as error:
        log.warning("drift_unreadable", cluster=name, code=error.code)
        return False
    return True
