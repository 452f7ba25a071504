"""Which service and region a request is for: by the scope of its credential, else by host, target or action."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.aws import models
from sandbox.aws.protocol.wire import Request
from sandbox.aws.sigv4 import Signature

# Signing name to botocore's service name, where they differ
_BY_SIGNING_NAME = {
    "servicequotas": "service-quotas",
    "tagging": "resourcegroupstaggingapi",
    "aps": "amp",
    "monitoring": "cloudwatch",
    "elasticloadbalancing": "elbv2",
    "api.pricing": "pricing",
    "states": "stepfunctions",
    "email": "ses",
    "elasticfilesystem": "efs",
    "ecr": "ecr",
}
# Unsigned calls and those whose signing name covers several services
_BY_TARGET = {
    "SageMaker": "sagemaker",
    "ServiceQuotasV20190624": "service-quotas",
    "Logs_20140328": "logs",
    "AWSPriceListService": "pricing",
    "ResourceGroupsTaggingAPI_20170126": "resourcegroupstaggingapi",
}
_BY_VERSION = {"2011-06-15": "sts", "2010-05-08": "iam", "2010-05-15": "cloudformation", "2016-11-15": "ec2"}
_HOST = re.compile(r"^(?P<service>[a-z0-9-]+)\.(?:(?P<region>[a-z]{2}(?:-[a-z]+)+-\d)\.)?(?:api\.aws|amazonaws\.com)")
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d+")
_VERSION = re.compile(rb"(?:^|&)Version=([0-9-]{10})(?:&|$)")


@dataclass(frozen=True)
class Target:
    service: str  # botocore's name, or the signing name if botocore has none
    region: str
    known: bool


def find(request: Request, claim: Signature | None, default_region: str) -> Target:
    region = claim.region if claim is not None and _REGION.fullmatch(claim.region) else default_region
    name = _service(request, claim)
    return Target(name, region, name in models.names())


def _service(request: Request, claim: Signature | None) -> str:
    prefix = request.header("x-amz-target").partition(".")[0]
    if prefix in _BY_TARGET:
        return _BY_TARGET[prefix]
    if claim is not None and claim.service:
        return _BY_SIGNING_NAME.get(claim.service, claim.service)
    host = _HOST.match(request.header("host"))
    if host is not None and host["service"] in models.names():
        return host["service"]
    found = _VERSION.search(request.body) or _VERSION.search(request.raw_query.encode())
    if found is not None and found[1].decode() in _BY_VERSION:
        return _BY_VERSION[found[1].decode()]
    return "s3"
