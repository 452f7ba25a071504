"""training_plan.purchase: the one action that spends money at once, and that nothing takes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from accounts.choices import Role
from accounts.principal import Principal
from clusters.actions.quota import RegionInput, connected
from clusters.actions.readable import readable
from clusters.catalog import quotas, reading
from clusters.steps.training_plans import BuyTrainingPlan, taken
from clusters.training_plans.offers import LONGEST_DAYS, Offer, Wish, search
from operations.action import Action, Verification, register
from operations.choices import Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Irreversible, Plan
from operations.step import Step

GONE = ("Expired", "Failed")


class PurchaseInput(RegionInput):
    """The offer with the search that found it, the price that was seen, and the name of the plan twice."""

    plan: Annotated[str, StringConstraints(pattern=r"^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,63}$")]
    offering: Annotated[str, Field(min_length=1, max_length=63)]
    instance_type: Annotated[str, StringConstraints(pattern=r"^ml\.[a-z0-9.-]+$", max_length=64)]
    count: Annotated[int, Field(ge=1, le=256)]
    hours: Annotated[int, Field(ge=1, le=LONGEST_DAYS * 24)]
    starts_after: AwareDatetime | None = None
    ends_before: AwareDatetime | None = None
    fee: Annotated[str, StringConstraints(pattern=r"^\d+(\.\d+)?$", max_length=32)]
    confirm: str = ""

    @property
    def wish(self) -> Wish:
        return Wish(self.instance_type, self.count, self.hours, self.starts_after, self.ends_before)


@register
class PurchaseTrainingPlan(Action[PurchaseInput]):
    """Destructive by its effect on the account's money: an agent's purchase waits for a person, and only admins buy."""

    kind = "training_plan.purchase"
    title = "Buy a training plan"
    permission = Role.ADMIN
    risk = Risk.DESTRUCTIVE
    Input = PurchaseInput
    typical_seconds = 60
    cancellable = False

    def subject(self, data: PurchaseInput) -> tuple[str, str]:
        return "training-plan", f"{data.account or 'own'}/{data.region}/{data.plan}"

    def cluster(self, data: PurchaseInput) -> str:
        return ""

    def account(self, data: PurchaseInput) -> str:
        return data.account

    def plan(self, data: PurchaseInput, principal: Principal) -> Plan:
        with readable():
            aws = connected(data)
            offer = next((one for one in search(aws, data.wish) if one.id == data.offering), None)
            plans = reading.training_plans_now(aws)
            limits = reading.quotas(aws, "sagemaker").value
        rows = [*_confirmed(data), *_named(data, plans), *_offered(data, offer), *_limits(data, plans, limits)]
        price = offer.price if offer is not None else f"{data.fee} USD"
        fields = {
            "instances": f"{data.count} × {data.instance_type}",
            "zone": ", ".join(offer.zones) if offer else None,
            "starts": _moment(offer.starts) if offer else None,
            "ends": _moment(offer.ends) if offer else None,
            "upfront_fee": price,
        }
        return Plan(
            kind=self.kind,
            summary=f"Buy the training plan {data.plan} for {price}: {data.count} × {data.instance_type} for {data.hours} hours",
            changes=(
                Change(
                    resource_type="AWS::SageMaker::TrainingPlan",
                    name=data.plan,
                    action="create",
                    fields=tuple(FieldChange(field=name, after=value) for name, value in fields.items()),
                ),
            ),
            checks=tuple(rows),
            cost_per_hour=0.0,  # paid in advance: the run rate does not change
            typical_seconds=self.typical_seconds,
            irreversible=(
                Irreversible(what=f"The payment of {price}", why="A training plan is paid in advance; AWS neither cancels nor changes it."),
            ),
            basis={"offering": data.offering, "fee": offer.fee if offer else None},
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        data = PurchaseInput.model_validate(operation.input)
        return [BuyTrainingPlan(data.region, data.account, data.plan, data.offering)]

    def verify(self, operation: Operation) -> Verification:
        data = PurchaseInput.model_validate(operation.input)
        where = f"region={data.region}" + (f"&account={data.account}" if data.account else "")
        return Verification(f"/api/v1/catalog/training-plans/?{where}", f"results have {data.plan}")


def _confirmed(data: PurchaseInput) -> Iterator[Check]:
    if data.confirm != data.plan:
        yield Check(
            code="confirmation_missing",
            severity=Severity.ERROR,
            title="Confirmation",
            detail="A purchase needs the plan's name typed once more.",
            fix=f'Send confirm: "{data.plan}".',
            field="confirm",
        )


def _named(data: PurchaseInput, plans: list[reading.TrainingPlan]) -> Iterator[Check]:
    if any(plan.name == data.plan for plan in plans):
        yield Check.of(taken(data.plan), "Name", "plan")


def _offered(data: PurchaseInput, offer: Offer | None) -> Iterator[Check]:
    title = "Offer"
    if offer is None:
        yield Check(
            code="offer_gone",
            severity=Severity.ERROR,
            title=title,
            detail=f"AWS does not offer {data.offering} for this search any more.",
            fix="Search again: offers change within minutes.",
            field="offering",
        )
    elif float(offer.fee) != float(data.fee):
        yield Check(
            code="offer_price_changed",
            severity=Severity.ERROR,
            title=title,
            detail=f"The offer costs {offer.price} now, and {float(data.fee):,.2f} was agreed.",
            fix=f"Agree to {offer.fee}, or search again.",
            field="fee",
        )
    else:
        dates = f"from {_moment(offer.starts)} to {_moment(offer.ends)}" if offer.starts and offer.ends else f"for {offer.hours} hours"
        where = ", ".join(offer.zones) or "a zone that AWS does not tell"
        hourly = f", {offer.per_instance_hour:,.2f} an instance and hour" if offer.per_instance_hour else ""
        yield Check(
            code="offer",
            severity=Severity.PASS,
            title=title,
            detail=f"{dates}, in {where}, for {offer.price} in advance{hourly}.".capitalize(),
        )


def _limits(data: PurchaseInput, plans: list[reading.TrainingPlan], limits: dict[str, reading.Quota]) -> Iterator[Check]:
    alive = [plan for plan in plans if plan.status not in GONE]
    reserved = sum(plan.total for plan in alive if data.instance_type in plan.instance_types)
    wanted = ((quotas.TRAINING_PLANS, len(alive), 1), (quotas.reserved(data.instance_type), reserved, data.count))
    for name, used, more in wanted:
        quota = limits.get(name)
        if quota is not None and used + more > quota.value:
            yield Check(
                code="quota_too_low",
                severity=Severity.ERROR,
                title="Quotas",
                detail=f"The quota '{name}' is {quota.value:g}, {used} in use, and {more} more are asked for.",
                fix=f"Ask for {used + more} at /quotas/, or buy less.",
                field="count",
            )


def _moment(moment: datetime | None) -> str | None:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else None
