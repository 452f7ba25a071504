"""Looking at quotas, and asking AWS for more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from clusters.models.quota import OPEN_REQUESTS
from clusters.quotas.look import look
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from operations.choices import Category, StepState
from operations.step import Fault, Observation, Outcome, Step, StepContext

REFUSED = ("DENIED", "NOT_APPROVED", "INVALID_REQUEST")
SKEW = timedelta(minutes=5)
"""How far AWS's clock and ours may differ."""


class LookAtQuotas(Step):
    """Reads AWS and writes rows of ours alone: there is nothing outside to bring about."""

    name = "look"
    title = "Read quotas and what is in use"
    typical_seconds = 10

    def __init__(self, region: str, account: str) -> None:
        self.region, self.account = region, account

    def observe(self, context: StepContext) -> Observation:
        seen = look(self.region, self.account)
        left_out = f" {' '.join(seen.troubles)}" if seen.troubles else ""
        return Observation(StepState.READY, f"{seen.count} quotas of {seen.region} were read.{left_out}", {"count": seen.count})


class RequestIncrease(Step):
    """RequestServiceQuotaIncrease has no token, but AWS takes one open request for a quota at a time, and lists them."""

    name = "request"
    api = "servicequotas:RequestServiceQuotaIncrease"
    title = "Ask for more"
    typical_seconds = 5

    def __init__(self, region: str, account: str, service: str, code: str, value: float) -> None:
        self.region, self.account, self.service, self.code, self.value = region, account, service, code, value

    @property
    def aws(self) -> Aws:
        return cloud.connect(self.region, self.account)

    def observe(self, context: StepContext) -> Observation:
        newest = newest_request(self.aws, self.service, self.code)
        began = (context.intent_at or context.operation.created_at) - SKEW
        if newest is not None and (newest["Status"] in OPEN_REQUESTS or newest["Created"] >= began):
            facts = {"request": newest["Id"], "status": newest["Status"], "case": newest.get("CaseId", "")}
            if float(newest["DesiredValue"]) >= self.value:
                if newest["Status"] in REFUSED:
                    return Observation(StepState.FAILED, "AWS refused", facts, _refused(newest))
                return Observation(StepState.READY, f"AWS has the request: it is {newest['Status']}", facts)
            if newest["Status"] in OPEN_REQUESTS:
                return Observation(StepState.FAILED, "Another request is open", facts, open_request(newest))
        return Observation(StepState.ABSENT, "AWS has no such request")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write(
            "service-quotas",
            "request_service_quota_increase",
            ServiceCode=self.service,
            QuotaCode=self.code,
            DesiredValue=self.value,
        )
        return Outcome(reply.request_id, f"Asked AWS for {self.value:g}")


def newest_request(aws: Aws, service: str, code: str) -> dict[str, Any] | None:
    """The newest request for more of a quota. CloudError."""
    try:
        found = list(
            aws.pages(
                "service-quotas",
                "list_requested_service_quota_change_history_by_quota",
                "RequestedQuotas",
                ServiceCode=service,
                QuotaCode=code,
            )
        )
    except CloudError as error:
        if error.missing:
            return None
        raise
    return max(found, key=lambda item: item["Created"], default=None)


def open_request(request: dict[str, Any]) -> Fault:
    """AWS takes one request for a quota at a time."""
    return Fault(
        "quota_request_open",
        f"AWS has an open request for {request['DesiredValue']:g} already ({request['Status']}), and takes one at a time.",
        "Wait until AWS has decided about it, or ask for as much in its support case.",
        Category.TERMINAL,
    )


def _refused(request: dict[str, Any]) -> Fault:
    case = f" Its case is {request['CaseId']}." if request.get("CaseId") else ""
    return Fault(
        "quota_refused",
        f"AWS refused {request['DesiredValue']:g} ({request['Status']}).{case}",
        "Answer in the support case what the capacity is for, or ask for less.",
        Category.TERMINAL,
    )
