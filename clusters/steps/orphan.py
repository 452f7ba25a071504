"""Deleting one orphan: looked at again before each call, and left alone once it belongs to somebody."""

from __future__ import annotations

from typing import Any

from clusters.orphans import kinds
from clusters.orphans.reading import Tagged, claimed, read_one
from clusters.steps.base import different, failed, pending, ready
from instantstart import cloud
from instantstart.cloud.aws import Aws
from operations.step import Fault, Observation, Outcome, Step, StepContext

GIVE_UP_AFTER = 60
"""Calls after which one that does not go is shown as a failure: a role takes one for each of its policies."""


class DeleteOrphan(Step):
    """The name is what makes a second call harmless: it meets nothing, or the same resource on its way out."""

    name = "delete-orphan"
    typical_seconds = 30

    def __init__(self, arn: str, region: str, account: str) -> None:
        self.arn, self.region, self.account = arn, region, account
        self.kind, self.resource = kinds.parts(arn)
        self.way = kinds.WAYS[self.kind]
        self.title = f"Delete {self.kind} {kinds.shown_name(arn)}"
        self.api = f"{self.way.service}:{''.join(word.capitalize() for word in self.way.operation.split('_'))}"

    @property
    def aws(self) -> Aws:
        return cloud.connect(self.region, self.account)

    def observe(self, context: StepContext) -> Observation:
        found = read_one(self.aws, self.arn)
        if found is None:
            return ready(f"{self.kind} {self.resource} is gone")
        if (fault := claim(found)) is not None:
            return failed(fault)
        if context.reply.get("accepted"):
            return pending(f"{self.kind} {self.resource} is being deleted")
        if context.attempt > GIVE_UP_AFTER:
            return failed(
                Fault("orphan_stays", f"{self.resource} was to be deleted and stays.", "See in AWS what uses it, then try again.")
            )
        return different(f"{self.kind} {self.resource} is there")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        if self.kind == kinds.ROLE and (stripped := self._strip()) is not None:
            return stripped
        extra: dict[str, Any] = {"ClientRequestToken": context.token(self)} if self.kind == kinds.STACK else {}
        reply = self.aws.write(self.way.service, self.way.operation, **self.way.arguments(self.resource), **extra)
        return Outcome(reply.request_id, f"Asked AWS to delete {self.resource}", {"accepted": True})

    def _strip(self) -> Outcome | None:
        """One policy off the role, which can't be deleted with any; None when there is none left."""
        role = {"RoleName": self.resource}
        for name in self.aws.pages("iam", "list_role_policies", "PolicyNames", **role):
            reply = self.aws.write("iam", "delete_role_policy", **role, PolicyName=name)
            return Outcome(reply.request_id, f"Removed the policy {name} of {self.resource}")
        for one in self.aws.pages("iam", "list_attached_role_policies", "AttachedPolicies", **role):
            reply = self.aws.write("iam", "detach_role_policy", **role, PolicyArn=one["PolicyArn"])
            return Outcome(reply.request_id, f"Took {one['PolicyName']} off {self.resource}")
        return None


def claim(found: Tagged) -> Fault | None:
    """Why it is no orphan any more; None while it is one."""
    if not found.cluster:
        return Fault("orphan_claimed", f"{found.arn} does not carry our tag any more.", "It is somebody else's now: leave it.")
    if found.adopted:
        return Fault("orphan_adopted", f"{found.arn} was made by another hand and only adopted.", "Import it again, and forget it.")
    if found.cluster in claimed():
        return Fault("orphan_claimed", f"{found.arn} belongs to the cluster {found.cluster} now.", "Delete the cluster if it is to go.")
    return None
