"""pricing: HyperPod's instances on demand, in the shape of AWS's price list.

Usage types and attributes as the list has them ("USW2-Cluster:ml.p5.48xlarge", component "Cluster"). Prices that were surveyed are AWS's
(reference/aws.md §9); the others are made up from the size of the machine, always the same.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sandbox.aws import models
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.sagemaker import instance_types

SERVICE = "AmazonSageMaker"
PREFIXES = {
    "us-east-1": "USE1",
    "us-east-2": "USE2",
    "us-west-2": "USW2",
    "eu-west-1": "EU",
    "eu-central-1": "EUC1",
    "ap-northeast-1": "APN1",
}
SINCE = "2026-10-01T00:00:00Z"
_SURVEYED = {"ml.p4d.24xlarge": 25.91001756, "ml.p5.48xlarge": 66.048, "ml.p5en.48xlarge": 75.96, "ml.g5.8xlarge": 3.06}


@operation("pricing", "DescribeServices")
def describe_services(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("ServiceCode")
    if wanted not in (None, SERVICE):
        raise AWSError("InvalidParameterException", "Invalid service code, please check the input and retry")
    names = ["component", "instanceType", "regionCode", "usagetype", "vCpu"]
    return {"Services": [{"ServiceCode": SERVICE, "AttributeNames": names}], "FormatVersion": "aws_v1"}


@operation("pricing", "GetProducts")
def get_products(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    if params["ServiceCode"] != SERVICE:
        raise AWSError("InvalidParameterException", "Invalid service code, please check the input and retry")
    filters = [(item["Field"], item["Value"]) for item in params.get("Filters") or []]
    found = []
    asked = dict(filters).get("regionCode")
    for region in [one for one in PREFIXES if asked in (None, one)]:
        for name in models.service("sagemaker").shape_for("ClusterInstanceType").metadata["enum"]:
            product = _product(region, name)
            if all(product["product"]["attributes"].get(field) == value for field, value in filters):
                found.append(json.dumps(product))
    return {"FormatVersion": "aws_v1", "PriceList": found}


def _product(region: str, name: str) -> dict[str, Any]:
    sku = hashlib.sha256(f"{region}/{name}".encode()).hexdigest()[:16].upper()
    term, rate = f"{sku}.JRTCKXETXF", f"{sku}.JRTCKXETXF.6YS6EN2CT7"
    usage = f"{PREFIXES[region]}-Cluster:{name}"
    dollars = f"{_dollars(name):.10f}"
    return {
        "product": {
            "productFamily": "ML Instance",
            "sku": sku,
            "attributes": {
                "servicecode": SERVICE,
                "regionCode": region,
                "instanceType": f"{name}-Cluster",
                "instanceName": name,
                "component": "Cluster",
                "usagetype": usage,
                "vCpu": str(instance_types.facts(name).vcpus),
            },
        },
        "serviceCode": SERVICE,
        "terms": {
            "OnDemand": {
                term: {
                    "sku": sku,
                    "offerTermCode": "JRTCKXETXF",
                    "effectiveDate": SINCE,
                    "termAttributes": {},
                    "priceDimensions": {
                        rate: {
                            "rateCode": rate,
                            "unit": "Hrs",
                            "description": f"${dollars} per Hrs for {usage}",
                            "beginRange": "0",
                            "endRange": "Inf",
                            "appliesTo": [],
                            "pricePerUnit": {"USD": dollars},
                        }
                    },
                }
            }
        },
        "version": "20261001000000",
        "publicationDate": SINCE,
    }


def _dollars(name: str) -> float:
    if name in _SURVEYED:
        return _SURVEYED[name]
    facts = instance_types.facts(name)
    return round(0.06 * facts.vcpus + 4.0 * facts.accelerators, 4)
