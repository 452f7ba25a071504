"""A cluster that stands already: made once for all tests that leave it as they found it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from accounts.models import User
from clusters import names
from clusters.choices import Seen, State
from clusters.models import Cluster, Phase
from clusters.phases import PHASES
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.cloud.aws import Aws
from operations import clock
from operations.choices import OperationState
from operations.observing import ensure_source

FIRST = {"workers": 1}
WRITES = (
    "Create",
    "Update",
    "Delete",
    "Put",
    "Batch",
    "Start",
    "Attach",
    "Detach",
    "Tag",
    "Add",
    "Remove",
    "Request",
    "Release",
    "Execute",
)


def had_effect(call: dict[str, Any]) -> bool:
    """Whether a call of the sandbox's log was carried out."""
    return call["fault"] in ("reply_lost", "error_after") or not (call["code"] or call["fault"])


@dataclass
class Standing:
    """The cluster `demo` in the sandbox, with one node in its group `workers`."""

    sandbox: Sandbox
    row: dict[str, Any] = field(default_factory=dict)
    since: int = 0
    arn: str = ""
    """Of the HyperPod cluster as it was made: another test's cluster of the same name is not this one."""

    @property
    def aws(self) -> Aws:
        return cloud.connect("us-west-2")

    def describe(self) -> dict[str, Any]:
        return self.aws.read("sagemaker", "describe_cluster", ClusterName="demo")

    def arn_now(self) -> str:
        """ "" where there is no cluster."""
        if not any(row["kind"] == "sagemaker.cluster" and row["id"] == "demo" for row in self.sandbox.ledger()):
            return ""
        return str(self.describe()["ClusterArn"])

    def counts(self) -> dict[str, int]:
        return {group["InstanceGroupName"]: group["TargetCount"] for group in self.describe()["InstanceGroups"]}

    def nodes(self, group: str) -> list[dict[str, Any]]:
        found = self.aws.pages("sagemaker", "list_cluster_nodes", "ClusterNodeSummaries", ClusterName="demo", IncludeNodeLogicalIds=True)
        return [node for node in found if node["InstanceGroupName"] == group]

    def stacks(self) -> list[str]:
        """Those of subnets that were made for groups."""
        found = (row["id"].split("/")[-2] for row in self.sandbox.ledger() if row["kind"] == "cloudformation.stack")
        return sorted(name for name in found if name.startswith(("instantstart-demo-group-", "instantstart-demo-zone-")))

    def mark(self) -> None:
        """From here on, calls are counted."""
        self.since = max((one["sequence"] for one in self._calls()), default=self.since)

    def _calls(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        since = self.since
        while page := self.sandbox.requests(since=str(since)):
            found += page
            since = page[-1]["sequence"]
        return found

    def writes(self) -> list[str]:
        """The changing calls since the mark, in order."""
        return [one["operation"] for one in self._calls() if one["operation"].startswith(WRITES)]

    def effects(self) -> list[str]:
        """Of these, the ones that had an effect, whether their reply came or not."""
        writes = [one for one in self._calls() if one["operation"].startswith(WRITES)]
        return [one["operation"] for one in writes if had_effect(one)]

    def make(self, who: User) -> None:
        self.sandbox.reset()
        self.since = 0
        cloud.forget()
        made = run(self.sandbox, who, "cluster.create", name="demo")
        assert made.state == OperationState.SUCCEEDED, failure(made)
        self.arn = self.arn_now()
        row = Cluster.objects.get()
        self.row = {name: getattr(row, name) for name in ("name", "region", "account", "spec", "given", "kubernetes_version")}

    def remember(self) -> None:
        """Our own rows of it, as they are when the creation has ended."""
        at = clock.now()
        row = Cluster.objects.create(**self.row, state=State.READY, cost_per_hour=10.0, observed_at=at)
        Phase.objects.bulk_create(
            Phase(cluster=row, name=phase.name, position=phase.name.position, state=State.READY, seen=Seen.READY, made=True, observed_at=at)
            for phase in PHASES
        )
        ensure_source("cluster", row.name, cluster=row.name, scope=names.scope(row.account, row.region))

    def stands(self) -> bool:
        """Whether it is as it was made: other tests may have emptied the sandbox since, or left something behind."""
        if not self.arn or self.arn != self.arn_now():
            return False
        found = self.describe()
        return (
            found["ClusterStatus"] == "InService"
            and self.counts() == FIRST
            and [one["InstanceStatus"]["Status"] for one in self.nodes("workers")] == ["Running"]
        )
