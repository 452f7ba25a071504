"""Every action of the registry, killed once at each point that it reaches: it ends as it would have, by the same calls.

One row a kind; a kind without a row fails `test_every_action_is_killed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from accounts.models import User
from clusters import names
from clusters.configs.export import exported_group
from clusters.models import Cluster, ClusterStack, Drift, Orphan
from clusters.reading.reader import ClusterReader
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from clusters.tests.rows import make_drift, make_orphan
from clusters.tests.sandbox import Sandbox
from clusters.tests.test_kill import Killer, survive
from clusters.tests.training_plans.test_training_plans import asked, offers
from operations import action as actions
from operations import points
from operations.choices import OperationState
from operations.models import Intent

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("kill_actions")]

CPU, GROUP = "ml.m5.xlarge", "cpu"
KILLED_ELSEWHERE = {
    "cluster.create": "clusters/tests/test_kill.py",
    "cluster.delete": "clusters/tests/test_kill.py",
    "phase.control_plane": "clusters/tests/test_kill.py, as a child",
    "phase.select": "clusters/tests/test_kill.py, as a child",
    "phase.dependencies": "clusters/tests/test_kill.py, as a child",
    "phase.hyperpod": "clusters/tests/test_kill.py, as a child",
    "phase.storage": "clusters/tests/test_kill.py, as a child",
    "import.discover": "clusters/tests/imports/test_adopting.py",
    "cluster.import": "clusters/tests/imports/test_adopting.py",
    "cluster.adopt": "clusters/tests/imports/test_adopting.py",
    "cluster.forget": "clusters/tests/imports/test_adopting.py",
    "feature.set": "clusters/tests/features/test_each_feature.py",
    "account.add": "clusters/tests/aws_accounts/test_accounts.py",
    "account.test": "clusters/tests/aws_accounts/test_accounts.py",
    "account.remove": "clusters/tests/aws_accounts/test_accounts.py",
}
Given = dict[str, Any]


class Field:
    """The cluster `demo` with the group that the rows work on, between two of them."""

    def __init__(self, standing: Standing, who: User) -> None:
        self.standing, self.who = standing, who

    def done(self, kind: str, **raw: Any) -> None:
        operation = run(self.standing.sandbox, self.who, kind, name="demo", **raw)
        assert operation.state == OperationState.SUCCEEDED, failure(operation)

    def group(self, count: int) -> None:
        """The group with so many nodes, none for no group."""
        counts = self.standing.counts()
        if GROUP not in counts:
            if count:
                self.done("group.add", groups=[{"name": GROUP, "instance_type": CPU, "count": count, "subnet": "dedicated"}])
        elif not count:
            self.done("group.delete", group=GROUP, confirm=GROUP, disrupt=True)
        elif counts[GROUP] != count:
            self.done("group.scale", group=GROUP, count=count, disrupt=True)

    def replaced(self) -> bool:
        """Whether the group's successor alone is left, in the subnet of its own; takes it away for the next row."""
        stacks = [f"instantstart-demo-group-{GROUP}-2"]
        alone = GROUP not in self.standing.counts() and len(self.standing.nodes(f"{GROUP}-2")) == 1 and self.standing.stacks() == stacks
        self.done("group.delete", group=f"{GROUP}-2", confirm=f"{GROUP}-2")
        return alone

    def node_group(self, desired: int | None) -> None:
        """The EKS node group with so many nodes, None for no such group."""
        there = ClusterReader("demo", "us-west-2").node_group(GROUP)
        if there is None:
            if desired is not None:
                self.done("node_group.create", node_group=GROUP, desired=desired)
        elif desired is None:
            self.done("node_group.delete", node_group=GROUP, confirm=GROUP, disrupt=True)
        elif there.counts["desired"] != desired:
            self.done("node_group.scale", node_group=GROUP, desired=desired, disrupt=True)

    def eks_nodes(self) -> int:
        return sum(
            node.labels.get("eks.amazonaws.com/nodegroup") == GROUP and node.ready for node in ClusterReader("demo", "us-west-2").nodes
        )

    def node(self) -> str:
        return min(str(node["InstanceId"]) for node in self.standing.nodes(GROUP))

    def nodes(self) -> Given:
        return {"name": "demo", "nodes": [self.node()]}

    def schedulable(self) -> bool:
        return next(node.schedulable for node in ClusterReader("demo", "us-west-2").nodes if node.name == f"hyperpod-{self.node()}")


def nothing(field: Field) -> None:
    """The row needs nothing beforehand."""


@dataclass(frozen=True)
class Row:
    """before: brings about what the action works on. given: its input. calls: what it asks of AWS, whoever died meanwhile.
    shown: whether it can be seen to be done. untold: its API has neither a token nor a name to look for, so that a death between the
    intent and the call may leave it unknown; but never sends it twice."""

    kind: str
    given: Callable[[Field], Given]
    calls: tuple[str, ...] = ()
    before: Callable[[Field], None] = nothing
    shown: Callable[[Field], bool] = lambda _: True
    untold: bool = False
    by_admin: bool = False


def one(field: Field) -> None:
    field.group(1)


def without_eks_nodes(field: Field) -> None:
    """Neither the node group nor the role of its nodes, which outlives groups."""
    field.node_group(None)
    role = "instantstart-demo-node"
    if ClusterReader("demo", "us-west-2").role(role) is not None:
        field.standing.aws.write("iam", "delete_role_policy", RoleName=role, PolicyName="access")
        field.standing.aws.write("iam", "delete_role", RoleName=role)


def open_to_pods(field: Field) -> None:
    field.group(1)
    if not field.schedulable():
        field.done("node.cordon", nodes=[field.node()], enabled=False)


def outdated(field: Field) -> None:
    """The group, with the image of an earlier release, which only another hand gives it."""
    field.group(0)
    workers = next(one for one in field.standing.describe()["InstanceGroups"] if one["InstanceGroupName"] == "workers")
    behind = {**exported_group(workers), "InstanceGroupName": GROUP, "InstanceType": CPU, "ImageReleaseVersion": "1.3.2"}
    field.standing.aws.write("sagemaker", "update_cluster", ClusterName="demo", InstanceGroups=[behind])
    field.standing.sandbox.forward("settled")


def without_an_addon(field: Field) -> None:
    field.standing.aws.write("eks", "delete_addon", clusterName="demo", addonName="eks-pod-identity-agent")
    field.standing.sandbox.forward("settled")


def short_lived_logs(field: Field) -> None:
    """The control plane's logs, which another hand keeps shorter; no change set waits."""
    aws = field.standing.aws
    waiting = aws.pages("cloudformation", "list_change_sets", "Summaries", StackName=names.stack("demo"))
    for one in [one for one in waiting if not one["ExecutionStatus"].startswith("EXECUTE")]:
        aws.write("cloudformation", "delete_change_set", ChangeSetName=one["ChangeSetId"])
    aws.write("logs", "put_retention_policy", logGroupName=names.eks_log_group("demo"), retentionInDays=7)


def proposed(field: Field) -> None:
    """A change set that waits."""
    short_lived_logs(field)
    field.done("stack.compare", revert_drift=True)


def kept_logs(field: Field) -> bool:
    groups = field.standing.aws.read("logs", "describe_log_groups", logGroupNamePrefix=names.eks_log_group("demo"))["logGroups"]
    return bool(groups[0]["retentionInDays"] == 30) and not waits(field)


def waits(_: Field) -> bool:
    return ClusterStack.objects.exclude(change_set="").exists()


def drifted(**fields: Any) -> Given:
    return {"name": "demo", "drift": make_drift(Cluster.objects.get(), resource=f"group/{GROUP}", **fields).pk}


def an_address_of_before(field: Field) -> Given:
    specification = [{"ResourceType": "elastic-ip", "Tags": [{"Key": "instantstart:cluster", "Value": "before"}]}]
    made = field.standing.aws.write("ec2", "allocate_address", Domain="vpc", TagSpecifications=specification).data["AllocationId"]
    arn = f"arn:aws:ec2:us-west-2:123456789012:elastic-ip/{made}"
    row = make_orphan(arn=arn, name=made, resource_type="ec2:elastic-ip", cluster="before")
    return {"orphan": row.pk, "confirm": made}


def decided(state: str) -> Callable[[Field], bool]:
    return lambda _: Drift.objects.get().state == state


def purchase(_: Field) -> Given:
    return asked(offers()[0])


ROWS = (
    Row("orphan.delete", an_address_of_before, ("ReleaseAddress",), shown=lambda _: not Orphan.objects.exists()),
    Row("orphan.observe", lambda _: {"region": "us-west-2"}),
    Row("stack.compare", lambda _: {"name": "demo", "revert_drift": True}, ("CreateChangeSet",), short_lived_logs, waits),
    Row("stack.discard", lambda _: {"name": "demo"}, ("DeleteChangeSet",), proposed, lambda field: not waits(field)),
    Row("stack.update", lambda _: {"name": "demo"}, ("ExecuteChangeSet",), proposed, kept_logs),
    Row("drift.observe", lambda _: {"name": "demo"}),
    Row("drift.accept", lambda _: drifted(), shown=decided("accepted")),
    Row("drift.ignore", lambda _: drifted(), shown=decided("ignored")),
    Row("drift.revert", lambda _: drifted(desired=2, observed=1), ("BatchAddClusterNodes",), one, decided("resolved")),
    Row(
        "group.add",
        lambda _: {"name": "demo", "groups": [{"name": GROUP, "instance_type": CPU, "count": 1, "subnet": "dedicated"}]},
        ("CreateStack", "UpdateCluster"),
        lambda field: field.group(0),
        lambda field: len(field.standing.nodes(GROUP)) == 1 and field.standing.stacks() == [f"instantstart-demo-group-{GROUP}"],
    ),
    Row(
        "group.update",
        lambda _: {"name": "demo", "group": GROUP, "labels": {"team": "red"}},
        ("UpdateCluster",),
        one,
    ),
    Row(
        "node.cordon",
        lambda field: field.nodes(),
        before=open_to_pods,
        shown=lambda field: not field.schedulable(),
    ),
    Row(
        "node.drain",
        lambda field: field.nodes(),
        before=open_to_pods,
        shown=lambda field: not field.schedulable(),
    ),
    Row("node.reboot", lambda field: field.nodes(), ("BatchRebootClusterNodes",), one, untold=True),
    Row("node.replace", lambda field: field.nodes(), ("BatchReplaceClusterNodes",), one, untold=True),
    Row(
        "group.scale",
        lambda _: {"name": "demo", "group": GROUP, "count": 2},
        ("BatchAddClusterNodes",),
        one,
        lambda field: len(field.standing.nodes(GROUP)) == 2,
    ),
    Row(
        "node.delete",
        lambda field: field.nodes(),
        ("BatchDeleteClusterNodes",),
        lambda field: field.group(2),
        lambda field: len(field.standing.nodes(GROUP)) == 1,
    ),
    Row(
        "group.delete",
        lambda _: {"name": "demo", "group": GROUP, "confirm": GROUP},
        ("UpdateCluster", "DeleteStack"),
        one,
        lambda field: GROUP not in field.standing.counts() and field.standing.stacks() == [],
    ),
    Row(
        "group.replace",
        lambda _: {"name": "demo", "group": GROUP, "instance_type": "ml.m5.2xlarge", "subnet": "dedicated", "confirm": GROUP},
        ("CreateStack", "UpdateCluster", "UpdateCluster", "DeleteStack"),
        one,
        Field.replaced,
    ),
    Row(
        "node_group.create",
        lambda _: {"name": "demo", "node_group": GROUP},
        ("CreateRole", "PutRolePolicy", "CreateLaunchTemplate", "CreateNodegroup"),
        without_eks_nodes,
        lambda field: field.eks_nodes() == 1,
    ),
    Row(
        "node_group.scale",
        lambda _: {"name": "demo", "node_group": GROUP, "desired": 2},
        ("UpdateNodegroupConfig",),
        lambda field: field.node_group(1),
        lambda field: field.eks_nodes() == 2,
    ),
    Row(
        "node_group.delete",
        lambda _: {"name": "demo", "node_group": GROUP, "confirm": GROUP},
        ("DeleteNodegroup", "DeleteLaunchTemplate"),
        lambda field: field.node_group(1),
        lambda field: ClusterReader("demo", "us-west-2").node_groups == [],
    ),
    Row("cluster.update_software", lambda _: {"name": "demo"}, ("UpdateClusterSoftware",), outdated),
    Row("phase.retry", lambda _: {"name": "demo", "phase": "dependencies"}, ("CreateAddon",), without_an_addon),
    Row(
        "cluster.protect",
        lambda _: {"name": "demo", "enabled": True},
        shown=lambda _: Cluster.objects.get().deletion_protection,
    ),
    Row("cluster.prefer", lambda _: {"name": "demo"}),
    Row("quota.observe", lambda _: {"region": "us-west-2"}),
    Row(
        "quota.request_increase",
        lambda _: {"region": "us-west-2", "quota": "ml.p5.48xlarge for cluster usage", "value": 999},
        ("RequestServiceQuotaIncrease",),
    ),
    Row("training_plan.purchase", purchase, ("CreateTrainingPlan",), by_admin=True),
)


@pytest.fixture
def field(standing_once: Standing, pointed: Sandbox, operator: User, transactional_db: None) -> Iterator[Field]:
    """What one row leaves behind the next one takes on: each brings about by itself what it needs."""
    pointed.no_faults()
    if standing_once.arn and standing_once.arn == standing_once.arn_now():
        standing_once.remember()
    else:
        standing_once.make(operator)
    yield Field(standing_once, operator)
    pointed.no_faults()


def test_every_action_is_killed() -> None:
    killed = [row.kind for row in ROWS]
    assert len(killed) == len(set(killed))
    assert set(killed) & set(KILLED_ELSEWHERE) == set()
    assert {kind for kind in actions.kinds() if not kind.startswith("fake.")} == {*killed, *KILLED_ELSEWHERE}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
def test_an_action_that_dies_once_at_each_point_ends_the_same_by_the_same_calls(
    field: Field, admin_person: User, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    standing = field.standing
    row.before(field)
    given = row.given(field)
    standing.mark()
    killer = Killer()
    with monkeypatch.context() as patch:
        patch.setattr(points, "reach", killer.reach)
        operation, deaths = survive(standing.sandbox, admin_person if row.by_admin else field.who, row.kind, **given)
    writes = standing.writes()
    assert deaths == len(killer.reached)
    assert not killer.reached & killer.to_come
    if row.untold and operation.state == OperationState.UNKNOWN:
        assert len(writes) <= len(row.calls)
        return
    assert operation.state == OperationState.SUCCEEDED, failure(operation)
    assert tuple(writes) == row.calls
    assert row.shown(field)
    assert not Intent.objects.filter(ended_at=None).exists()
