"""The software of groups is updated by one call that names those that are behind, and by none where all are up to date."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.configs.export import exported_group
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from operations.choices import OperationState
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

OLD, NEW = "1.3.2", "1.4.0"


@pytest.mark.parametrize("trouble", ["", "reply_lost"])
def test_only_the_groups_that_are_behind_are_updated(standing: Standing, operator: User, trouble: str) -> None:
    same = submit("cluster.update_software", {"name": "demo"}, principal_for(operator), channel="api")
    assert (same.changed, standing.writes()) == (False, [])

    [workers] = standing.describe()["InstanceGroups"]
    behind = {**exported_group(workers), "InstanceGroupName": "old", "InstanceType": "ml.m5.xlarge", "ImageReleaseVersion": OLD}
    standing.aws.write("sagemaker", "update_cluster", ClusterName="demo", InstanceGroups=[behind])
    standing.sandbox.forward("settled")
    standing.mark()
    if trouble:
        standing.sandbox.fault(kind=trouble, service="sagemaker", operation="UpdateClusterSoftware")
    updated = run(standing.sandbox, operator, "cluster.update_software", name="demo", batch_percent=50)
    assert updated.state == OperationState.SUCCEEDED, failure(updated)
    assert updated.plan["basis"]["groups"] == ["old"]
    assert {group["InstanceGroupName"]: group["CurrentImageReleaseVersion"] for group in standing.describe()["InstanceGroups"]} == {
        "workers": NEW,
        "old": NEW,
    }
    assert standing.writes() == ["UpdateClusterSoftware"]
    gone = run(standing.sandbox, operator, "group.delete", name="demo", group="old", confirm="old")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
