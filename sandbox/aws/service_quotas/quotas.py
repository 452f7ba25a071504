"""service-quotas: services and their quotas."""

from __future__ import annotations

from typing import Any

from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.service_quotas import catalog
from sandbox.aws.service_quotas.values import value_of


@operation("service-quotas", "ListServices")
def list_services(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Services": [{"ServiceCode": code, "ServiceName": name} for code, name in sorted(catalog.SERVICES.items())]}


@operation("service-quotas", "ListServiceQuotas")
def list_service_quotas(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    wanted = params.get("QuotaCode")
    found = [quota for quota in catalog.quotas(_service(params)) if wanted in (None, quota.code)]
    return {"Quotas": [shown(context, quota, applied=True) for quota in found]}


@operation("service-quotas", "GetServiceQuota")
def get_service_quota(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Quota": shown(context, find(params), applied=True)}


@operation("service-quotas", "ListAWSDefaultServiceQuotas")
def list_aws_default_service_quotas(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Quotas": [shown(context, quota, applied=False) for quota in catalog.quotas(_service(params))]}


@operation("service-quotas", "GetAWSDefaultServiceQuota")
def get_aws_default_service_quota(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Quota": shown(context, find(params), applied=False)}


def find(params: dict[str, Any]) -> catalog.Quota:
    quota = catalog.find(_service(params), params["QuotaCode"])
    if quota is None:
        raise AWSError("NoSuchResourceException", "The request failed because the specified service quota does not exist.")
    return quota


def shown(context: Context, quota: catalog.Quota, *, applied: bool) -> dict[str, Any]:
    value = value_of(context, quota.service, quota.code) if applied else quota.default
    return {
        "ServiceCode": quota.service,
        "ServiceName": catalog.SERVICES[quota.service],
        "QuotaArn": f"arn:aws:servicequotas:{context.region}:{context.account}:{quota.service}/{quota.code}"
        if applied
        else f"arn:aws:servicequotas:{context.region}::{quota.service}/{quota.code}",
        "QuotaCode": quota.code,
        "QuotaName": quota.name,
        "Value": value,
        "Unit": "None",
        "Adjustable": quota.adjustable,
        "GlobalQuota": quota.everywhere,
        "QuotaAppliedAtLevel": "ACCOUNT",
    }


def _service(params: dict[str, Any]) -> str:
    code = str(params["ServiceCode"])
    if code not in catalog.SERVICES:
        raise AWSError("NoSuchResourceException", "The request failed because the specified service does not exist.")
    return code
