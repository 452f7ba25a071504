"""service-quotas: asking for more. A request is pending, becomes a case, and is approved in time: the value then changes."""

from __future__ import annotations

import secrets
from typing import Any

from sandbox import timeline
from sandbox.agenda import agenda_handler
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.service_quotas.quotas import find
from sandbox.aws.service_quotas.values import set_value, value_of
from sandbox.durations import duration

_KIND = "_service-quotas.request"
_OPEN = ("PENDING", "CASE_OPENED")


@operation("service-quotas", "RequestServiceQuotaIncrease")
def request_service_quota_increase(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    quota = find(params)
    wanted = params["DesiredValue"]
    if not quota.adjustable:
        raise AWSError("IllegalArgumentException", f"The quota {quota.name} is not adjustable.")
    current = value_of(context, quota.service, quota.code) or 0.0
    if wanted <= current:
        raise AWSError(
            "IllegalArgumentException", f"You must provide a quota value greater than the current quota value. Current value: {current}"
        )
    if any(request["code"] == quota.code and _status(context, request) in _OPEN for request in _all(context)):
        raise AWSError("ResourceAlreadyExistsException", "Only one open service quota increase request is allowed per quota.")
    approved_at = context.now + duration("service-quotas.case") + duration("service-quotas.review")
    request = {
        "id": secrets.token_hex(16) + secrets.token_hex(4)[:8],
        "service": quota.service,
        "code": quota.code,
        "name": quota.name,
        "value": wanted,
        "requester": context.principal.arn,
        "created_at": context.timestamp,
        "timeline": timeline.begin(
            context.now,
            ("PENDING", duration("service-quotas.case")),
            ("CASE_OPENED", duration("service-quotas.review")),
            "APPROVED",
        ),
    }
    context.world.store.put(_KIND, context.scope, request["id"], request)
    context.schedule(approved_at, "service-quotas.approve", {"id": request["id"]})
    return {"RequestedQuota": _shown(context, request)}


@agenda_handler("service-quotas.approve")
def approve(context: Context, payload: dict[str, Any]) -> None:
    request = context.world.store.get(_KIND, context.scope, payload["id"])
    if request is not None:
        set_value(context, request["service"], request["code"], request["value"])


@operation("service-quotas", "GetRequestedServiceQuotaChange")
def get_requested_service_quota_change(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    request = context.world.store.get(_KIND, context.scope, params["RequestId"])
    if request is None:
        raise AWSError("NoSuchResourceException", "The request failed because the specified quota change request does not exist.")
    return {"RequestedQuota": _shown(context, request)}


@operation("service-quotas", "ListRequestedServiceQuotaChangeHistory")
def list_requested_service_quota_change_history(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"RequestedQuotas": _matching(context, params)}


@operation("service-quotas", "ListRequestedServiceQuotaChangeHistoryByQuota")
def list_requested_service_quota_change_history_by_quota(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    find(params)
    return {"RequestedQuotas": _matching(context, params)}


def _matching(context: Context, params: dict[str, Any]) -> list[dict[str, Any]]:
    service, code, status = params.get("ServiceCode"), params.get("QuotaCode"), params.get("Status")
    shown = [
        _shown(context, request)
        for request in reversed(_all(context))
        if service in (None, request["service"]) and code in (None, request["code"])
    ]
    return [request for request in shown if status in (None, request["Status"])]


def _all(context: Context) -> list[dict[str, Any]]:
    return context.world.store.list(_KIND, context.scope)


def _status(context: Context, request: dict[str, Any]) -> str:
    return timeline.status(request["timeline"], context.now)


def _shown(context: Context, request: dict[str, Any]) -> dict[str, Any]:
    status = _status(context, request)
    since = timeline.since(request["timeline"], context.now)
    quota = find({"ServiceCode": request["service"], "QuotaCode": request["code"]})
    shown = {
        "Id": request["id"],
        "ServiceCode": request["service"],
        "QuotaCode": request["code"],
        "QuotaName": request["name"],
        "DesiredValue": request["value"],
        "Status": status,
        "Created": request["created_at"],
        "LastUpdated": max(request["created_at"], context.world.clock.wall(since)),
        "Requester": f'{{"accountId":"{context.account}","callerArn":"{request["requester"]}"}}',
        "QuotaArn": f"arn:aws:servicequotas:{context.region}:{context.account}:{request['service']}/{request['code']}",
        "GlobalQuota": quota.everywhere,
        "Unit": "None",
        "QuotaRequestedAtLevel": "ACCOUNT",
    }
    if status != "PENDING":
        shown["CaseId"] = str(int(request["id"][:10], 16))
    return shown
