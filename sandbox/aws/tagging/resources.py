"""resourcegroupstaggingapi: resources by tag over all services, tags by resource."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.tagging.providers import Tagged, changer, everything

_SERVICE = "resourcegroupstaggingapi"


@operation(_SERVICE, "GetResources")
def get_resources(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    types, arns = params.get("ResourceTypeFilters"), params.get("ResourceARNList")
    if arns and (types or params.get("TagFilters")):
        raise AWSError("InvalidParameterException", "ResourceARNList cannot be combined with other filters.")
    found = [
        resource
        for resource in everything(context)
        if (resource.tags or arns)
        and (not arns or resource.arn in arns)
        and (not types or any(_is_type(resource, wanted) for wanted in types))
        and all(_has(resource, tag) for tag in params.get("TagFilters", []))
    ]
    return {
        "ResourceTagMappingList": [
            {"ResourceARN": resource.arn, "Tags": [{"Key": key, "Value": value} for key, value in resource.tags.items()]}
            for resource in found
        ]
    }


@operation(_SERVICE, "GetTagKeys")
def get_tag_keys(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"TagKeys": sorted({key for resource in everything(context) for key in resource.tags})}


@operation(_SERVICE, "GetTagValues")
def get_tag_values(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    key = params["Key"]
    return {"TagValues": sorted({resource.tags[key] for resource in everything(context) if key in resource.tags})}


@operation(_SERVICE, "TagResources")
def tag_resources(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _each(context, params, lambda found, arn: found[0](context, arn, params["Tags"]))


@operation(_SERVICE, "UntagResources")
def untag_resources(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _each(context, params, lambda found, arn: found[1](context, arn, params["TagKeys"]))


def _each(context: Context, params: dict[str, Any], change: Any) -> dict[str, Any]:
    """One resource after another; those that fail are told, the others are done."""
    failed: dict[str, Any] = {}
    for arn in params["ResourceARNList"]:
        parts = arn.split(":", 5)
        found = changer(parts[2]) if len(parts) == 6 else None
        if found is None:
            failed[arn] = _failure(400, "InvalidParameterException", f"{arn} is not a resource that can be tagged.")
            continue
        try:
            change(found, arn)
        except AWSError as error:
            failed[arn] = _failure(error.status, "InvalidParameterException", error.message)
    return {"FailedResourcesMap": failed}


def _failure(status: int, code: str, message: str) -> dict[str, Any]:
    return {"StatusCode": status, "ErrorCode": code, "ErrorMessage": message}


def _is_type(resource: Tagged, wanted: str) -> bool:
    return resource.type == wanted or resource.type.partition(":")[0] == wanted or (wanted == "s3" and resource.type == "s3:bucket")


def _has(resource: Tagged, tag: dict[str, Any]) -> bool:
    key, values = tag.get("Key"), tag.get("Values", [])
    return key in resource.tags and (not values or resource.tags[key] in values)
