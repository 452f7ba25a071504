"""Conditions, and the NodeClaim that stands for a node that was asked for."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Mapping
from typing import Any

from sandbox.kube.controllers.karpenter.amounts import Amounts, numbers, shown
from sandbox.kube.controllers.karpenter.names import (
    CAPACITY_LABEL,
    CORE_API,
    FINALIZER,
    GROUP_LABEL,
    LOGICAL_ID,
    NODE_CLAIM,
    NODE_POOL,
    POOL_LABEL,
    TYPE_LABEL,
    ZONE_LABEL,
)
from sandbox.kube.controllers.karpenter.offerings import Offering
from sandbox.kube.protocol import Manifest

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_DEFAULT_EXPIRY = "720h"

Condition = tuple[str, str, str, str]  # type, status, reason, message


def condition(item: Manifest, kind: str) -> str:
    """Its status, "" when it is not there."""
    return next((str(one["status"]) for one in ((item.get("status") or {}).get("conditions") or []) if one["type"] == kind), "")


def conditions(item: Manifest, wanted: list[Condition]) -> list[dict[str, Any]]:
    """As they are to be, each with the moment it last changed."""
    before = {one["type"]: one for one in ((item.get("status") or {}).get("conditions") or [])}
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = []
    for kind, status, reason, message in wanted:
        old = before.get(kind)
        since = old["lastTransitionTime"] if old is not None and old["status"] == status else now
        generation = item["metadata"].get("generation", 1)
        one = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}
        found.append({**one, "observedGeneration": generation})
    return found


def ready(parts: list[Condition]) -> Condition:
    """The sum of the others."""
    lacking = next((one for one in parts if one[1] != "True"), None)
    if lacking is None:
        return "Ready", "True", "Ready", ""
    return "Ready", "False" if lacking[1] == "False" else "Unknown", "UnhealthyDependents", f"{lacking[0]}={lacking[1]}"


def node_claim(pool: Manifest, offering: Offering, wanted: Amounts) -> Manifest:
    """Of the pool, for one node of one offering; `wanted` is what the pods that it is made for ask of it."""
    name, template = pool["metadata"]["name"], pool["spec"]["template"]
    placed = {TYPE_LABEL: offering.instance_type, ZONE_LABEL: offering.zone, GROUP_LABEL: offering.group}
    spec = template["spec"]
    return {
        "apiVersion": CORE_API,
        "kind": NODE_CLAIM,
        "metadata": {
            "name": f"{name}-{''.join(secrets.choice(_ALPHABET) for _ in range(5))}",
            "labels": {
                **(template.get("metadata") or {}).get("labels", {}),
                POOL_LABEL: name,
                CAPACITY_LABEL: offering.labels[CAPACITY_LABEL],
                **placed,
            },
            "finalizers": [FINALIZER],
            "ownerReferences": [
                {
                    "apiVersion": CORE_API,
                    "kind": NODE_POOL,
                    "name": name,
                    "uid": pool["metadata"]["uid"],
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "nodeClassRef": spec["nodeClassRef"],
            "requirements": [{"key": key, "operator": "In", "values": [value]} for key, value in placed.items()],
            "resources": {"requests": shown(wanted)},
            "expireAfter": spec.get("expireAfter", _DEFAULT_EXPIRY),
            **{member: spec[member] for member in ("taints", "startupTaints", "terminationGracePeriod") if spec.get(member)},
        },
    }


def logical_id(claim: Manifest) -> str:
    return str((claim["metadata"].get("annotations") or {}).get(LOGICAL_ID, ""))


def going(item: Manifest) -> bool:
    return bool(item["metadata"].get("deletionTimestamp"))


def pool_of(claim: Manifest) -> str:
    return str(claim["metadata"].get("labels", {}).get(POOL_LABEL, ""))


def wanted_of(claim: Manifest) -> Amounts:
    return numbers((claim["spec"].get("resources") or {}).get("requests"))


def labels_of(item: Mapping[str, Any]) -> Mapping[str, str]:
    return item["metadata"].get("labels") or {}
