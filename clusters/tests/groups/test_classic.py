"""Without continuous provisioning: UpdateCluster carries the group as just read, and a change that HyperPod takes back is told."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.configs.export import exported
from clusters.tests.driving import failure, run
from clusters.tests.groups.standing import Standing
from operations.choices import OperationState
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

CPU = "ml.m5.xlarge"


def made_classic(standing: Standing) -> None:
    """The same HyperPod cluster once more, all-or-nothing."""
    before = exported(standing.describe())
    standing.aws.write("sagemaker", "delete_cluster", ClusterName="demo")
    standing.sandbox.forward("settled")
    before.pop("NodeProvisioningMode")
    standing.aws.write("sagemaker", "create_cluster", **before)
    standing.sandbox.forward("settled")
    assert standing.describe()["ClusterStatus"] == "InService"


def test_a_count_is_set_by_one_update_of_that_group_and_a_rollback_is_told(standing: Standing, operator: User) -> None:
    made_classic(standing)
    standing.mark()
    scaled = run(standing.sandbox, operator, "group.scale", name="demo", group="workers", count=2)
    assert scaled.state == OperationState.SUCCEEDED, failure(scaled)
    assert (standing.counts(), standing.writes()) == ({"workers": 2}, ["UpdateCluster"])
    standing.mark()
    same = submit("group.scale", {"name": "demo", "group": "workers", "count": 2}, principal_for(operator), channel="api")
    assert (same.changed, standing.writes()) == (False, [])

    added = run(standing.sandbox, operator, "group.add", name="demo", groups=[{"name": "cpu", "instance_type": CPU, "count": 1}])
    assert added.state == OperationState.SUCCEEDED, failure(added)
    standing.sandbox.fault(scenario="capacity_shortage", instance_type=CPU, available=0)
    grown = run(standing.sandbox, operator, "group.scale", name="demo", group="cpu", count=4)
    assert (grown.state, grown.error_code) == (OperationState.FAILED, "insufficient_capacity"), failure(grown)
    assert standing.counts() == {"workers": 2, "cpu": 1}
    standing.sandbox.no_faults()
    gone = run(standing.sandbox, operator, "group.delete", name="demo", group="cpu", confirm="cpu")
    assert (gone.state, standing.counts()) == (OperationState.SUCCEEDED, {"workers": 2}), failure(gone)
