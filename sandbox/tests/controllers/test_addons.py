"""EKS add-ons in a real cluster: installed, healthy when their pods run, changed, taken back."""

from __future__ import annotations

import pytest

from sandbox.aws.eks.addon_catalog import ADDONS
from sandbox.kube.addons import bring_replicas
from sandbox.tests.controllers.conftest import LivingLandscape

pytestmark = pytest.mark.kube


def test_a_cluster_without_work_has_no_control_plane(land: LivingLandscape) -> None:
    land.restart()
    assert not land.rig.backend.started(land.key)


def test_every_addon_is_accepted_by_the_api_server_and_waits_for_nodes_only_when_it_has_replicas(land: LivingLandscape) -> None:
    for name in ADDONS:
        land.call("eks", "CreateAddon", clusterName="demo", addonName=name)
    land.skip(180)
    expected = {name: "DEGRADED" if bring_replicas(name) else "ACTIVE" for name in ADDONS}
    land.await_true(lambda: {name: land.status(name) for name in ADDONS} == expected)
    issues = land.call("eks", "DescribeAddon", clusterName="demo", addonName="coredns")["addon"]["health"]["issues"]
    assert [issue["code"] for issue in issues] == ["InsufficientNumberOfReplicas"]
    land.hyperpod(land.instance_group(count=2, InstanceType="ml.m5.4xlarge"))
    land.await_true(lambda: {land.status(name) for name in ADDONS} == {"ACTIVE"})
    assert land.get("storage.k8s.io/v1", "CSIDriver", "s3.csi.aws.com") is not None


def test_an_addons_configuration_and_version_reach_its_pods(land: LivingLandscape) -> None:
    land.addon("coredns", configurationValues='{"replicaCount": 1, "nodeSelector": {"a": "b"}}', addonVersion="v1.12.4-eksbuild.1")
    land.await_true(lambda: land.get("apps/v1", "Deployment", "coredns", "kube-system"))
    before = land.get("apps/v1", "Deployment", "coredns", "kube-system") or {}
    assert before["spec"]["replicas"] == 1
    assert before["spec"]["template"]["spec"]["nodeSelector"] == {"a": "b"}
    assert before["spec"]["template"]["spec"]["containers"][0]["image"].endswith("/coredns:v1.12.4-eksbuild.1")
    land.await_true(lambda: land.status("coredns") == "DEGRADED")
    land.call("eks", "UpdateAddon", clusterName="demo", addonName="coredns", addonVersion="v1.13.1-eksbuild.1", configurationValues="")

    def image() -> str:
        found = land.get("apps/v1", "Deployment", "coredns", "kube-system") or {}
        return str(found["spec"]["template"]["spec"]["containers"][0]["image"])

    land.await_true(lambda: image().endswith(":v1.13.1-eksbuild.1"))
    assert (land.get("apps/v1", "Deployment", "coredns", "kube-system") or {})["spec"]["replicas"] == 2


def test_a_deleted_addon_takes_its_objects_with_it_unless_they_are_preserved(land: LivingLandscape) -> None:
    for name in ("kube-proxy", "metrics-server"):
        land.call("eks", "CreateAddon", clusterName="demo", addonName=name)
    land.await_true(lambda: land.get("apps/v1", "DaemonSet", "kube-proxy", "kube-system"))
    land.await_true(lambda: land.get("apps/v1", "Deployment", "metrics-server", "kube-system"))
    land.skip(180)
    land.call("eks", "DeleteAddon", clusterName="demo", addonName="kube-proxy")
    land.call("eks", "DeleteAddon", clusterName="demo", addonName="metrics-server", preserve=True)
    land.settle()
    land.await_true(lambda: land.get("apps/v1", "DaemonSet", "kube-proxy", "kube-system") is None)
    assert land.get("apps/v1", "Deployment", "metrics-server", "kube-system") is not None


def test_new_controllers_finish_what_the_old_ones_left(land: LivingLandscape) -> None:
    land.stop()
    land.call("eks", "CreateAddon", clusterName="demo", addonName="eks-pod-identity-agent")
    land.skip(600)
    assert land.status("eks-pod-identity-agent") == "CREATING"
    land.controllers = land._start()
    land.await_true(lambda: land.status("eks-pod-identity-agent") == "ACTIVE")
