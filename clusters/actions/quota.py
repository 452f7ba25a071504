"""quota.observe and quota.request_increase."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from accounts.principal import Principal
from clusters.actions.readable import readable
from clusters.catalog import reading
from clusters.models.quota import OPEN_REQUESTS, Quota
from clusters.region import Region
from clusters.spec import Input
from clusters.steps.quotas import LookAtQuotas, RequestIncrease, newest_request, open_request
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.problem import FieldError, Problem
from operations.action import Action, Verification, register
from operations.choices import Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step


class RegionInput(Input):
    """account: "" for that of the installation's own credentials."""

    region: Region
    account: Annotated[str, StringConstraints(pattern=r"^(\d{12})?$")] = ""


class IncreaseInput(RegionInput):
    """name: the quota's, word for word. value: the limit to ask for."""

    service: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,63}$")] = "sagemaker"
    quota: Annotated[str, Field(min_length=1, max_length=200)]
    value: Annotated[float, Field(gt=0, le=10_000_000)]


def connected(data: RegionInput) -> Aws:
    """AWS in that region and account. Problem 422 when the account that was named is not the one that is reached; CloudError."""
    aws = cloud.connect(data.region, data.account)
    if data.account and aws.identity().account != data.account:
        error = FieldError(
            "account", "unknown_account", f"The account {data.account} is not reached.", "Add it at /api/v1/accounts/, or leave it away."
        )
        raise Problem(422, "invalid_input", "Invalid input", error.detail, error.hint, errors=[error])
    return aws


@register
class ObserveQuotas(Action[RegionInput]):
    """Reads; so anybody may ask who may change something."""

    kind = "quota.observe"
    title = "Look at quotas"
    Input = RegionInput
    typical_seconds = 10

    def subject(self, data: RegionInput) -> tuple[str, str]:
        return "quotas", f"{data.account}/{data.region}" if data.account else data.region

    def cluster(self, data: RegionInput) -> str:
        return ""

    def account(self, data: RegionInput) -> str:
        return data.account

    def plan(self, data: RegionInput, principal: Principal) -> Plan:
        count = Quota.objects.filter(region=data.region).count()
        change = Change(resource_type="Quotas", name=data.region, action="update" if count else "create")
        return Plan(kind=self.kind, summary=f"Look at the quotas of {data.region}", changes=(change,), typical_seconds=10)

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = RegionInput.model_validate(operation.input)
        return [LookAtQuotas(data.region, data.account)]

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/quotas/?region={operation.input['region']}", "observed_at is younger than the operation")


@register
class RequestQuotaIncrease(Action[IncreaseInput]):
    """Done when AWS has the request; what becomes of it is seen with the quotas, hourly."""

    kind = "quota.request_increase"
    title = "Ask for a higher quota"
    Input = IncreaseInput
    typical_seconds = 15

    def subject(self, data: IncreaseInput) -> tuple[str, str]:
        return "quota", f"{data.account or 'own'}/{data.region}/{data.service}/{data.quota}"[:200]

    def cluster(self, data: IncreaseInput) -> str:
        return ""

    def account(self, data: IncreaseInput) -> str:
        return data.account

    def plan(self, data: IncreaseInput, principal: Principal) -> Plan:
        with readable():
            aws = connected(data)
            known = reading.quotas_now(aws, data.service)
            quota = known.get(data.quota)
            if quota is None:
                raise Problem(
                    404,
                    "quota_not_found",
                    "Quota not found",
                    f"Service Quotas lists no '{data.quota}' of {data.service} in {data.region}.",
                    "List the quotas to see their names.",
                )
            newest = newest_request(aws, data.service, quota.code)
        checks, asked = self._checks(data, quota, newest)
        enough = quota.value >= data.value or asked
        fields = () if enough else (FieldChange(field="limit", before=quota.value, after=data.value),)
        return Plan(
            kind=self.kind,
            summary=f"Ask AWS for {data.value:g} of '{data.quota}' in {data.region}",
            changes=(Change(resource_type="Quota", name=data.quota, action="none" if enough else "update", fields=fields),),
            checks=tuple(checks),
            typical_seconds=self.typical_seconds,
            irreversible=() if enough else (Irreversible(what="The request", why="AWS has no call that takes it back."),),
            basis={"code": quota.code, "limit": quota.value},
        )

    def _checks(self, data: IncreaseInput, quota: reading.Quota, newest: dict[str, Any] | None) -> tuple[list[Check], bool]:
        """The checks, and whether an open request asks for as much already."""
        title = "Quota"
        if quota.value >= data.value:
            detail = f"The limit is {quota.value:g} already."
            return [Check(code="quota_high_enough", severity=Severity.INFO, title=title, detail=detail, field="value")], False
        if not quota.adjustable:
            detail, fix = f"AWS does not change '{data.quota}' on request.", "Use another region or account, or less of it."
            return [Check(code="quota_fixed", severity=Severity.ERROR, title=title, detail=detail, fix=fix, field="quota")], False
        if newest is not None and newest["Status"] in OPEN_REQUESTS:
            if float(newest["DesiredValue"]) >= data.value:
                since = f"{newest['Created']:%Y-%m-%d %H:%M} UTC"
                detail = f"AWS has been asked for {newest['DesiredValue']:g} since {since}; the request is {newest['Status']}."
                return [Check(code="quota_request_pending", severity=Severity.INFO, title=title, detail=detail)], True
            return [Check.of(open_request(newest), title, "value")], False
        detail = f"The limit is {quota.value:g}. AWS decides within minutes to days, and may ask in a support case."
        return [Check(code="quota_request", severity=Severity.PASS, title=title, detail=detail)], False

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = IncreaseInput.model_validate(operation.input)
        code = operation.plan["basis"]["code"]
        return [RequestIncrease(data.region, data.account, data.service, code, data.value), LookAtQuotas(data.region, data.account)]

    def verify(self, operation: Operation) -> Verification:
        data = IncreaseInput.model_validate(operation.input)
        return Verification(f"/api/v1/quotas/?region={data.region}&name={data.quota}", f"requested is {data.value:g}")
