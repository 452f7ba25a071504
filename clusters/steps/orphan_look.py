"""A sweep for orphans that somebody asked for: reads outside, and rows of ours."""

from __future__ import annotations

from clusters.models import Orphan
from clusters.orphans.sweep import sweep
from clusters.steps.base import ready
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import sentence
from operations.choices import StepState
from operations.step import Observation, Step, StepContext


class SweepPlace(Step):
    """One region of an account. roles: whether the account's roles, which are of no region, are looked at too."""

    typical_seconds = 10

    def __init__(self, region: str, account: str, *, roles: bool) -> None:
        self.region, self.account, self.roles = region, account, roles
        self.name = f"sweep-{account or 'own'}-{region}"
        self.title = f"Look at {region}" + (f" in the account {account}" if account else "")

    def observe(self, context: StepContext) -> Observation:
        try:
            account = sweep(self.region, self.account, roles=self.roles)
        except CloudError as error:
            if not error.denied:
                raise
            # What can't be read is neither there nor gone: its rows stay as they are, and the other places are looked at.
            return ready(f"It could not be read: {sentence(error)}")
        count = Orphan.objects.filter(account=account, region=self.region).count()
        return ready(f"{count} {'orphan' if count == 1 else 'orphans'}")

    def cancel(self, context: StepContext) -> Observation:
        return Observation(StepState.READY, "Nothing of this step is under way")
