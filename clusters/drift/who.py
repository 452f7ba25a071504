"""Who changed it: CloudTrail's events of the calls that can have, without those that we sent ourselves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clusters.drift import fields
from clusters.models import Drift
from instantstart.cloud.aws import Aws
from operations.models.intent import Intent

HYPERPOD = "sagemaker.amazonaws.com"
EKS = "eks.amazonaws.com"
COUNTS = ("BatchAddClusterNodes", "BatchDeleteClusterNodes", "UpdateCluster")
ADDONS = ("CreateAddon", "UpdateAddon", "DeleteAddon")
EVENTS_PER_NAME = 50
"""The newest: a page. What lies further back than fifty calls of one name is not looked for."""


@dataclass(frozen=True)
class Deed:
    """One call that somebody made."""

    event_id: str
    name: str
    at: datetime
    username: str
    arn: str
    request_id: str
    parameters: Mapping[str, Any]
    source: str


class Trail:
    """CloudTrail of one region, each name asked for once. Raises CloudError where it can't be read."""

    def __init__(self, aws: Aws) -> None:
        self._aws = aws
        self._kept: dict[tuple[str, str], list[Deed]] = {}

    def _by(self, key: str, value: str) -> list[Deed]:
        if (key, value) not in self._kept:
            asked = [{"AttributeKey": key, "AttributeValue": value}]
            reply = self._aws.read("cloudtrail", "lookup_events", LookupAttributes=asked, MaxResults=EVENTS_PER_NAME)
            self._kept[key, value] = list(_foreign(reply.get("Events", ())))
        return self._kept[key, value]

    def author(self, drift: Drift, cluster: Collection[str], since: datetime | None) -> Deed | None:
        """The newest call by another hand that touched the field, after `since`; None while CloudTrail tells none.

        cluster: all that calls may name it by.
        """
        if drift.source == "stack":
            deeds = self._by("ResourceName", drift.physical_id) if drift.physical_id else []
            return next((deed for deed in deeds if since is None or deed.at >= since), None)
        for name in _names(drift):
            for deed in self._by("EventName", name):
                if (since is None or deed.at >= since) and _touches(deed, drift, cluster):
                    return deed
        return None


def _names(drift: Drift) -> tuple[str, ...]:
    if drift.resource.startswith(fields.FEATURE):
        return ("UpdateCluster",) if drift.resource == fields.feature("tiered_checkpointing") else ADDONS
    return COUNTS if drift.field == "count" else ("UpdateCluster",)


def _touches(deed: Deed, drift: Drift, cluster: Collection[str]) -> bool:
    given = deed.parameters
    named = str(given.get("clusterName") or given.get("name") or "")
    if not named or named not in cluster:
        return False
    if drift.resource.startswith(fields.FEATURE):
        if deed.source == HYPERPOD:
            return "tieredStorageConfig" in given
        return deed.source == EKS and str(given.get("addonName", "")) in _addons(drift)
    if deed.source != HYPERPOD:
        return False
    if drift.resource == fields.CLUSTER:
        return {fields.NODE_RECOVERY: "nodeRecovery", fields.PROVISIONING: "nodeProvisioningMode"}.get(drift.field, "") in given
    group = drift.resource.removeprefix(fields.GROUP)
    if deed.name == "BatchDeleteClusterNodes":
        return True  # it names nodes, not their group
    groups = [one.get("instanceGroupName") for one in (*(given.get("instanceGroups") or ()), *(given.get("nodesToAdd") or ()))]
    return group in groups or group in (given.get("instanceGroupsToDelete") or ())


def _addons(drift: Drift) -> set[str]:
    name = drift.resource.removeprefix(fields.FEATURE)
    row = drift.cluster.features.filter(name=name).first()
    return {str(part["name"]) for part in (row.parts if row else ())}


def _foreign(events: Iterable[Mapping[str, Any]]) -> Iterator[Deed]:
    deeds = [deed for event in events if (deed := _deed(event)) is not None]
    ours = set(Intent.objects.filter(request_id__in=[deed.request_id for deed in deeds]).values_list("request_id", flat=True))
    yield from (deed for deed in deeds if deed.request_id not in ours)


def _deed(event: Mapping[str, Any]) -> Deed | None:
    """None for a call that was refused: it changed nothing."""
    whole = json.loads(event.get("CloudTrailEvent") or "{}")
    if whole.get("errorCode"):
        return None
    return Deed(
        event_id=event.get("EventId", ""),
        name=event.get("EventName", ""),
        at=event["EventTime"],
        username=event.get("Username", ""),
        arn=(whole.get("userIdentity") or {}).get("arn", ""),
        request_id=whole.get("requestID", ""),
        parameters=whole.get("requestParameters") or {},
        source=event.get("EventSource", ""),
    )
