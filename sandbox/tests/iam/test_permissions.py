"""Who may do what: policies on real calls, and the simulation of them."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.aws.errors import AWSError
from sandbox.tests.iam.conftest import Iam, allow, deny, policy

SANDBOX = "arn:aws:iam::123456789012:user/sandbox"


def denied(iam: Iam, document: str, service: str, operation: str, **params: Any) -> AWSError:
    user = iam.user("ann", document)
    with pytest.raises(AWSError) as caught:
        iam.as_user(user, service, operation, **params)
    return caught.value


def test_what_no_policy_allows_is_denied_with_the_action_in_the_sentence(iam: Iam) -> None:
    error = denied(iam, policy(allow("s3:*")), "iam", "ListRoles")
    assert (error.code, error.status) == ("AccessDenied", 403)
    assert error.message == (
        "User: arn:aws:iam::123456789012:user/ann is not authorized to perform: iam:ListRoles on resource: * "
        "because no identity-based policy allows the iam:ListRoles action"
    )


def test_a_deny_beats_an_allow(iam: Iam) -> None:
    error = denied(iam, policy(allow("*"), deny("ec2:CreateVpc")), "ec2", "CreateVpc", CidrBlock="10.1.0.0/16")
    assert error.code == "UnauthorizedOperation"
    assert error.message.endswith("with an explicit deny in an identity-based policy")
    assert [entry for entry in iam.world.ledger.entries() if entry["kind"] == "ec2.vpc"] == []


def test_an_allow_may_name_its_resources(iam: Iam) -> None:
    user = iam.user("ann", policy(allow("iam:GetRole", "arn:aws:iam::123456789012:role/tools/*")))
    iam.role("inside", Path="/tools/")
    iam.role("outside")
    assert iam.as_user(user, "iam", "GetRole", RoleName="inside")["Role"]["RoleName"] == "inside"
    with pytest.raises(AWSError) as caught:
        iam.as_user(user, "iam", "GetRole", RoleName="outside")
    assert caught.value.code == "AccessDenied"


def test_not_action_allows_everything_else(iam: Iam) -> None:
    user = iam.user("ann", policy({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"}))
    assert iam.as_user(user, "ec2", "DescribeVpcs")["Vpcs"] != []
    with pytest.raises(AWSError):
        iam.as_user(user, "iam", "ListRoles")


def test_a_permissions_boundary_limits_what_policies_allow(iam: Iam) -> None:
    user = iam.user("ann", policy(allow("*")))
    iam("PutUserPermissionsBoundary", UserName="ann", PermissionsBoundary="arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess")
    with pytest.raises(AWSError):
        iam.as_user(user, "ec2", "DescribeVpcs")
    iam("DeleteUserPermissionsBoundary", UserName="ann")
    assert iam.as_user(user, "ec2", "DescribeVpcs")["Vpcs"] != []


def test_a_role_that_cannot_be_passed_is_not_passed(iam: Iam) -> None:
    role = iam.role("cluster")
    user = iam.user("ann", policy(allow("*"), deny("iam:PassRole", role)))
    template = "Resources: {B: {Type: 'AWS::EC2::InternetGateway'}}"
    with pytest.raises(AWSError) as caught:
        iam.as_user(user, "cloudformation", "CreateStack", StackName="s", TemplateBody=template, RoleARN=role)
    assert "iam:PassRole" in caught.value.message


def test_the_simulation_tells_allowed_implicit_and_explicit(iam: Iam) -> None:
    arn = iam.role()
    document = policy(allow("s3:Get*", "arn:aws:s3:::data/*"), deny("s3:GetObject", "arn:aws:s3:::data/secret/*"))
    iam("PutRolePolicy", RoleName="worker", PolicyName="own", PolicyDocument=document)
    resources = ["arn:aws:s3:::data/a", "arn:aws:s3:::data/secret/a", "arn:aws:s3:::other/a"]
    assert iam.decisions(arn, ["s3:GetObject"], ResourceArns=resources) == ["allowed", "explicitDeny", "implicitDeny"]
    assert iam.decisions(arn, ["s3:GetObject", "s3:PutObject"]) == ["implicitDeny", "implicitDeny"]


def test_the_simulation_names_context_keys_it_was_not_given(iam: Iam) -> None:
    arn = iam.role()
    statement = allow("iam:PassRole", Condition={"StringEquals": {"iam:PassedToService": "eks.amazonaws.com"}})
    iam("PutRolePolicy", RoleName="worker", PolicyName="own", PolicyDocument=policy(statement))
    (without,) = iam("SimulatePrincipalPolicy", PolicySourceArn=arn, ActionNames=["iam:PassRole"])["EvaluationResults"]
    assert (without["EvalDecision"], without["MissingContextValues"]) == ("implicitDeny", ["iam:PassedToService"])
    entry = {"ContextKeyName": "iam:PassedToService", "ContextKeyValues": ["eks.amazonaws.com"], "ContextKeyType": "string"}
    assert iam.decisions(arn, ["iam:PassRole"], ContextEntries=[entry]) == ["allowed"]


def test_an_access_denied_fault_shows_in_the_simulation_until_it_has_struck(iam: Iam) -> None:
    assert iam.decisions(SANDBOX, ["eks:CreateCluster"]) == ["allowed"]
    iam.world.faults.add({"kind": "access_denied", "service": "eks", "operation": "CreateCluster"})
    assert iam.decisions(SANDBOX, ["eks:CreateCluster", "eks:DescribeCluster"]) == ["explicitDeny", "allowed"]
    iam.world.faults.take("eks", "CreateCluster")
    assert iam.decisions(SANDBOX, ["eks:CreateCluster"]) == ["allowed"]


def test_a_session_has_no_policies_of_its_own_to_simulate(iam: Iam) -> None:
    refused = iam.refused(
        "SimulatePrincipalPolicy", PolicySourceArn="arn:aws:sts::123456789012:assumed-role/worker/s", ActionNames=["s3:GetObject"]
    )
    assert refused[0] == "InvalidInput"


def test_custom_policies_are_simulated_and_asked_for_their_keys(iam: Iam) -> None:
    document = policy(allow("s3:GetObject", Condition={"Bool": {"aws:SecureTransport": "true"}}))
    results = iam("SimulateCustomPolicy", PolicyInputList=[document], ActionNames=["s3:GetObject"])["EvaluationResults"]
    assert [result["EvalDecision"] for result in results] == ["implicitDeny"]
    assert iam("GetContextKeysForCustomPolicy", PolicyInputList=[document]) == {"ContextKeyNames": ["aws:SecureTransport"]}


def test_the_hyperpod_instance_policy_reads_buckets_of_the_sagemaker_prefix_only(iam: Iam) -> None:
    arn = iam.role()
    iam("AttachRolePolicy", RoleName="worker", PolicyArn="arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy")
    resources = ["arn:aws:s3:::sagemaker-demo/lifecycle/on_create.sh", "arn:aws:s3:::demo/lifecycle/on_create.sh"]
    assert iam.decisions(arn, ["s3:GetObject"], ResourceArns=resources) == ["allowed", "implicitDeny"]
