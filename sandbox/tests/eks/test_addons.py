"""Add-ons: versions, configuration, and a health that follows the cluster's nodes."""

from __future__ import annotations

import json

import pytest

from sandbox.aws.eks.addon_catalog import ADDONS
from sandbox.kube.addons import bring_replicas, manifests
from sandbox.tests.landscape import Landscape


def test_every_addon_offers_a_default_version_for_the_cluster_and_brings_manifests(land: Landscape) -> None:
    offered = land.call("eks", "DescribeAddonVersions", kubernetesVersion="1.36")["addons"]
    assert [addon["addonName"] for addon in offered] == sorted(ADDONS)
    for addon in offered:
        defaults = [
            version["addonVersion"]
            for version in addon["addonVersions"]
            for compatibility in version["compatibilities"]
            if compatibility["defaultVersion"] and compatibility["clusterVersion"] == "1.36"
        ]
        assert len(defaults) == 1, addon["addonName"]
        assert len(manifests(addon["addonName"])) > 0


def test_versions_that_do_not_suit_the_cluster_are_neither_offered_nor_installed(land: Landscape) -> None:
    land.eks()
    offered = land.call("eks", "DescribeAddonVersions", addonName="coredns", kubernetesVersion="1.36")["addons"][0]["addonVersions"]
    assert [version["addonVersion"] for version in offered] == ["v1.13.1-eksbuild.1", "v1.12.4-eksbuild.1"]
    request = {"clusterName": "demo", "addonName": "coredns", "addonVersion": "v1.11.4-eksbuild.24"}
    assert land.refused("eks", "CreateAddon", **request) == ("InvalidParameterException", "Addon version specified is not supported")


def test_a_daemonset_addon_is_active_within_three_minutes_without_nodes(land: Landscape) -> None:
    land.eks()
    assert not bring_replicas("vpc-cni")
    made = land.call("eks", "CreateAddon", clusterName="demo", addonName="vpc-cni")["addon"]
    assert made["status"] == "CREATING"
    land.skip(60)
    assert land.call("eks", "DescribeAddon", clusterName="demo", addonName="vpc-cni")["addon"]["status"] == "CREATING"
    land.skip(120)
    assert land.call("eks", "DescribeAddon", clusterName="demo", addonName="vpc-cni")["addon"]["status"] == "ACTIVE"


def test_an_addon_with_replicas_is_degraded_for_as_long_as_there_is_no_node(land: Landscape) -> None:
    land.eks()
    land.addon("vpc-cni")
    addon = land.addon("coredns")
    assert addon["status"] == "DEGRADED"
    assert [issue["code"] for issue in addon["health"]["issues"]] == ["InsufficientNumberOfReplicas"]
    land.hyperpod()
    healed = land.call("eks", "DescribeAddon", clusterName="demo", addonName="coredns")["addon"]
    assert (healed["status"], healed["health"]) == ("ACTIVE", {"issues": []})


def test_a_degraded_addon_shows_the_scenarios_issue(land: Landscape) -> None:
    land.eks()
    fault = land.world.faults.add({"scenario": "addon_degraded", "addon": "vpc-cni", "code": "AccessDenied", "message": "no role"})
    addon = land.addon("vpc-cni")
    assert (addon["status"], addon["health"]["issues"]) == (
        "DEGRADED",
        [{"code": "AccessDenied", "message": "no role", "resourceIds": []}],
    )
    land.world.faults.remove(fault["id"])
    assert land.call("eks", "DescribeAddon", clusterName="demo", addonName="vpc-cni")["addon"]["status"] == "ACTIVE"


def test_an_addon_needs_an_active_cluster_and_is_there_once(land: Landscape) -> None:
    land.call("eks", "CreateCluster", **land.eks_request())
    assert land.refused("eks", "CreateAddon", clusterName="demo", addonName="vpc-cni")[0] == "InvalidRequestException"
    land.settle()
    land.addon("vpc-cni")
    assert land.refused("eks", "CreateAddon", clusterName="demo", addonName="vpc-cni")[0] == "ResourceInUseException"
    assert land.refused("eks", "CreateAddon", clusterName="demo", addonName="none")[0] == "InvalidParameterException"
    assert land.call("eks", "ListAddons", clusterName="demo") == {"addons": ["vpc-cni"]}


def test_configuration_is_checked_by_the_addons_schema(land: Landscape) -> None:
    land.eks()
    schema = land.call("eks", "DescribeAddonConfiguration", addonName="coredns", addonVersion="v1.13.1-eksbuild.1")
    assert "corefile" in json.loads(schema["configurationSchema"])["properties"]
    request = {"clusterName": "demo", "addonName": "coredns"}
    assert "replicaCounts" in land.refused("eks", "CreateAddon", **request, configurationValues='{"replicaCounts": 3}')[1]
    assert land.refused("eks", "CreateAddon", **request, configurationValues="{")[0] == "InvalidParameterException"
    assert land.addon("coredns", configurationValues="replicaCount: 3")["configurationValues"] == "replicaCount: 3"


def test_an_update_of_an_addon_can_be_followed(land: Landscape) -> None:
    land.eks()
    land.addon("vpc-cni", addonVersion="v1.20.4-eksbuild.2")
    update = land.call("eks", "UpdateAddon", clusterName="demo", addonName="vpc-cni", addonVersion="v1.21.1-eksbuild.1")["update"]
    where = {"name": "demo", "updateId": update["id"], "addonName": "vpc-cni"}
    assert land.call("eks", "DescribeUpdate", **where)["update"]["status"] == "InProgress"
    assert land.call("eks", "DescribeAddon", clusterName="demo", addonName="vpc-cni")["addon"]["status"] == "UPDATING"
    land.settle()
    assert land.call("eks", "DescribeUpdate", **where)["update"]["status"] == "Successful"
    addon = land.call("eks", "DescribeAddon", clusterName="demo", addonName="vpc-cni")["addon"]
    assert (addon["status"], addon["addonVersion"]) == ("ACTIVE", "v1.21.1-eksbuild.1")


def test_the_associations_an_addon_owns_come_and_go_with_it(land: Landscape) -> None:
    land.eks()
    role = land.role("pods", "pods.eks.amazonaws.com")
    wanted = [{"serviceAccount": "s3-csi-driver-sa", "roleArn": role}]
    addon = land.addon("aws-mountpoint-s3-csi-driver", podIdentityAssociations=wanted)
    listed = land.call("eks", "ListPodIdentityAssociations", clusterName="demo")["associations"]
    assert [(one["namespace"], one["ownerArn"]) for one in listed] == [("kube-system", addon["addonArn"])]
    assert addon["podIdentityAssociations"] == [listed[0]["associationArn"]]
    assert land.call("eks", "DeleteAddon", clusterName="demo", addonName=addon["addonName"])["addon"]["status"] == "DELETING"
    land.settle()
    assert land.call("eks", "ListPodIdentityAssociations", clusterName="demo")["associations"] == []
    assert land.refused("eks", "DescribeAddon", clusterName="demo", addonName=addon["addonName"])[0] == "ResourceNotFoundException"


@pytest.mark.parametrize("name", sorted(ADDONS))
def test_manifests_name_a_namespace_that_is_there_when_they_are_applied(name: str) -> None:
    made = {"kube-system", "default"}
    for document in manifests(name):
        if document["kind"] == "Namespace":
            made.add(document["metadata"]["name"])
        assert document["metadata"].get("namespace", "default") in made
        assert "conversion" not in document.get("spec", {})  # a conversion webhook without a server blocks the whole cluster
