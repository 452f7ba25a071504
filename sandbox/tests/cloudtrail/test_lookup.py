"""Who did what: events of the sandbox's own calls, told after a while, by one attribute."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sandbox.aws.cloudtrail import limit
from sandbox.aws.errors import AWSError
from sandbox.durations import duration
from sandbox.identity import Principal
from sandbox.testing import call
from sandbox.tests.cloudformation.conftest import ROLE, VPC, Cloudformation
from sandbox.world import World

Aws = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests ask faster than a person; the limit has a test of its own."""
    monkeypatch.setattr(limit, "CALLS", 1000)


def events(world: World, region: str = "", **attribute: str) -> list[dict[str, Any]]:
    """What LookupEvents tells now, newest first."""
    params: dict[str, Any] = {}
    if attribute:
        ((key, value),) = attribute.items()
        params = {"LookupAttributes": [{"AttributeKey": key, "AttributeValue": value}]}
    found: list[dict[str, Any]] = call(world, "cloudtrail", "LookupEvents", params, region=region)["Events"]
    return found


def later(world: World) -> None:
    world.fast_forward(duration("cloudtrail.delivery"))


def test_a_change_is_told_only_after_a_while_and_with_who_did_it(world: World, aws: Aws) -> None:
    vpc = aws("ec2", "CreateVpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    world.fast_forward(duration("cloudtrail.delivery") - 1)
    assert events(world) == []
    world.fast_forward(1)
    (event,) = events(world)
    assert (event["EventName"], event["EventSource"], event["Username"]) == ("CreateVpc", "ec2.amazonaws.com", "sandbox")
    assert event["Resources"] == [{"ResourceType": "AWS::EC2::VPC", "ResourceName": vpc}]
    whole = json.loads(event["CloudTrailEvent"])
    assert whole["userIdentity"]["arn"] == "arn:aws:iam::123456789012:user/sandbox"
    assert whole["userIdentity"]["type"] == "IAMUser"
    assert whole["requestParameters"] == {"cidrBlock": "10.0.0.0/16"}
    assert (whole["eventID"], whole["readOnly"]) == (event["EventId"], False)


def test_reads_and_data_leave_no_event(world: World, aws: Aws) -> None:
    aws("ec2", "DescribeVpcs")
    aws("s3", "CreateBucket", Bucket="a-bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    aws("s3", "PutObject", Bucket="a-bucket", Key="k", Body=b"x")
    later(world)
    assert [event["EventName"] for event in events(world)] == ["CreateBucket"]


def test_a_refused_call_is_told_with_its_error(world: World, aws: Aws) -> None:
    with pytest.raises(AWSError):
        aws("ec2", "DeleteVpc", VpcId="vpc-00000000000000000")
    later(world)
    (event,) = events(world, EventName="DeleteVpc")
    assert json.loads(event["CloudTrailEvent"])["errorCode"] == "InvalidVpcID.NotFound"


def test_events_are_found_by_each_attribute(world: World, aws: Aws) -> None:
    first = aws("ec2", "CreateVpc", CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    aws("ec2", "CreateVpc", CidrBlock="10.1.0.0/16")
    aws("logs", "CreateLogGroup", logGroupName="/g")
    later(world)
    (event,) = events(world, ResourceName=first)
    assert events(world, EventId=event["EventId"]) == [event]
    assert len(events(world, EventName="CreateVpc")) == 2
    assert len(events(world, ResourceType="AWS::EC2::VPC")) == 2
    assert [one["EventName"] for one in events(world, EventSource="logs.amazonaws.com")] == ["CreateLogGroup"]
    assert len(events(world, Username="sandbox")) == 3
    assert len(events(world, AccessKeyId=event["AccessKeyId"])) == 3
    assert events(world, ReadOnly="true") == []
    assert len(events(world, ReadOnly="false")) == 3


def test_a_sessions_event_names_the_role_behind_it(world: World) -> None:
    session = Principal(
        arn="arn:aws:sts::123456789012:assumed-role/Ops/ana",
        account="123456789012",
        kind="assumed-role",
        user_id="AROAEXAMPLE:ana",
        role_arn="arn:aws:iam::123456789012:role/Ops",
        access_key="ASIAEXAMPLE",
    )
    world.identity.authorizer = None
    call(world, "ec2", "CreateVpc", {"CidrBlock": "10.0.0.0/16"}, principal=session)
    later(world)
    (event,) = events(world, Username="ana")
    identity = json.loads(event["CloudTrailEvent"])["userIdentity"]
    assert identity["sessionContext"]["sessionIssuer"]["arn"] == "arn:aws:iam::123456789012:role/Ops"


def test_what_cloudformation_does_is_told_as_its_callers_doing_and_iam_in_its_home_region(world: World) -> None:
    cfn = Cloudformation(world)
    cfn.stack({"Vpc": VPC, "Role": ROLE})
    later(world)
    (made,) = events(world, EventName="CreateVpc")
    identity = json.loads(made["CloudTrailEvent"])["userIdentity"]
    assert (identity["userName"], identity["invokedBy"]) == ("sandbox", "cloudformation.amazonaws.com")
    assert events(world, EventName="CreateRole") == []
    assert [one["EventName"] for one in events(world, region="us-east-1", EventName="CreateRole")] == ["CreateRole"]


def test_what_the_model_calls_sensitive_is_hidden(world: World, aws: Aws) -> None:
    aws("iam", "CreateUser", UserName="u")
    aws("iam", "CreateAccessKey", UserName="u")
    later(world)
    told = json.dumps(events(world, region="us-east-1"))
    assert "SecretAccessKey" not in told


def test_pages_and_times_narrow_what_is_told(world: World, aws: Aws) -> None:
    for number in range(3):
        aws("logs", "CreateLogGroup", logGroupName=f"/{number}")
    later(world)
    first = call(world, "cloudtrail", "LookupEvents", {"MaxResults": 2})
    rest = call(world, "cloudtrail", "LookupEvents", {"MaxResults": 2, "NextToken": first["NextToken"]})
    names = [event["Resources"][0]["ResourceName"] for event in [*first["Events"], *rest["Events"]]]
    assert names == ["/2", "/1", "/0"]
    assert "NextToken" not in rest
    future = world.clock.wall(world.clock.now()) + 60
    assert call(world, "cloudtrail", "LookupEvents", {"StartTime": future, "EndTime": future + 1})["Events"] == []
    with pytest.raises(AWSError) as caught:
        call(world, "cloudtrail", "LookupEvents", {"StartTime": 2, "EndTime": 1})
    assert caught.value.code == "InvalidTimeRangeException"
    with pytest.raises(AWSError) as caught:
        call(world, "cloudtrail", "LookupEvents", {"NextToken": "x"})
    assert caught.value.code == "InvalidNextTokenException"


def test_the_third_call_of_a_second_is_throttled_and_a_later_one_answered(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limit, "CALLS", 2)
    moment = 100.0
    monkeypatch.setattr(limit.time, "monotonic", lambda: moment)
    events(world), events(world)
    with pytest.raises(AWSError) as caught:
        events(world)
    assert (caught.value.code, caught.value.message) == ("ThrottlingException", "Rate exceeded")
    assert events(world, region="us-east-1") == []
    moment = 101.5
    assert events(world) == []
