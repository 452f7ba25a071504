"""Helm releases as the cluster keeps them: secrets of type helm.sh/release.v1, one a revision.

Reading them takes one call to the API (about 10 ms) instead of a process of Helm's, so that observers can afford it.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import hashlib
import json
import zlib
from dataclasses import dataclass, field
from typing import Any

from instantstart.kube import errors
from instantstart.kube.client import Kube
from instantstart.kube.errors import KubeError

PENDING = frozenset({"pending-install", "pending-upgrade", "pending-rollback", "uninstalling"})
"""Statuses of a release that a Helm process is at work on, or that died at it."""


@dataclass(frozen=True)
class Release:
    """The newest revision of a release.

    status: "deployed", "failed", "superseded", "uninstalled" or one of PENDING. updated: ISO time of the last change.
    values_digest: of the values given by its user (see digest()). description: Helm's last sentence, the error if it failed.
    """

    name: str
    namespace: str
    revision: int
    status: str
    chart: str
    version: str
    app_version: str
    updated: str
    values_digest: str
    description: str = ""
    values: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def pending(self) -> bool:
        return self.status in PENDING


def digest(values: dict[str, Any]) -> str:
    """The same for equal values, whatever the order of their keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


def newest(kube: Kube, name: str, namespace: str) -> Release | None:
    """The release's newest revision, None when it has none. KubeError."""
    found = releases(kube, namespace=namespace, name=name)
    return found[0] if found else None


def releases(kube: Kube, *, namespace: str = "", name: str = "") -> list[Release]:
    """The newest revision of every release, by namespace and name. KubeError."""
    labels = "owner=helm" + (f",name={name}" if name else "")
    secrets = kube.list("v1", "Secret", namespace=namespace, labels=labels, fields="type=helm.sh/release.v1")
    latest: dict[tuple[str, str], dict[str, Any]] = {}
    for secret in secrets:
        metadata = secret["metadata"]
        key = (str(metadata["namespace"]), str(metadata["labels"]["name"]))
        if key not in latest or _revision(secret) > _revision(latest[key]):
            latest[key] = secret
    return [_decoded(latest[key]) for key in sorted(latest)]


def _revision(secret: dict[str, Any]) -> int:
    return int(secret["metadata"]["labels"].get("version", "0"))


def _decoded(secret: dict[str, Any]) -> Release:
    metadata = secret["metadata"]
    try:
        packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
        kept = json.loads(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
    except (KeyError, ValueError, binascii.Error, OSError, EOFError, zlib.error) as error:
        message = f"The Helm release kept in the secret {metadata['namespace']}/{metadata['name']} can't be read: {error}"
        raise KubeError("GET secrets", errors.UNREADABLE_REPLY, message, 200, sent=True) from error
    chart = (kept.get("chart") or {}).get("metadata") or {}
    info = kept.get("info") or {}
    values = kept.get("config") or {}
    return Release(
        name=str(kept.get("name", metadata["labels"]["name"])),
        namespace=str(metadata["namespace"]),
        revision=int(kept.get("version", 0)),
        status=str(info.get("status", "unknown")),
        chart=str(chart.get("name", "")),
        version=str(chart.get("version", "")),
        app_version=str(chart.get("appVersion", "")),
        updated=str(info.get("last_deployed", "")),
        values_digest=digest(values),
        description=str(info.get("description", "")),
        values=values,
    )
