"""CloudWatch Logs."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox


@pytest.fixture
def logs(sandbox: Sandbox) -> Any:
    return sandbox.client("logs")


def code_of(call: Any, **params: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**params)
    return str(caught.value.response["Error"]["Code"])


def write(logs: Any, messages: list[str], stream: str = "s", group: str = "/g") -> list[int]:
    now = int(time.time() * 1000) - 60_000
    times = [now + index for index in range(len(messages))]
    events = [{"timestamp": at, "message": message} for at, message in zip(times, messages, strict=True)]
    logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=events)
    return times


@pytest.fixture
def stream(logs: Any) -> str:
    logs.create_log_group(logGroupName="/g")
    logs.create_log_stream(logGroupName="/g", logStreamName="s")
    return "s"


def test_a_group_is_made_described_tagged_and_deleted_by_the_aws_command(sandbox: Sandbox) -> None:
    assert sandbox.aws("logs", "create-log-group", "--log-group-name", "/aws/eks/demo/cluster", "--tags", "a=1,b=2") is None
    sandbox.aws("logs", "put-retention-policy", "--log-group-name", "/aws/eks/demo/cluster", "--retention-in-days", "30")
    (group,) = sandbox.aws("logs", "describe-log-groups", "--log-group-name-prefix", "/aws/eks")["logGroups"]
    assert (group["logGroupName"], group["retentionInDays"]) == ("/aws/eks/demo/cluster", 30)
    assert group["arn"] == "arn:aws:logs:us-west-2:123456789012:log-group:/aws/eks/demo/cluster:*"
    arn = group["logGroupArn"]
    sandbox.aws("logs", "untag-resource", "--resource-arn", arn, "--tag-keys", "a")
    assert sandbox.aws("logs", "list-tags-for-resource", "--resource-arn", arn) == {"tags": {"b": "2"}}
    sandbox.aws("logs", "delete-log-group", "--log-group-name", "/aws/eks/demo/cluster")
    assert sandbox.aws("logs", "describe-log-groups")["logGroups"] == []


def test_errors_are_cloudwatch_s_own(logs: Any, stream: str) -> None:
    assert code_of(logs.create_log_group, logGroupName="/g") == "ResourceAlreadyExistsException"
    assert code_of(logs.create_log_stream, logGroupName="/g", logStreamName="s") == "ResourceAlreadyExistsException"
    assert code_of(logs.delete_log_group, logGroupName="/none") == "ResourceNotFoundException"
    assert code_of(logs.get_log_events, logGroupName="/g", logStreamName="none") == "ResourceNotFoundException"
    assert code_of(logs.put_retention_policy, logGroupName="/g", retentionInDays=2) == "InvalidParameterException"
    assert code_of(logs.create_log_group, logGroupName="a b") == "InvalidParameterException"
    assert code_of(logs.describe_log_groups, nextToken="x") == "InvalidParameterException"


def test_groups_are_paged(logs: Any) -> None:
    names = [f"/p/{number:02d}" for number in range(12)]
    for name in names:
        logs.create_log_group(logGroupName=name)
    pages = list(logs.get_paginator("describe_log_groups").paginate(PaginationConfig={"PageSize": 5}))
    assert [len(page["logGroups"]) for page in pages] == [5, 5, 2]
    assert [group["logGroupName"] for page in pages for group in page["logGroups"]] == names


def test_events_are_read_from_both_ends(logs: Any, stream: str) -> None:
    write(logs, [str(number) for number in range(10)])
    newest = logs.get_log_events(logGroupName="/g", logStreamName="s", limit=3)
    assert [event["message"] for event in newest["events"]] == ["7", "8", "9"]
    before = logs.get_log_events(logGroupName="/g", logStreamName="s", limit=3, nextToken=newest["nextBackwardToken"])
    assert [event["message"] for event in before["events"]] == ["4", "5", "6"]
    oldest = logs.get_log_events(logGroupName="/g", logStreamName="s", limit=4, startFromHead=True)
    assert [event["message"] for event in oldest["events"]] == ["0", "1", "2", "3"]
    end = logs.get_log_events(logGroupName="/g", logStreamName="s", startFromHead=True)
    again = logs.get_log_events(logGroupName="/g", logStreamName="s", nextToken=end["nextForwardToken"])
    assert (again["events"], again["nextForwardToken"]) == ([], end["nextForwardToken"])


def test_events_are_filtered_over_streams_and_paged(logs: Any, stream: str) -> None:
    logs.create_log_stream(logGroupName="/g", logStreamName="t")
    write(logs, ["ERROR one", "fine", "ERROR two words"])
    write(logs, ["ERROR three"], stream="t")
    pages = logs.get_paginator("filter_log_events").paginate(logGroupName="/g", filterPattern="ERROR", PaginationConfig={"PageSize": 2})
    found = [(event["logStreamName"], event["message"]) for page in pages for event in page["events"]]
    assert sorted(found) == [("s", "ERROR one"), ("s", "ERROR two words"), ("t", "ERROR three")]
    quoted = logs.filter_log_events(logGroupName="/g", filterPattern='"two words"')["events"]
    assert [event["message"] for event in quoted] == ["ERROR two words"]
    without = logs.filter_log_events(logGroupName="/g", filterPattern="ERROR -two", logStreamNames=["s"])["events"]
    assert [event["message"] for event in without] == ["ERROR one"]
    assert code_of(logs.filter_log_events, logGroupName="/g", filterPattern='{ $.a = "b" }') == "NotImplemented"


def test_events_out_of_order_or_time_are_told(logs: Any, stream: str) -> None:
    now = int(time.time() * 1000)
    disordered = [{"timestamp": now, "message": "b"}, {"timestamp": now - 1, "message": "a"}]
    assert code_of(logs.put_log_events, logGroupName="/g", logStreamName="s", logEvents=disordered) == "InvalidParameterException"
    old = now - 15 * 86_400_000
    reply = logs.put_log_events(logGroupName="/g", logStreamName="s", logEvents=[{"timestamp": old, "message": "old"}])
    assert reply["rejectedLogEventsInfo"] == {"tooOldLogEventEndIndex": 1}
    assert logs.get_log_events(logGroupName="/g", logStreamName="s")["events"] == []


def test_a_long_stream_keeps_its_newest_events(logs: Any, stream: str) -> None:
    for start in range(0, 21_000, 3_000):
        write(logs, [str(number) for number in range(start, start + 3_000)])
    events = logs.filter_log_events(logGroupName="/g", logStreamNames=["s"], limit=1)["events"]
    assert int(events[0]["message"]) >= 1_000
    assert logs.get_log_events(logGroupName="/g", logStreamName="s", limit=1)["events"][0]["message"] == "20999"


def test_streams_are_ordered_as_asked(logs: Any, stream: str) -> None:
    logs.create_log_stream(logGroupName="/g", logStreamName="a-newer")
    write(logs, ["x"])
    time.sleep(0.002)
    write(logs, ["y"], stream="a-newer")
    by_name = [item["logStreamName"] for item in logs.describe_log_streams(logGroupName="/g")["logStreams"]]
    by_time = [item["logStreamName"] for item in logs.describe_log_streams(logGroupName="/g", orderBy="LastEventTime")["logStreams"]]
    assert (by_name, by_time) == (["a-newer", "s"], ["s", "a-newer"])
