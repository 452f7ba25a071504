"""Roles, policies, instance profiles, OIDC providers and users: what IAM refuses, and in which order things can go."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from sandbox.aws.iam.role import ensure_service_linked_role
from sandbox.tests.iam.conftest import EKS, Iam, allow, policy, trust

CLUSTER_POLICY = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"


def test_a_role_carries_its_path_trust_and_session_length(iam: Iam) -> None:
    arn = iam.role("portal", Path="/tools/", MaxSessionDuration=7200, Tags=[{"Key": "team", "Value": "ml"}])
    role = iam("GetRole", RoleName="portal")["Role"]
    assert arn == role["Arn"] == "arn:aws:iam::123456789012:role/tools/portal"
    assert json.loads(unquote(role["AssumeRolePolicyDocument"])) == json.loads(EKS)
    assert (role["MaxSessionDuration"], role["Tags"]) == (7200, [{"Key": "team", "Value": "ml"}])
    assert role["RoleId"].startswith("AROA")
    assert iam.alive() == [("iam.role", "portal")]


def test_a_role_name_is_used_once(iam: Iam) -> None:
    iam.role()
    refused = iam.refused("CreateRole", RoleName="worker", AssumeRolePolicyDocument=EKS)
    assert refused == ("EntityAlreadyExists", "Role with name worker already exists.")


def test_a_missing_role_is_named(iam: Iam) -> None:
    assert iam.refused("GetRole", RoleName="nobody") == ("NoSuchEntity", "The role with name nobody cannot be found.")


def test_a_role_goes_only_when_it_holds_nothing(iam: Iam) -> None:
    iam.role()
    iam("AttachRolePolicy", RoleName="worker", PolicyArn=CLUSTER_POLICY)
    iam("PutRolePolicy", RoleName="worker", PolicyName="own", PolicyDocument=policy(allow("s3:GetObject")))
    iam("CreateInstanceProfile", InstanceProfileName="profile")
    iam("AddRoleToInstanceProfile", InstanceProfileName="profile", RoleName="worker")
    steps = [
        ("remove roles from instance profile", "RemoveRoleFromInstanceProfile", {"InstanceProfileName": "profile", "RoleName": "worker"}),
        ("detach all policies", "DetachRolePolicy", {"RoleName": "worker", "PolicyArn": CLUSTER_POLICY}),
        ("delete policies", "DeleteRolePolicy", {"RoleName": "worker", "PolicyName": "own"}),
    ]
    for told, operation, params in steps:
        assert iam.refused("DeleteRole", RoleName="worker") == ("DeleteConflict", f"Cannot delete entity, must {told} first.")
        iam(operation, **params)
    iam("DeleteRole", RoleName="worker")
    assert iam.alive() == [("iam.instance-profile", "profile")]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "This policy contains invalid Json"),
        (policy({"Effect": "Allow", "Action": "sts:AssumeRole"}), "Missing required field Principal"),
        (trust(Service="eks.amazonaws.com").replace('"Action"', '"Resource": "*", "Action"'), "Has prohibited field Resource"),
        (
            policy({"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "s3:GetObject"}),
            "AssumeRole policy may only specify STS AssumeRole actions.",
        ),
        (
            trust(AWS="arn:aws:iam::123456789012:role/nobody"),
            'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/nobody"',
        ),
    ],
)
def test_a_trust_policy_that_iam_would_refuse_is_refused(iam: Iam, document: str, message: str) -> None:
    assert iam.refused("CreateRole", RoleName="worker", AssumeRolePolicyDocument=document) == ("MalformedPolicyDocument", message)
    assert iam.alive() == []


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (policy({"Effect": "Allow", "Action": "s3:GetObject"}), "Policy statement must contain resources."),
        (policy({"Effect": "Allow", "Resource": "*"}), "Policy statement must contain actions."),
        (policy(allow("GetObject")), "Actions/Conditions must be prefaced by a vendor, e.g., iam, sdb, ec2, etc."),
        (policy(allow("s3:GetObject", "bucket")), 'Resource bucket must be in ARN format or "*".'),
        (policy({**allow("s3:GetObject"), "Principal": "*"}), "Policy document should not specify a principal."),
        (json.dumps({"Version": "2020-01-01", "Statement": [allow("s3:*")]}), "The policy must contain a valid version string"),
    ],
)
def test_an_identity_policy_that_iam_would_refuse_is_refused(iam: Iam, document: str, message: str) -> None:
    iam.role()
    refused = iam.refused("PutRolePolicy", RoleName="worker", PolicyName="own", PolicyDocument=document)
    assert refused == ("MalformedPolicyDocument", message)
    assert iam("ListRolePolicies", RoleName="worker")["PolicyNames"] == []


def test_inline_policies_have_a_size_limit_together(iam: Iam) -> None:
    iam.role()
    large = policy(allow("s3:GetObject", [f"arn:aws:s3:::{'b' * 60}/{number}" for number in range(80)]))
    iam("PutRolePolicy", RoleName="worker", PolicyName="one", PolicyDocument=large)
    refused = iam.refused("PutRolePolicy", RoleName="worker", PolicyName="two", PolicyDocument=large)
    assert refused == ("LimitExceeded", "Maximum policy size of 10240 bytes exceeded for role worker")


def test_a_managed_policy_has_five_versions_and_keeps_its_default_one(iam: Iam) -> None:
    arn = iam("CreatePolicy", PolicyName="own", PolicyDocument=policy(allow("s3:GetObject")))["Policy"]["Arn"]
    for _ in range(4):
        iam("CreatePolicyVersion", PolicyArn=arn, PolicyDocument=policy(allow("s3:PutObject")), SetAsDefault=True)
    assert iam.refused("CreatePolicyVersion", PolicyArn=arn, PolicyDocument=policy(allow("s3:*")))[0] == "LimitExceeded"
    assert iam.refused("DeletePolicyVersion", PolicyArn=arn, VersionId="v5")[0] == "DeleteConflict"
    assert iam.refused("DeletePolicy", PolicyArn=arn)[0] == "DeleteConflict"
    for number in range(1, 5):
        iam("DeletePolicyVersion", PolicyArn=arn, VersionId=f"v{number}")
    iam("DeletePolicy", PolicyArn=arn)
    assert iam.alive() == []


def test_an_attached_policy_is_not_deleted(iam: Iam) -> None:
    arn = iam("CreatePolicy", PolicyName="own", PolicyDocument=policy(allow("s3:GetObject")))["Policy"]["Arn"]
    iam.role()
    iam("AttachRolePolicy", RoleName="worker", PolicyArn=arn)
    assert iam("GetPolicy", PolicyArn=arn)["Policy"]["AttachmentCount"] == 1
    assert iam.refused("DeletePolicy", PolicyArn=arn) == ("DeleteConflict", "Cannot delete a policy attached to entities.")
    assert [role["RoleName"] for role in iam("ListEntitiesForPolicy", PolicyArn=arn)["PolicyRoles"]] == ["worker"]


def test_a_policy_that_is_not_there_is_not_attached(iam: Iam) -> None:
    iam.role()
    assert iam.refused("AttachRolePolicy", RoleName="worker", PolicyArn="arn:aws:iam::aws:policy/Nothing")[0] == "NoSuchEntity"
    assert iam("ListAttachedRolePolicies", RoleName="worker")["AttachedPolicies"] == []


def test_an_oidc_provider_is_known_by_its_address(iam: Iam) -> None:
    url = "https://oidc.eks.us-west-2.amazonaws.com/id/ABC"
    arn = iam("CreateOpenIDConnectProvider", Url=url, ClientIDList=["sts.amazonaws.com"])["OpenIDConnectProviderArn"]
    assert arn == "arn:aws:iam::123456789012:oidc-provider/oidc.eks.us-west-2.amazonaws.com/id/ABC"
    assert iam.refused("CreateOpenIDConnectProvider", Url=url) == ("EntityAlreadyExists", f"Provider with url {url} already exists.")
    assert iam("GetOpenIDConnectProvider", OpenIDConnectProviderArn=arn)["Url"] == url.removeprefix("https://")
    iam("DeleteOpenIDConnectProvider", OpenIDConnectProviderArn=arn)
    iam("DeleteOpenIDConnectProvider", OpenIDConnectProviderArn=arn)
    assert iam.alive() == []


def test_a_service_linked_role_is_made_once_and_only_aws_changes_it(iam: Iam) -> None:
    context = iam.world.context("eks")
    first, second = (ensure_service_linked_role(context, "eks.amazonaws.com") for _ in range(2))
    assert first["RoleId"] == second["RoleId"]
    assert iam.refused("DeleteRole", RoleName="AWSServiceRoleForAmazonEKS")[0] == "UnmodifiableEntity"
    assert iam.refused("CreateServiceLinkedRole", AWSServiceName="eks.amazonaws.com")[0] == "InvalidInput"
    assert iam.alive() == []


def test_the_first_user_is_an_administrator_nobody_made(iam: Iam) -> None:
    user = iam("GetUser")["User"]
    assert (user["UserName"], user["Arn"]) == ("sandbox", "arn:aws:iam::123456789012:user/sandbox")
    assert iam("ListAttachedUserPolicies", UserName="sandbox")["AttachedPolicies"][0]["PolicyName"] == "AdministratorAccess"
    assert [key["AccessKeyId"] for key in iam("ListAccessKeys")["AccessKeyMetadata"]] == ["AKIASANDBOX0000000"]
    assert iam.alive() == []


def test_a_users_key_works_until_it_is_deleted(iam: Iam) -> None:
    iam("CreateUser", UserName="ann")
    key = iam("CreateAccessKey", UserName="ann")["AccessKey"]
    found = iam.world.identity.key(key["AccessKeyId"])
    assert found is not None
    assert (found.secret_key, found.principal.arn) == (key["SecretAccessKey"], "arn:aws:iam::123456789012:user/ann")
    assert iam.refused("DeleteUser", UserName="ann")[0] == "DeleteConflict"
    iam("DeleteAccessKey", UserName="ann", AccessKeyId=key["AccessKeyId"])
    assert iam.world.identity.key(key["AccessKeyId"]) is None
    iam("DeleteUser", UserName="ann")
    assert iam.alive() == []
