"""CloudFormation by the real aws command and boto3."""

from __future__ import annotations

import json
from pathlib import Path

from tests.contract.conftest import Sandbox

NETWORK = """
Description: a network
Parameters:
  Block: {Type: String, Default: 10.1.0.0/16}
Resources:
  Vpc:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: !Ref Block
      Tags: [{Key: Name, Value: !Sub "${AWS::StackName}-vpc"}]
  Subnet:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Vpc, CidrBlock: !Select [0, !Cidr [!Ref Block, 2, 8]], AvailabilityZone: !Select [0, !GetAZs ""]}
Outputs:
  SubnetId: {Value: !Ref Subnet}
"""


def written(tmp_path: Path, text: str) -> str:
    file = tmp_path / "template.yaml"
    file.write_text(text)
    return f"file://{file}"


def test_a_stack_is_created_described_and_deleted_by_the_command(sandbox: Sandbox, tmp_path: Path) -> None:
    def cfn(*arguments: str) -> dict[str, object]:
        found: dict[str, object] = sandbox.aws("cloudformation", *arguments)
        return found

    created = cfn("create-stack", "--stack-name", "net", "--template-body", written(tmp_path, NETWORK), "--tags", "Key=team,Value=ml")
    identifier = str(created["StackId"])
    assert sandbox.aws("cloudformation", "describe-stacks", "--stack-name", "net")["Stacks"][0]["StackStatus"] == "CREATE_IN_PROGRESS"
    sandbox.fast_forward("settled")
    sandbox.aws("cloudformation", "wait", "stack-create-complete", "--stack-name", "net")
    (stack,) = sandbox.aws("cloudformation", "describe-stacks", "--stack-name", "net")["Stacks"]
    assert (stack["StackStatus"], stack["Tags"]) == ("CREATE_COMPLETE", [{"Key": "team", "Value": "ml"}])
    assert stack["Parameters"] == [{"ParameterKey": "Block", "ParameterValue": "10.1.0.0/16"}]
    events = sandbox.aws("cloudformation", "describe-stack-events", "--stack-name", "net")["StackEvents"]
    assert [(event["LogicalResourceId"], event["ResourceStatus"]) for event in events][::-1][-3:] == [
        ("Subnet", "CREATE_IN_PROGRESS"),
        ("Subnet", "CREATE_COMPLETE"),
        ("net", "CREATE_COMPLETE"),
    ]
    resources = sandbox.aws("cloudformation", "list-stack-resources", "--stack-name", "net")["StackResourceSummaries"]
    assert [(one["LogicalResourceId"], one["ResourceStatus"]) for one in resources] == [
        ("Vpc", "CREATE_COMPLETE"),
        ("Subnet", "CREATE_COMPLETE"),
    ]
    subnet = stack["Outputs"][0]["OutputValue"]
    assert sandbox.aws("ec2", "describe-subnets", "--subnet-ids", subnet)["Subnets"][0]["CidrBlock"] == "10.1.0.0/24"
    sandbox.aws("cloudformation", "delete-stack", "--stack-name", "net")
    sandbox.fast_forward("settled")
    sandbox.aws("cloudformation", "wait", "stack-delete-complete", "--stack-name", identifier)
    gone = sandbox.run("cloudformation", "describe-stacks", "--stack-name", "net")
    assert "(ValidationError) when calling the DescribeStacks operation: Stack with id net does not exist" in gone.stderr
    assert sandbox.aws("cloudformation", "describe-stacks", "--stack-name", identifier)["Stacks"][0]["StackStatus"] == "DELETE_COMPLETE"


def test_a_stack_is_updated_and_no_change_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    template = written(tmp_path, NETWORK)
    sandbox.aws("cloudformation", "create-stack", "--stack-name", "net", "--template-body", template)
    sandbox.fast_forward("settled")
    same = sandbox.run("cloudformation", "update-stack", "--stack-name", "net", "--template-body", template)
    assert "(ValidationError) when calling the UpdateStack operation: No updates are to be performed." in same.stderr
    changed = NETWORK.replace("Value: !Sub", "Value: !Sub").replace("-vpc", "-network")
    sandbox.aws("cloudformation", "update-stack", "--stack-name", "net", "--template-body", written(tmp_path, changed))
    sandbox.fast_forward("settled")
    sandbox.aws("cloudformation", "wait", "stack-update-complete", "--stack-name", "net")
    names = [tag["Value"] for tag in sandbox.client("ec2").describe_tags(Filters=[{"Name": "key", "Values": ["Name"]}])["Tags"]]
    assert names == ["net-network"]


def test_errors_are_cloudformations(sandbox: Sandbox) -> None:
    role = {
        "Type": "AWS::IAM::Role",
        "Properties": {"RoleName": "r", "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
    }
    body = json.dumps({"Resources": {"Role": role}})
    refused = sandbox.run("cloudformation", "create-stack", "--stack-name", "s", "--template-body", body)
    assert "(InsufficientCapabilitiesException)" in refused.stderr
    assert "Requires capabilities : [CAPABILITY_NAMED_IAM]" in refused.stderr
    unknown = json.dumps({"Resources": {"X": {"Type": "AWS::Foo::Bar"}}})
    refused = sandbox.run("cloudformation", "validate-template", "--template-body", unknown)
    assert "Template format error: Unrecognized resource types: [AWS::Foo::Bar]" in refused.stderr
    sandbox.aws("cloudformation", "create-stack", "--stack-name", "s", "--template-body", NETWORK)
    again = sandbox.run("cloudformation", "create-stack", "--stack-name", "s", "--template-body", NETWORK)
    assert "(AlreadyExistsException) when calling the CreateStack operation: Stack [s] already exists" in again.stderr
    change_set = ("create-change-set", "--stack-name", "s", "--change-set-name", "c", "--template-body", NETWORK)
    assert "(NotImplemented)" in sandbox.run("cloudformation", *change_set, "--change-set-type", "IMPORT").stderr


def test_events_come_in_pages_newest_first(sandbox: Sandbox) -> None:
    cloudformation = sandbox.client("cloudformation")
    resources = {f"G{number}": {"Type": "AWS::EC2::InternetGateway"} for number in range(40)}
    cloudformation.create_stack(StackName="many", TemplateBody=json.dumps({"Resources": resources}))
    sandbox.fast_forward("settled")
    pages = list(cloudformation.get_paginator("describe_stack_events").paginate(StackName="many"))
    events = [event for page in pages for event in page["StackEvents"]]
    assert (len(pages), len(events)) == (2, 122)
    moments = [event["Timestamp"] for event in events]
    assert moments == sorted(moments, reverse=True)


def test_a_stack_goes_on_after_kill_9(own_sandbox: Sandbox) -> None:
    own_sandbox.start("--speed", "1")
    cloudformation = own_sandbox.client("cloudformation")
    identifier = cloudformation.create_stack(StackName="net", TemplateBody=NETWORK)["StackId"]
    own_sandbox.fast_forward(5)
    own_sandbox.stop(9)
    own_sandbox.start()
    cloudformation = own_sandbox.client("cloudformation")
    assert cloudformation.describe_stacks(StackName="net")["Stacks"][0]["StackId"] == identifier
    own_sandbox.fast_forward("settled")
    assert cloudformation.describe_stacks(StackName="net")["Stacks"][0]["StackStatus"] == "CREATE_COMPLETE"
    assert len(own_sandbox.client("ec2").describe_vpcs(Filters=[{"Name": "is-default", "Values": ["false"]}])["Vpcs"]) == 1


def test_the_command_detects_drift_and_previews_an_update(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.aws("cloudformation", "create-stack", "--stack-name", "net", "--template-body", written(tmp_path, NETWORK))
    sandbox.fast_forward("settled")
    vpc = sandbox.aws("cloudformation", "describe-stack-resource", "--stack-name", "net", "--logical-resource-id", "Vpc")
    identifier = vpc["StackResourceDetail"]["PhysicalResourceId"]
    sandbox.aws("ec2", "create-tags", "--resources", identifier, "--tags", "Key=Name,Value=mine")
    detection = sandbox.aws("cloudformation", "detect-stack-drift", "--stack-name", "net")["StackDriftDetectionId"]
    sandbox.fast_forward("settled")
    asked = ("--stack-drift-detection-id", detection)
    status = sandbox.aws("cloudformation", "describe-stack-drift-detection-status", *asked)
    assert (status["DetectionStatus"], status["StackDriftStatus"], status["DriftedStackResourceCount"]) == (
        "DETECTION_COMPLETE",
        "DRIFTED",
        1,
    )
    (drifted,) = sandbox.aws(
        "cloudformation",
        "describe-stack-resource-drifts",
        "--stack-name",
        "net",
        "--stack-resource-drift-status-filters",
        "MODIFIED",
    )["StackResourceDrifts"]
    assert (drifted["LogicalResourceId"], drifted["PropertyDifferences"]) == (
        "Vpc",
        [{"PropertyPath": "/Tags/0/Value", "ExpectedValue": "net-vpc", "ActualValue": "mine", "DifferenceType": "NOT_EQUAL"}],
    )
    sandbox.aws(
        "cloudformation",
        *("create-change-set", "--stack-name", "net", "--change-set-name", "next", "--use-previous-template"),
        *("--parameters", "ParameterKey=Block,ParameterValue=10.2.0.0/16"),
    )
    sandbox.fast_forward("settled")
    named = ("--stack-name", "net", "--change-set-name", "next")
    sandbox.aws("cloudformation", "wait", "change-set-create-complete", *named)
    told = sandbox.aws("cloudformation", "describe-change-set", *named)
    changes = [one["ResourceChange"] for one in told["Changes"]]
    assert [(one["Action"], one["LogicalResourceId"], one["Replacement"]) for one in changes] == [
        ("Modify", "Vpc", "True"),
        ("Modify", "Subnet", "True"),
    ]
    sandbox.aws("cloudformation", "execute-change-set", *named)
    sandbox.fast_forward("settled")
    (stack,) = sandbox.aws("cloudformation", "describe-stacks", "--stack-name", "net")["Stacks"]
    assert (stack["StackStatus"], stack["Parameters"][0]["ParameterValue"]) == ("UPDATE_COMPLETE", "10.2.0.0/16")
    (left,) = sandbox.aws("cloudformation", "list-change-sets", "--stack-name", "net")["Summaries"]
    assert left["ExecutionStatus"] == "EXECUTE_COMPLETE"
    sandbox.aws("cloudformation", "delete-change-set", *named)
    assert sandbox.aws("cloudformation", "list-change-sets", "--stack-name", "net")["Summaries"] == []
