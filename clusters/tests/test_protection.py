"""Deletion protection against a deletion that was planned before it, and one that runs already; no ending beside a change of a part."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from accounts.principals import principal_for
from clusters.actions.adoption import ForgetCluster, ForgetInput
from clusters.actions.deletion import DeleteCluster, DeleteInput
from clusters.actions.feature import FeatureSetInput, SetFeature
from clusters.models import Cluster
from clusters.tests.rows import make_cluster
from instantstart.problem import Problem
from operations import clock
from operations.choices import OperationState
from operations.models import Operation
from operations.submit import submit

pytestmark = pytest.mark.django_db


def test_a_deletion_planned_before_the_protection_is_not_recorded_after_it() -> None:
    make_cluster()
    Cluster.objects.update(deletion_protection=True)
    with pytest.raises(Problem) as refused:
        DeleteCluster().guard(DeleteInput(name="demo", confirm="demo"))
    assert (refused.value.status, refused.value.code) == (409, "deletion_protected")


@pytest.mark.parametrize(
    ("state", "protected"),
    [(OperationState.RUNNING, False), (OperationState.AWAITING_APPROVAL, True), (OperationState.FAILED, True)],
)
def test_protection_does_not_seem_to_stop_a_deletion_that_runs(operator: User, state: str, protected: bool) -> None:
    make_cluster()
    deletion = Operation.objects.create(
        kind="cluster.delete", title="Delete a cluster", subject="demo", cluster="demo", state=state, created_at=clock.now()
    )
    ask = {"name": "demo", "enabled": True}
    if protected:
        submit("cluster.protect", ask, principal_for(operator), channel="api")
    else:
        with pytest.raises(Problem) as refused:
            submit("cluster.protect", ask, principal_for(operator), channel="api")
        assert (refused.value.code, refused.value.extra) == ("operation_in_progress", {"operation": str(deletion.pk)})
    assert Cluster.objects.get().deletion_protection is protected


def test_a_feature_planned_before_the_cluster_was_being_deleted_is_not_recorded_after_it() -> None:
    """It would make what lies outside of the cluster, and leave it behind."""
    make_cluster()
    at = clock.now()
    deletion = Operation.objects.create(kind="cluster.delete", subject="demo", cluster="demo", state=OperationState.RUNNING, created_at=at)
    plan = {"basis": {"features": ["kuberay"], "wishes": {"kuberay": {"enabled": True, "settings": {}}}}}
    asked = Operation(kind="feature.set", subject="demo/kuberay", cluster="demo", plan=plan, created_at=at)
    given = FeatureSetInput.model_validate({"name": "demo", "features": {"kuberay": {"enabled": True}}})
    with pytest.raises(Problem) as refused, transaction.atomic():
        SetFeature().record(given, asked)
    assert (refused.value.status, refused.value.code, refused.value.extra) == (
        409,
        "operation_in_progress",
        {"operation": str(deletion.pk)},
    )
    assert not Cluster.objects.get().features.filter(operation_id=asked.pk).exists()


@pytest.mark.parametrize("ending", [(DeleteCluster, DeleteInput), (ForgetCluster, ForgetInput)], ids=["delete", "forget"])
@pytest.mark.parametrize("kind", ["group.add", "node.drain", "node_group.create", "feature.set", "cluster.update_software"])
@pytest.mark.parametrize(
    ("state", "fix"),
    [
        (OperationState.RUNNING, "Wait for it to end, or cancel it."),
        (OperationState.AWAITING_APPROVAL, "Approve or refuse it."),
        (OperationState.UNKNOWN, "Say how it ended, then try again."),
        (OperationState.FAILED, ""),
    ],
)
def test_a_cluster_is_not_ended_beside_a_change_of_a_part_of_it(
    ending: tuple[Any, Any], kind: str, state: OperationState, fix: str
) -> None:
    make_cluster()
    at = clock.now()
    change = Operation.objects.create(kind=kind, title="A change", subject="demo/cpu", cluster="demo", state=state, created_at=at)
    Operation.objects.create(kind="drift.observe", subject="demo", cluster="demo", state=OperationState.RUNNING, created_at=at)
    action, given = ending
    with transaction.atomic():
        if not fix:
            action().guard(given(name="demo"))
            return
        with pytest.raises(Problem) as refused:
            action().guard(given(name="demo"))
    assert (refused.value.code, refused.value.extra) == ("operation_in_progress", {"operation": str(change.pk)})
    assert "A change (demo/cpu), on a part of demo, is" in refused.value.detail
    assert refused.value.hint == fix
