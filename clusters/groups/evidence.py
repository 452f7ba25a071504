"""Whether a reboot or a replacement happened: neither has a token, so only traces tell when the answer to the call was lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from clusters.groups.choice import GOING
from clusters.reading.hyperpod import InstanceReading, kubernetes_name
from clusters.reading.kubernetes import NodeReading
from clusters.reading.reader import ClusterReader

SKEW = timedelta(seconds=2)
"""How far AWS's clock and ours may be apart."""
REBOOT, REPLACE = re.compile(r"reboot", re.IGNORECASE), re.compile(r"replac", re.IGNORECASE)
PENDING_REBOOT, PENDING_REPLACEMENT = "UnschedulablePendingReboot", "UnschedulablePendingReplacement"


def instance(reader: ClusterReader, planned: Mapping[str, Any]) -> InstanceReading | None:
    """The instance that was meant, None when it is gone or goes."""
    return next((item for item in reader.instances if item.instance_id == planned["instance_id"] and item.status not in GOING), None)


def node(reader: ClusterReader, instance_id: str) -> NodeReading | None:
    """The Kubernetes node that the instance has become, None when Kubernetes does not know it."""
    return next((node for node in reader.nodes if node.name == kubernetes_name(instance_id)), None)


def boot_id(reader: ClusterReader, instance_id: str) -> str:
    """What Kubernetes calls the machine's present start, "" when it does not know the node."""
    found = node(reader, instance_id)
    return found.boot_id if found else ""


def health(reader: ClusterReader, instance_id: str) -> str:
    found = node(reader, instance_id)
    return found.health if found else ""


def last_told(reader: ClusterReader, instance_id: str, what: re.Pattern[str]) -> str:
    """When HyperPod last told of it in an event, "" when never: what the plan knew already is no trace of a call after it."""
    times = [event.at for event in reader.events if event.instance_id == instance_id and what.search(event.description)]
    return max(times).isoformat() if times else ""


def told(reader: ClusterReader, planned: Mapping[str, Any], since: datetime, what: re.Pattern[str]) -> bool:
    """Whether HyperPod told of it in an event since then."""
    last = last_told(reader, planned["instance_id"], what)
    return bool(last) and last != planned["told"] and datetime.fromisoformat(last) >= since - SKEW


def rebooted(reader: ClusterReader, planned: Mapping[str, Any], since: datetime) -> bool:
    """Whether there is a trace of a reboot since then: another start, a status or label of one under way, an event."""
    item = instance(reader, planned)
    if item is None:
        return False
    now = boot_id(reader, item.instance_id)
    if planned["boot_id"] and now and now != planned["boot_id"]:
        return True
    under_way = item.status == "Pending" or health(reader, item.instance_id) == PENDING_REBOOT != planned["health"]
    return under_way or told(reader, planned, since, REBOOT)


def replaced(reader: ClusterReader, planned: Mapping[str, Any], since: datetime) -> bool:
    """Whether there is a trace of a replacement since then: the instance gone, a label of one to come, an event."""
    item = instance(reader, planned)
    if item is None:
        return True
    return health(reader, item.instance_id) == PENDING_REPLACEMENT != planned["health"] or told(reader, planned, since, REPLACE)
