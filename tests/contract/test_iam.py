"""IAM by the real aws command and boto3."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
READ = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::data/*"}]}


def test_a_role_is_made_read_and_deleted(sandbox: Sandbox) -> None:
    made = sandbox.aws(
        "iam", "create-role", "--role-name", "worker", "--path", "/tools/", "--assume-role-policy-document", json.dumps(TRUST)
    )["Role"]
    assert made["Arn"] == "arn:aws:iam::123456789012:role/tools/worker"
    read = sandbox.aws("iam", "get-role", "--role-name", "worker")["Role"]
    assert read["AssumeRolePolicyDocument"] == TRUST
    sandbox.aws("iam", "put-role-policy", "--role-name", "worker", "--policy-name", "read", "--policy-document", json.dumps(READ))
    assert sandbox.aws("iam", "get-role-policy", "--role-name", "worker", "--policy-name", "read")["PolicyDocument"] == READ
    policy = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
    sandbox.aws("iam", "attach-role-policy", "--role-name", "worker", "--policy-arn", policy)
    attached = sandbox.aws("iam", "list-attached-role-policies", "--role-name", "worker")["AttachedPolicies"]
    assert attached == [{"PolicyName": "AmazonEKSClusterPolicy", "PolicyArn": policy}]
    refused = sandbox.run("iam", "delete-role", "--role-name", "worker")
    assert "(DeleteConflict) when calling the DeleteRole operation: Cannot delete entity, must detach all policies first." in refused.stderr
    sandbox.aws("iam", "detach-role-policy", "--role-name", "worker", "--policy-arn", policy)
    sandbox.aws("iam", "delete-role-policy", "--role-name", "worker", "--policy-name", "read")
    sandbox.aws("iam", "delete-role", "--role-name", "worker")
    gone = sandbox.run("iam", "get-role", "--role-name", "worker")
    assert "(NoSuchEntity) when calling the GetRole operation: The role with name worker cannot be found." in gone.stderr


def test_lists_come_in_pages(sandbox: Sandbox) -> None:
    iam = sandbox.client("iam")
    for number in range(5):
        iam.create_role(RoleName=f"r{number}", AssumeRolePolicyDocument=json.dumps(TRUST))
    pages = list(iam.get_paginator("list_roles").paginate(PaginationConfig={"PageSize": 2}))
    assert [[role["RoleName"] for role in page["Roles"]] for page in pages] == [["r0", "r1"], ["r2", "r3"], ["r4"]]
    assert [page["IsTruncated"] for page in pages] == [True, True, False]


def test_permissions_are_simulated_and_faults_show_in_it(sandbox: Sandbox) -> None:
    def decisions() -> dict[str, str]:
        results = sandbox.aws(
            "iam",
            "simulate-principal-policy",
            "--policy-source-arn",
            "arn:aws:iam::123456789012:user/sandbox",
            "--action-names",
            "eks:CreateCluster",
            "ec2:CreateVpc",
        )["EvaluationResults"]
        return {result["EvalActionName"]: result["EvalDecision"] for result in results}

    assert decisions() == {"eks:CreateCluster": "allowed", "ec2:CreateVpc": "allowed"}
    sandbox.fault(kind="access_denied", service="eks", operation="CreateCluster")
    assert decisions() == {"eks:CreateCluster": "explicitDeny", "ec2:CreateVpc": "allowed"}


def test_a_user_with_a_key_may_do_what_its_policy_allows(sandbox: Sandbox) -> None:
    iam = sandbox.client("iam")
    iam.create_user(UserName="ann")
    document = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "ec2:Describe*", "Resource": "*"}]}
    iam.put_user_policy(UserName="ann", PolicyName="look", PolicyDocument=json.dumps(document))
    key = iam.create_access_key(UserName="ann")["AccessKey"]
    credentials = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
    assert len(sandbox.client("ec2", **credentials).describe_vpcs()["Vpcs"]) == 1
    with pytest.raises(ClientError) as caught:
        sandbox.client("ec2", **credentials).create_vpc(CidrBlock="10.1.0.0/16")
    error = caught.value.response
    assert (error["Error"]["Code"], error["ResponseMetadata"]["HTTPStatusCode"]) == ("UnauthorizedOperation", 403)
    assert "is not authorized to perform: ec2:CreateVpc" in error["Error"]["Message"]


def test_a_role_that_trusts_a_user_is_assumed_with_its_own_rights(sandbox: Sandbox) -> None:
    iam = sandbox.client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::123456789012:root"}, "Action": "sts:AssumeRole"}],
    }
    arn = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    iam.put_role_policy(RoleName="reader", PolicyName="read", PolicyDocument=json.dumps(READ))
    session = sandbox.client("sts").assume_role(RoleArn=arn, RoleSessionName="look")["Credentials"]
    credentials = {
        "aws_access_key_id": session["AccessKeyId"],
        "aws_secret_access_key": session["SecretAccessKey"],
        "aws_session_token": session["SessionToken"],
    }
    identity = sandbox.client("sts", **credentials).get_caller_identity()
    assert identity["Arn"] == "arn:aws:sts::123456789012:assumed-role/reader/look"
    with pytest.raises(ClientError) as caught:
        sandbox.client("iam", **credentials).list_roles()
    assert caught.value.response["Error"]["Code"] == "AccessDenied"


def test_policies_profiles_and_providers_by_the_command(sandbox: Sandbox) -> None:
    arn = sandbox.aws("iam", "create-policy", "--policy-name", "read", "--policy-document", json.dumps(READ))["Policy"]["Arn"]
    version = sandbox.aws("iam", "get-policy-version", "--policy-arn", arn, "--version-id", "v1")["PolicyVersion"]
    assert version["Document"] == READ
    sandbox.aws("iam", "create-instance-profile", "--instance-profile-name", "p")
    assert "(EntityAlreadyExists)" in sandbox.run("iam", "create-instance-profile", "--instance-profile-name", "p").stderr
    url = "https://oidc.eks.us-west-2.amazonaws.com/id/ABC"
    provider = sandbox.aws("iam", "create-open-id-connect-provider", "--url", url, "--client-id-list", "sts.amazonaws.com")
    listed = sandbox.aws("iam", "list-open-id-connect-providers")["OpenIDConnectProviderList"]
    assert [one["Arn"] for one in listed] == [provider["OpenIDConnectProviderArn"]]
    sandbox.aws("iam", "delete-policy", "--policy-arn", arn)
    assert sandbox.aws("iam", "list-policies", "--scope", "Local")["Policies"] == []


def test_an_invalid_parameter_is_refused_by_the_model(sandbox: Sandbox) -> None:
    refused = sandbox.run("iam", "create-role", "--role-name", "no spaces", "--assume-role-policy-document", json.dumps(TRUST))
    assert "(ValidationError)" in refused.stderr
    assert "roleName" in refused.stderr
