"""Access entries, access policies, pod identities."""

from __future__ import annotations

import pytest

from sandbox.tests.landscape import Landscape

ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@pytest.fixture
def person(land: Landscape) -> str:
    land.eks()
    return land.role("person", "ec2.amazonaws.com", path="/people/")


def test_a_second_entry_for_one_principal_is_refused(land: Landscape, person: str) -> None:
    entry = land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=person)["accessEntry"]
    assert entry["type"] == "STANDARD"
    assert entry["username"] == f"arn:aws:sts::{land.world.settings.account}:assumed-role/person/{{{{SessionName}}}}"
    assert land.refused("eks", "CreateAccessEntry", clusterName="demo", principalArn=person)[0] == "ResourceInUseException"
    assert land.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"] == [person]


def test_the_arn_of_a_session_is_refused(land: Landscape, person: str) -> None:
    session = f"arn:aws:sts::{land.world.settings.account}:assumed-role/person/me"
    code, message = land.refused("eks", "CreateAccessEntry", clusterName="demo", principalArn=session)
    assert (code, message) == ("InvalidParameterException", "The specified principalArn is invalid: invalid principal.")


def test_a_role_that_does_not_exist_or_lacks_its_path_is_refused(land: Landscape, person: str) -> None:
    for arn in (person.replace("/people/", "/"), f"{person}x"):
        assert land.refused("eks", "CreateAccessEntry", clusterName="demo", principalArn=arn)[0] == "InvalidParameterException"


def test_policies_are_associated_once_listed_and_taken_away(land: Landscape, person: str) -> None:
    land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=person)
    where = {"clusterName": "demo", "principalArn": person}
    land.call("eks", "AssociateAccessPolicy", **where, policyArn=ADMIN, accessScope={"type": "cluster"})
    land.call("eks", "AssociateAccessPolicy", **where, policyArn=ADMIN, accessScope={"type": "namespace", "namespaces": ["team"]})
    found = land.call("eks", "ListAssociatedAccessPolicies", **where)["associatedAccessPolicies"]
    assert [(one["policyArn"], one["accessScope"]) for one in found] == [(ADMIN, {"type": "namespace", "namespaces": ["team"]})]
    assert land.call("eks", "ListAccessEntries", clusterName="demo", associatedPolicyArn=ADMIN)["accessEntries"] == [person]
    land.call("eks", "DisassociateAccessPolicy", **where, policyArn=ADMIN)
    assert land.call("eks", "ListAssociatedAccessPolicies", **where)["associatedAccessPolicies"] == []


def test_unknown_policies_and_scopes_without_namespaces_are_refused(land: Landscape, person: str) -> None:
    land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=person)
    where = {"clusterName": "demo", "principalArn": person}
    unknown = {"policyArn": f"{ADMIN}x", "accessScope": {"type": "cluster"}}
    assert land.refused("eks", "AssociateAccessPolicy", **where, **unknown)[0] == "InvalidParameterException"
    scopeless = {"policyArn": ADMIN, "accessScope": {"type": "namespace"}}
    assert land.refused("eks", "AssociateAccessPolicy", **where, **scopeless)[0] == "InvalidParameterException"


def test_entries_need_an_authentication_mode_that_reads_them(land: Landscape) -> None:
    land.eks(accessConfig={"authenticationMode": "CONFIG_MAP"})
    code, message = land.refused("eks", "CreateAccessEntry", clusterName="demo", principalArn=land.execution_role)
    assert code == "InvalidRequestException"
    assert "API_AND_CONFIG_MAP" in message


def test_the_creator_is_admitted_unless_told_otherwise(land: Landscape) -> None:
    land.eks(accessConfig={"authenticationMode": "API"})
    user = f"arn:aws:iam::{land.world.settings.account}:user/sandbox"
    assert land.call("eks", "ListAccessEntries", clusterName="demo", associatedPolicyArn=ADMIN)["accessEntries"] == [user]


def test_node_entries_have_groups_of_their_own_and_take_no_policies(land: Landscape, person: str) -> None:
    entry = land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=person, type="HYPERPOD_LINUX")["accessEntry"]
    assert entry["kubernetesGroups"] == ["system:nodes"]
    policy = {"policyArn": ADMIN, "accessScope": {"type": "cluster"}}
    assert land.refused("eks", "AssociateAccessPolicy", clusterName="demo", principalArn=person, **policy)[0] == "InvalidRequestException"


def test_entries_and_associations_go_with_their_cluster(land: Landscape, person: str) -> None:
    land.call("eks", "CreateAccessEntry", clusterName="demo", principalArn=person)
    land.call("eks", "DeleteCluster", name="demo")
    land.settle()
    assert land.world.store.keys("eks.access-entry", f"{land.world.settings.account}/{land.region}") == []


def test_one_association_a_service_account(land: Landscape) -> None:
    land.eks()
    role = land.role("pods", "pods.eks.amazonaws.com")
    where = {"clusterName": "demo", "namespace": "team", "serviceAccount": "trainer", "roleArn": role}
    made = land.call("eks", "CreatePodIdentityAssociation", **where, clientRequestToken="a")["association"]
    assert land.call("eks", "CreatePodIdentityAssociation", **where, clientRequestToken="a")["association"] == made
    assert land.refused("eks", "CreatePodIdentityAssociation", **where, clientRequestToken="b")[0] == "ResourceInUseException"
    listed = land.call("eks", "ListPodIdentityAssociations", clusterName="demo", namespace="team")["associations"]
    assert [one["associationId"] for one in listed] == [made["associationId"]]
    land.call("eks", "DeletePodIdentityAssociation", clusterName="demo", associationId=made["associationId"])
    assert land.call("eks", "ListPodIdentityAssociations", clusterName="demo")["associations"] == []


def test_a_role_that_does_not_trust_pods_is_refused(land: Landscape) -> None:
    land.eks()
    where = {"clusterName": "demo", "namespace": "team", "serviceAccount": "trainer", "roleArn": land.eks_role}
    assert land.refused("eks", "CreatePodIdentityAssociation", **where)[0] == "InvalidParameterException"
