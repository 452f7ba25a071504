"""What checkpointing pods may do in AWS, and back from a policy to the places it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clusters.features.role import Document
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow

OBJECTS = "Checkpoints"


def statements(spec: ResolvedSpec, places: Iterable[str]) -> list[Document]:
    """S3 on the named places only. CloudWatch limits PutMetricData to no resource."""
    objects, listings = [], []
    for number, place in enumerate(sorted(places)):
        bucket, _, prefix = place.strip("/").partition("/")
        arn = f"arn:{spec.partition}:s3:::{bucket}"
        objects.append(f"{arn}/{prefix}/*" if prefix else f"{arn}/*")
        condition = {"StringLike": {"s3:prefix": [prefix, f"{prefix}/*"]}} if prefix else None
        listings.append(allow(["s3:ListBucket"], arn, sid=f"List{number}", condition=condition))
    actions = ["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"]
    return [
        *listings,
        allow(actions, objects, sid=OBJECTS),
        allow(["cloudwatch:PutMetricData"], "*", sid="Metrics"),
    ]


def places(document: Mapping[str, Any] | None) -> list[str]:
    """The places that a policy of ours names; [] when it is none."""
    for statement in (document or {}).get("Statement", ()):
        if statement.get("Sid") == OBJECTS:
            resources = statement.get("Resource", [])
            found = [resources] if isinstance(resources, str) else list(resources)
            return [str(arn).split(":::", 1)[-1].removesuffix("/*") for arn in found]
    return []


def subject(trust: Mapping[str, Any], issuer: str) -> tuple[str, str] | None:
    """Namespace and name of the one service account that a trust names; None when it names none, or several."""
    for statement in trust.get("Statement", ()):
        condition = (statement.get("Condition") or {}).get("StringEquals") or {}
        who = condition.get(f"{issuer}:sub")
        if isinstance(who, str) and who.startswith("system:serviceaccount:") and who.count(":") == 3:
            _, _, namespace, account = who.split(":")
            return namespace, account
    return None
