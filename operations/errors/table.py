"""The table: service by service, and what all AWS services have in common."""

from __future__ import annotations

import re
from functools import cache

from operations.errors import (
    aws_common,
    cloudformation,
    cloudtrail,
    ec2,
    eks,
    helm,
    iam,
    kubernetes,
    logs,
    pricing,
    s3,
    sagemaker,
    service_quotas,
    sts,
    tagging,
)
from operations.errors.entry import Entry

SERVICES: dict[str, tuple[Entry, ...]] = {
    "sts": sts.ENTRIES,
    "iam": iam.ENTRIES,
    "ec2": ec2.ENTRIES,
    "cloudformation": cloudformation.ENTRIES,
    "eks": eks.ENTRIES,
    "sagemaker": sagemaker.ENTRIES,
    "s3": s3.ENTRIES,
    "service-quotas": service_quotas.ENTRIES,
    "logs": logs.ENTRIES,
    "cloudtrail": cloudtrail.ENTRIES,
    "pricing": pricing.ENTRIES,
    "resourcegroupstaggingapi": tagging.ENTRIES,
    "kubernetes": kubernetes.ENTRIES,
    "helm": helm.ENTRIES,
}
"""By the gateways' names of services. Of two rows with one code the first whose pattern fits holds."""

NOT_AWS = frozenset({"kubernetes", "helm"})


def find(service: str, code: str, message: str = "") -> Entry | None:
    """The first row of the service that fits, else of what AWS services have in common, else None."""
    for entry in (*SERVICES.get(service, ()), *(() if service in NOT_AWS else aws_common.ENTRIES)):
        if entry.code == code and (not entry.pattern or _compiled(entry.pattern).search(message)):
            return entry
    return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
