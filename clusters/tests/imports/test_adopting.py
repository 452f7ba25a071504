"""Adopting and forgetting: AWS sees our tags and nothing else, and in between a group of another hand's cluster can be scaled."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Cluster
from clusters.tests.driving import failure, run
from clusters.tests.groups.test_every_fault import TROUBLES
from clusters.tests.imports.conftest import observe
from clusters.tests.imports.foreign import Foreign
from clusters.tests.test_kill import Killer, survive
from instantstart.problem import Problem
from operations import points
from operations.choices import OperationState
from operations.models import Intent, ObservedSource
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TAGS = [
    {"field": "tags.instantstart:cluster", "before": None, "after": "prod"},
    {"field": "tags.instantstart:adopted", "before": None, "after": "yes"},
]


def test_an_adopted_cluster_scales_a_group_and_forgotten_leaves_aws_as_it_was(imported: Foreign, operator: User) -> None:
    before = imported.described()
    who = principal_for(operator)
    plan = submit("cluster.adopt", {"name": "prod"}, who, channel="api", dry_run=True).plan
    assert [(change.name, change.action, [field.model_dump() for field in change.fields]) for change in plan.changes] == [
        ("prod", "update", TAGS),
        ("prod-pods", "update", TAGS),
        ("prod", "update", [{"field": "adopted", "before": False, "after": True}]),
    ]
    imported.mark()
    adopted = run(imported.sandbox, operator, "cluster.adopt", name="prod")
    assert (adopted.state, imported.writes()) == (OperationState.SUCCEEDED, ["TagResource", "AddTags"]), failure(adopted)
    assert Cluster.objects.get(name="prod").adopted_at is not None
    assert imported.described()["us-west-2/prod"]["tags"] == {
        "team": "research",
        "instantstart:cluster": "prod",
        "instantstart:adopted": "yes",
    }
    again = submit("cluster.adopt", {"name": "prod"}, who, channel="api")
    assert (again.changed, imported.writes()) == (False, ["TagResource", "AddTags"])

    imported.mark()
    for count, wanted in ((2, ["BatchAddClusterNodes"]), (1, ["BatchAddClusterNodes", "BatchDeleteClusterNodes"])):
        scaled = run(imported.sandbox, operator, "group.scale", name="prod", group="cpu", count=count)
        assert (scaled.state, imported.writes()) == (OperationState.SUCCEEDED, wanted), failure(scaled)
        assert imported.hyperpod()["InstanceGroups"][0]["CurrentCount"] == count
    for kind, more in (("cluster.delete", {"confirm": "prod"}), ("phase.retry", {"phase": "hyperpod"})):
        with pytest.raises(Problem) as caught:
            submit(kind, {"name": "prod", **more}, who, channel="api")
        assert (kind, caught.value.code) == (kind, "not_made_here")

    imported.mark()
    forgotten = run(imported.sandbox, operator, "cluster.forget", name="prod")
    assert (forgotten.state, imported.writes()) == (OperationState.SUCCEEDED, ["UntagResource", "DeleteTags"]), failure(forgotten)
    assert imported.described() == before
    assert (Cluster.objects.count(), ObservedSource.objects.filter(kind="cluster").count()) == (0, 0)


def test_what_was_only_observed_is_forgotten_without_a_write_also_where_aws_refuses(imported: Foreign, operator: User) -> None:
    before = imported.described()
    imported.sandbox.fault(kind="access_denied", count=None)
    with pytest.raises(Problem) as caught:
        submit("cluster.forget", {"name": "prod"}, principal_for(operator), channel="api")
    assert [(error.field, error.code) for error in caught.value.errors] == [("keep_tags", "tags_unreadable")]
    assert Cluster.objects.filter(name="prod").exists()
    imported.mark()
    forgotten = run(imported.sandbox, operator, "cluster.forget", name="prod", keep_tags=True)
    assert (forgotten.state, imported.writes()) == (OperationState.SUCCEEDED, []), failure(forgotten)
    imported.sandbox.no_faults()
    assert (Cluster.objects.count(), imported.described()) == (0, before)


def test_a_cluster_of_another_instantstart_is_not_taken_over(imported: Foreign, operator: User) -> None:
    aws, arn = imported.aws(), "arn:aws:eks:us-west-2:123456789012:cluster/prod"
    aws.write("eks", "tag_resource", resourceArn=arn, tags={"instantstart:cluster": "theirs"})
    try:
        with pytest.raises(Problem) as caught:
            submit("cluster.adopt", {"name": "prod"}, principal_for(operator), channel="api")
        assert [error.code for error in caught.value.errors] == ["owned_elsewhere"]
        imported.mark()
        forgotten = run(imported.sandbox, operator, "cluster.forget", name="prod")
        assert (forgotten.state, imported.writes()) == (OperationState.SUCCEEDED, []), failure(forgotten)
    finally:
        aws.write("eks", "untag_resource", resourceArn=arn, tagKeys=["instantstart:cluster"])


def test_each_of_them_that_dies_once_at_each_point_ends_the_same_by_the_same_calls(
    foreign: Foreign, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = foreign.described()
    chain = (
        ("import.discover", {"regions": ["us-west-2"]}, []),
        ("cluster.import", {"clusters": [{"region": "us-west-2", "eks_name": "prod"}]}, []),
        ("cluster.adopt", {"name": "prod"}, ["TagResource", "AddTags"]),
        ("cluster.forget", {"name": "prod"}, ["UntagResource", "DeleteTags"]),
    )
    for kind, given, calls in chain:
        foreign.mark()
        killer = Killer()
        with monkeypatch.context() as patch:
            patch.setattr(points, "reach", killer.reach)
            operation, deaths = survive(foreign.sandbox, operator, kind, **given)
        assert (kind, operation.state, foreign.writes()) == (kind, OperationState.SUCCEEDED, calls), failure(operation)
        assert deaths == len(killer.reached) > 0
        assert not Intent.objects.filter(ended_at=None).exists()
    assert (Cluster.objects.count(), foreign.described()) == (0, before)


def test_each_of_them_whose_calls_meet_every_fault_ends_right_and_tags_once(imported: Foreign, operator: User) -> None:
    sandbox, before = imported.sandbox, imported.described()
    chain = (("cluster.adopt", ["TagResource", "AddTags"]), ("cluster.forget", ["UntagResource", "DeleteTags"]))
    for trouble in TROUBLES:
        if not Cluster.objects.exists():
            observe(imported, operator, {"region": "us-west-2", "eks_name": "prod"})
        for kind, calls in chain:
            imported.mark()
            denied = trouble == ("access_denied",)
            for call in calls[:1] if denied else calls:
                for fault in trouble:
                    sandbox.fault(kind=fault, operation=call)
            operation = run(sandbox, operator, kind, name="prod")
            assert {fault["struck"] for fault in sandbox.faults()} == {1}, (kind, trouble, failure(operation))
            sandbox.no_faults()
            if denied:
                assert (operation.state, imported.effects()) == (OperationState.FAILED, []), failure(operation)
                assert "permission" in operation.error_message and operation.error_hint
                assert (Cluster.objects.get().adopted_at is None) == (kind == "cluster.adopt")
                operation = run(sandbox, operator, kind, name="prod")
            assert (operation.state, imported.effects()) == (OperationState.SUCCEEDED, calls), (kind, trouble, failure(operation))
            assert not Intent.objects.filter(ended_at=None).exists()
        assert (Cluster.objects.count(), imported.described()) == (0, before)
