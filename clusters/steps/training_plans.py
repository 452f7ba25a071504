"""Buying a training plan: one call without a client token, told apart by the plan's name and our tag on it."""

from __future__ import annotations

from clusters import tags
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from operations.choices import Category, StepState
from operations.step import Fault, Observation, Outcome, Step, StepContext


class BuyTrainingPlan(Step):
    """A name is there once in an account and region, so the same call sent twice buys one plan."""

    name = "buy"
    api = "sagemaker:CreateTrainingPlan"
    title = "Buy the training plan"
    typical_seconds = 60

    def __init__(self, region: str, account: str, plan: str, offering: str) -> None:
        self.region, self.account, self.plan, self.offering = region, account, plan, offering

    @property
    def aws(self) -> Aws:
        return cloud.connect(self.region, self.account)

    def observe(self, context: StepContext) -> Observation:
        try:
            found = self.aws.read("sagemaker", "describe_training_plan", TrainingPlanName=self.plan)
        except CloudError as error:
            if error.missing or error.code == "ResourceNotFound":
                return Observation(StepState.ABSENT, f"There is no training plan {self.plan}")
            raise
        arn, status = str(found["TrainingPlanArn"]), str(found["Status"])
        ours = tags.as_dict(self.aws.pages("sagemaker", "list_tags", "Tags", ResourceArn=arn)).get(tags.OPERATION)
        if ours != context.operation.pk.hex:
            return Observation(StepState.FAILED, "The name is taken", {"arn": arn}, taken(self.plan))
        if status == "Failed":
            return Observation(
                StepState.FAILED, "AWS could not make it", {"arn": arn}, _failed(self.plan, str(found.get("StatusMessage", "")))
            )
        if status == "Pending":
            return Observation(StepState.PENDING, f"AWS prepares {self.plan}: it is Pending until it is paid", {"arn": arn})
        return Observation(
            StepState.READY, f"{self.plan} is {status}", {"arn": arn, "status": status, "fee": str(found.get("UpfrontFee", ""))}
        )

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write(
            "sagemaker",
            "create_training_plan",
            TrainingPlanName=self.plan,
            TrainingPlanOfferingId=self.offering,
            Tags=tags.as_list({tags.OPERATION: context.operation.pk.hex}),
        )
        return Outcome(reply.request_id, f"Bought {self.plan}")


def taken(name: str) -> Fault:
    """The name belongs to a plan that this operation did not buy."""
    return Fault(
        "training_plan_name_taken",
        f"There is a training plan {name} already.",
        "Choose another name; nothing was bought.",
        Category.TERMINAL,
    )


def _failed(name: str, why: str) -> Fault:
    return Fault(
        "training_plan_failed",
        f"AWS could not make {name}: {why or 'it gives no reason'}",
        "See the payment method of the account, and whether the offer is still there; then buy under another name.",
        Category.TERMINAL,
    )
