"""Which regions have a service, as botocore's own tables say; no call."""

from __future__ import annotations

import functools

import boto3.session


@functools.cache
def offered_regions(service: str, partition: str = "aws") -> frozenset[str]:
    """Names of the regions with an endpoint of the service."""
    return frozenset(boto3.session.Session().get_available_regions(service, partition_name=partition))
