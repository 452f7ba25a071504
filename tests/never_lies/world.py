"""What the oracle knows of the world: everything from `/_sandbox/`, nothing from the product and nothing from AWS's own answers."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

ACCOUNT, REGION = "123456789012", "us-west-2"
AWS_KINDS = "cloudformation.stack,eks.cluster,eks.access-entry,eks.addon,sagemaker.cluster,sagemaker.node"
KUBERNETES_KINDS = "v1/Node,v1/PersistentVolume,v1/PersistentVolumeClaim,v1/Secret,apps/v1/Deployment,apps/v1/DaemonSet"


@dataclass
class World:
    """One moment. kubernetes: objects by apiVersion/kind, None while there is no cluster that could have any."""

    aws: dict[str, list[dict[str, Any]]]
    kubernetes: dict[str, list[dict[str, Any]]] | None
    faults: list[dict[str, Any]]

    def moment(self) -> tuple[Any, ...]:
        """Two looks with the same one saw a world in which nothing had happened between them."""
        objects = [
            (one["metadata"]["uid"], _readiness(one) if kind == "v1/Node" else one["metadata"]["resourceVersion"])
            for kind, found in (self.kubernetes or {}).items()
            for one in found
        ]
        return self.aws, sorted(objects, key=str)

    def one(self, kind: str, **members: Any) -> dict[str, Any] | None:
        return next((row for row in self.aws[kind] if all(row.get(key) == value for key, value in members.items())), None)

    def objects(self, kind: str) -> list[dict[str, Any]]:
        return (self.kubernetes or {}).get(kind, [])


def _readiness(node: dict[str, Any]) -> tuple[str, str]:
    """Since when a node is Ready, or not: heartbeats change its version without a change of anything."""
    for one in (node.get("status") or {}).get("conditions") or ():
        if one["type"] == "Ready":
            return one["status"], one["lastTransitionTime"]
    return "", ""


class Peephole:
    """One kept connection to the sandbox's control API."""

    def __init__(self, endpoint: str) -> None:
        self._address = urlsplit(endpoint).netloc
        self._connection = http.client.HTTPConnection(self._address, timeout=60)

    def get(self, path: str, **query: str) -> Any:
        target = f"/_sandbox/{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            self._connection.request("GET", target)
            answer = self._connection.getresponse()
        except (http.client.HTTPException, ConnectionError):
            self._connection.close()  # the server ends connections that were quiet for long
            self._connection.request("GET", target)
            answer = self._connection.getresponse()
        said = json.loads(answer.read())
        return said if answer.status == 200 else None

    def faults(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get("faults")["faults"]
        return found

    def look(self, cluster: str) -> World:
        aws: dict[str, list[dict[str, Any]]] = {kind: [] for kind in AWS_KINDS.split(",")}
        for row in self.get("state", kind=AWS_KINDS)["state"]:
            if row["scope"] == f"{ACCOUNT}/{REGION}":
                aws[row["kind"]].append(row["value"])
        faults = self.faults()
        eks = next((row for row in aws["eks.cluster"] if row["name"] == cluster), None)
        objects = None
        if eks is not None and eks["status"] in ("ACTIVE", "UPDATING"):
            said = self.get("kubernetes", cluster=f"{ACCOUNT}/{REGION}/{cluster}", kind=KUBERNETES_KINDS)
            objects = said["objects"] if said else None
        return World(aws, objects, faults)
