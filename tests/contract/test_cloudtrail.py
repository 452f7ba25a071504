"""CloudTrail by the real aws command and boto3."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from sandbox.durations import DURATIONS
from tests.contract.conftest import Sandbox


def test_the_command_finds_who_made_and_changed_a_resource(sandbox: Sandbox) -> None:
    vpc = sandbox.aws("ec2", "create-vpc", "--cidr-block", "10.0.0.0/16")["Vpc"]["VpcId"]
    sandbox.aws("ec2", "modify-vpc-attribute", "--vpc-id", vpc, "--enable-dns-hostnames")
    lookup = ("cloudtrail", "lookup-events", "--lookup-attributes", f"AttributeKey=ResourceName,AttributeValue={vpc}")
    assert sandbox.aws(*lookup)["Events"] == []
    sandbox.fast_forward(DURATIONS["cloudtrail.delivery"])
    found = sandbox.aws(*lookup)["Events"]
    assert [(event["EventName"], event["Username"], event["ReadOnly"]) for event in found] == [
        ("ModifyVpcAttribute", "sandbox", "false"),
        ("CreateVpc", "sandbox", "false"),
    ]
    assert json.loads(found[0]["CloudTrailEvent"])["userIdentity"]["arn"] == "arn:aws:iam::123456789012:user/sandbox"


def test_pages_end_and_another_attribute_too_many_is_refused(sandbox: Sandbox) -> None:
    logs, trail = sandbox.client("logs"), sandbox.client("cloudtrail", attempts=10)
    for number in range(3):
        logs.create_log_group(logGroupName=f"/{number}")
    sandbox.fast_forward(DURATIONS["cloudtrail.delivery"])
    pages = trail.get_paginator("lookup_events").paginate(
        LookupAttributes=[{"AttributeKey": "EventName", "AttributeValue": "CreateLogGroup"}], PaginationConfig={"PageSize": 2}
    )
    assert [[event["Resources"][0]["ResourceName"] for event in page["Events"]] for page in pages] == [["/2", "/1"], ["/0"]]
    two = [{"AttributeKey": "EventName", "AttributeValue": "a"}, {"AttributeKey": "Username", "AttributeValue": "b"}]
    with pytest.raises(ClientError) as caught:
        trail.lookup_events(LookupAttributes=two)
    assert caught.value.response["Error"]["Code"] == "InvalidLookupAttributesException"
