"""What the caller of CreateCluster must be allowed to, besides the call itself."""

from __future__ import annotations

import json

import pytest

from sandbox.aws.errors import AWSError
from sandbox.identity import Principal
from sandbox.testing import call
from sandbox.tests.landscape import Landscape

NEEDED = ("sagemaker:CreateCluster", "iam:PassRole", "eks:DescribeCluster", "eks:CreateAccessEntry", "iam:CreateServiceLinkedRole")


def user(land: Landscape, *actions: str) -> Principal:
    statement = {"Effect": "Allow", "Action": [*actions], "Resource": "*"}
    land.call("iam", "CreateUser", UserName="limited")
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    land.call("iam", "PutUserPolicy", UserName="limited", PolicyName="only", PolicyDocument=document)
    made = land.call("iam", "CreateAccessKey", UserName="limited")["AccessKey"]
    key = land.world.identity.key(made["AccessKeyId"])
    assert key is not None
    return key.principal


def test_a_caller_with_all_of_it_makes_a_cluster(land: Landscape) -> None:
    land.ground()
    call(land.world, "sagemaker", "CreateCluster", land.hyperpod_request(), principal=user(land, *NEEDED))
    land.settle()
    assert land.statuses() == ["Running", "Running"]


@pytest.mark.parametrize("missing", NEEDED)
def test_a_caller_without_one_of_it_is_told_which_and_nothing_is_made(land: Landscape, missing: str) -> None:
    land.ground()
    limited = user(land, *(action for action in NEEDED if action != missing))
    with pytest.raises(AWSError) as caught:
        call(land.world, "sagemaker", "CreateCluster", land.hyperpod_request(), principal=limited)
    assert f"is not authorized to perform: {missing}" in caught.value.message
    assert land.call("sagemaker", "ListClusters")["ClusterSummaries"] == []
    assert land.call("eks", "ListAccessEntries", clusterName="demo")["accessEntries"] == []


def test_eks_needs_the_right_to_pass_its_role(land: Landscape) -> None:
    with pytest.raises(AWSError) as caught:
        call(land.world, "eks", "CreateCluster", land.eks_request(), principal=user(land, "eks:*"))
    assert "is not authorized to perform: iam:PassRole" in caught.value.message
