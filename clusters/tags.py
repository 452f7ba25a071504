"""The tags and labels by which our objects are known: how orphans are found and what a delete may touch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

CLUSTER = "instantstart:cluster"
OPERATION = "instantstart:operation"
SPEC = "instantstart:spec"
ADOPTED = "instantstart:adopted"
"""Tells a cluster that was imported and adopted from one that InstantStart made: nothing of it may be deleted for its tags."""

LABEL_CLUSTER = "instantstart.dev/cluster"
"""Kubernetes allows no colon in a label's key, so labels and annotations carry a domain."""
LABEL_OPERATION = "instantstart.dev/operation"
ANNOTATION_SPEC = "instantstart.dev/spec"


def digest(document: Any) -> str:
    """Short digest of a JSON-able document: the value of the `spec` tag."""
    return hashlib.sha256(json.dumps(document, sort_keys=True, default=str).encode()).hexdigest()[:16]


def tags(cluster: str, operation: str, spec: Any, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Tags of everything made for a cluster by an operation; the person's own tags never win over ours."""
    return {**(extra or {}), CLUSTER: cluster, OPERATION: operation, SPEC: digest(spec)}


def as_list(values: Mapping[str, str]) -> list[dict[str, str]]:
    """The [{Key, Value}] form of CloudFormation, SageMaker, EC2 and IAM."""
    return [{"Key": key, "Value": value} for key, value in sorted(values.items())]


def as_dict(values: Iterable[Mapping[str, str]] | None) -> dict[str, str]:
    """Back from [{Key, Value}]."""
    return {item["Key"]: item["Value"] for item in values or ()}


def labels(cluster: str, operation: str) -> dict[str, str]:
    """Labels of Kubernetes objects."""
    return {LABEL_CLUSTER: cluster, LABEL_OPERATION: operation, "app.kubernetes.io/managed-by": "instantstart"}
