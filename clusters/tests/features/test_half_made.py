"""Chains that a crash or another hand left half made: seen, completed when turned on, removed whole when turned off."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from clusters import names, tags
from clusters.choices import FeatureState
from clusters.features.role import role_arn
from clusters.features.service_account import ROLE_ANNOTATION
from clusters.tests.features.conftest import Rig
from clusters.tests.features.every import ON, write_chart
from instantstart import cloud
from instantstart.kube.helm import Helm

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
ACCOUNT = "tiered-checkpointing"
HALVES = {
    "training_operator": "half_made",
    "observability": "half_made",
    "container_insights": "half_made",
    "tiered_checkpointing": "half_made",
    "kuberay": "release_failed",
}
"""What is left half made, and what that is called."""


@pytest.fixture
def land(rig: Rig, settings: Any, tmp_path: Path) -> Rig:
    settings.KUBERAY_CHART = write_chart(tmp_path / "chart")
    return rig


def role(name: str, *policies: str) -> None:
    """One that trusts somebody else."""
    aws = cloud.connect("us-west-2")
    aws.write("iam", "create_role", RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST))
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}]}
    for policy in policies:
        aws.write("iam", "put_role_policy", RoleName=name, PolicyName=policy, PolicyDocument=json.dumps(document))


def account(annotations: dict[str, str], labels: dict[str, str]) -> dict[str, Any]:
    metadata = {"name": ACCOUNT, "namespace": names.STORAGE_NAMESPACE, "annotations": annotations, "labels": labels}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def pending_release(land: Rig, chart: str) -> None:
    """A Helm that died at its first revision, long ago."""
    target = land.reader().target
    assert target is not None
    Helm(target).upgrade(names.KUBERAY_RELEASE, chart, names.KUBERAY_NAMESPACE, {}, 45)
    name = f"sh.helm.release.v1.{names.KUBERAY_RELEASE}.v1"
    secret = land.kube.get("v1", "Secret", name, names.KUBERAY_NAMESPACE)
    assert secret is not None
    kept = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(secret["data"]["release"]))))
    kept["info"] |= {"status": "pending-install", "last_deployed": "2026-01-01T00:00:00Z"}
    packed = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(kept).encode()))).decode()
    changes = {"metadata": {"labels": {"status": "pending-install"}}, "data": {"release": packed}}
    land.kube.patch("v1", "Secret", name, changes, names.KUBERAY_NAMESPACE)


def leave_half(land: Rig, chart: str) -> None:
    """A role without its policy; a role with another hand's; an add-on without its role; a release left pending."""
    aws = cloud.connect("us-west-2")
    role(names.role("demo", "training"))
    role(names.role("demo", "observe"), "theirs")
    aws.write("eks", "create_addon", clusterName="demo", addonName="amazon-cloudwatch-observability")
    pending_release(land, chart)
    land.until(lambda: land.seen("container_insights").state != FeatureState.INSTALLING)


def found(land: Rig) -> dict[str, tuple[FeatureState, list[str]]]:
    return {name: ((seen := land.seen(name)).state, [fault.code for fault in seen.faults]) for name in HALVES}


DEGRADED = {name: (FeatureState.DEGRADED, [code]) for name, code in HALVES.items()}


def test_what_is_half_made_is_seen_and_completed_or_removed(land: Rig, settings: Any) -> None:
    aws = cloud.connect("us-west-2")
    taken = {ROLE_ANNOTATION: role_arn(land.spec, names.role("demo", "tiered"))}

    # Completed: what is there is kept and put right, what is missing is made.
    leave_half(land, settings.KUBERAY_CHART)
    land.kube.apply(account({}, {tags.LABEL_CLUSTER: "demo"}))
    assert found(land) == DEGRADED
    mark = land.now()
    land.done(**{name: ON[name] for name in HALVES})
    assert found(land) == dict.fromkeys(HALVES, (FeatureState.ACTIVE, []))
    made = land.writes_since(mark)
    assert {one: made.count(one) for one in sorted(set(made))} == {
        "eks:CreateAddon": 2,
        "eks:UpdateAddon": 1,
        "iam:CreateRole": 2,
        "iam:PutRolePolicy": 4,
        "iam:UpdateAssumeRolePolicy": 2,
        "sagemaker:UpdateCluster": 1,
    }
    land.done(**dict.fromkeys(HALVES, False))
    assert found(land) == dict.fromkeys(HALVES, (FeatureState.ABSENT, []))
    assert land.ledger() - land.before == set()

    # Removed: nothing is made first; another hand's service account stays, without our role.
    leave_half(land, settings.KUBERAY_CHART)
    land.kube.apply(account(taken, {}))
    aws.write("sagemaker", "update_cluster", ClusterName="demo", TieredStorageConfig={"Mode": "Enable"})
    assert found(land) == DEGRADED
    mark = land.now()
    land.done(**dict.fromkeys(HALVES, False))
    assert found(land) == dict.fromkeys(HALVES, (FeatureState.ABSENT, []))
    assert set(land.writes_since(mark)) == {"eks:DeleteAddon", "iam:DeleteRole", "iam:DeleteRolePolicy", "sagemaker:UpdateCluster"}
    assert land.ledger() - land.before == set()
    theirs = land.kube.get("v1", "ServiceAccount", ACCOUNT, names.STORAGE_NAMESPACE)
    assert theirs is not None and ROLE_ANNOTATION not in theirs["metadata"].get("annotations", {})
    land.kube.delete("v1", "ServiceAccount", ACCOUNT, names.STORAGE_NAMESPACE)
