"""Templates: what they may hold, and what the intrinsic functions give."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from sandbox.aws.cloudformation import parameters, template
from sandbox.aws.cloudformation.graph import dependencies
from sandbox.aws.cloudformation.intrinsics import Made, Resolver
from sandbox.aws.errors import AWSError
from sandbox.tests.cloudformation.conftest import ROLE, VPC, Cloudformation, subnet

GATEWAY = {"Type": "AWS::EC2::InternetGateway"}


def resolver(document: dict[str, Any], values: dict[str, Any] | None = None, **resources: Made) -> Resolver:
    return Resolver(
        template={"Resources": dict.fromkeys(resources, VPC), **document},
        parameters=values or {},
        pseudo={"AWS::Region": "us-west-2", "AWS::StackName": "net"},
        resources=resources,
        exports={"shared": "vpc-1"}.get,
        zones=lambda region: [f"{region}a", f"{region}b"],
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "AWS::Region"}, "us-west-2"),
        ({"Ref": "Size"}, "3"),
        ({"Ref": "Vpc"}, "vpc-9"),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, "10.1.0.0/16"),
        ({"Fn::GetAtt": "Vpc.CidrBlock"}, "10.1.0.0/16"),
        ({"Fn::Sub": "${AWS::StackName}-${Vpc}-${Vpc.CidrBlock}-${!Kept}"}, "net-vpc-9-10.1.0.0/16-${Kept}"),
        ({"Fn::Sub": ["${a}/${b}", {"a": "x", "b": {"Ref": "Size"}}]}, "x/3"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Size"}, 1]]}, "a-3-1"),
        ({"Fn::Select": ["1", {"Fn::Split": [",", "a,b,c"]}]}, "b"),
        ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, "us-west-2a"),
        ({"Fn::GetAZs": {"Ref": "AWS::Region"}}, ["us-west-2a", "us-west-2b"]),
        ({"Fn::Cidr": ["10.1.0.0/16", 2, 12]}, ["10.1.0.0/20", "10.1.16.0/20"]),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "count"]}, 4),
        ({"Fn::ImportValue": "shared"}, "vpc-1"),
        ({"Fn::Base64": "ab"}, base64.b64encode(b"ab").decode()),
        ({"Fn::If": ["Large", "yes", "no"]}, "yes"),
        ({"Fn::If": ["Small", "yes", {"Ref": "AWS::NoValue"}]}, None),
        ({"a": {"Fn::If": ["Small", 1, {"Ref": "AWS::NoValue"}]}, "b": [1, {"Ref": "AWS::NoValue"}]}, {"b": [1]}),
        ({"Fn::If": ["Either", 1, 2]}, 1),
        ({"Fn::If": ["Both", 1, 2]}, 2),
    ],
)
def test_functions_give_what_cloudformation_gives(value: Any, expected: Any) -> None:
    document = {
        "Mappings": {"Sizes": {"us-west-2": {"count": 4}}},
        "Conditions": {
            "Large": {"Fn::Equals": [{"Ref": "Size"}, 3]},
            "Small": {"Fn::Not": [{"Condition": "Large"}]},
            "Either": {"Fn::Or": [{"Condition": "Large"}, {"Condition": "Small"}]},
            "Both": {"Fn::And": [{"Condition": "Large"}, {"Condition": "Small"}]},
        },
    }
    found = resolver(document, {"Size": "3"}, Vpc=Made("vpc-9", {"CidrBlock": "10.1.0.0/16"})).value(value)
    assert found == expected or (expected is None and type(found).__name__ == "_NoValue")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"Fn::Select": [5, ["a"]]}, "Fn::Select cannot select nonexistent value at index 5"),
        ({"Fn::Join": ["-", "text"]}, "every Fn::Join object requires two parameters"),
        ({"Fn::FindInMap": ["A", "b", "c"]}, "Unable to get mapping for A::b::c"),
        ({"Fn::ImportValue": "absent"}, "No export named absent found."),
        ({"Fn::Cidr": ["10.1.0.0/24", 4, 8]}, "does not hold 4 blocks of 8 bits"),
        ({"Fn::GetAtt": ["Vpc", "Colour"]}, "resource Vpc does not support attribute type Colour"),
        ({"Fn::ToJsonString": {}}, "Fn::ToJsonString is not simulated by the sandbox"),
        ({"Fn::If": ["Absent", 1, 2]}, "unresolved condition Absent"),
    ],
)
def test_functions_refuse_what_cannot_be(value: Any, message: str) -> None:
    with pytest.raises(AWSError, match=message.replace("(", r"\(")):
        resolver({}, None, Vpc=Made("vpc-9")).value(value)


def test_json_and_yaml_with_short_tags_say_the_same() -> None:
    text = """
    Resources:
      Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: !Select [0, !Split [",", !Ref Blocks]], Tags: [{Key: d, Value: 2026-01-01}]}}
      Subnet: {Type: AWS::EC2::Subnet, Properties: {VpcId: !GetAtt Vpc.VpcId, CidrBlock: !Sub "${Block}"}}
    """
    parsed = template.parse(text)
    assert parsed["Resources"]["Vpc"]["Properties"] == {
        "CidrBlock": {"Fn::Select": [0, {"Fn::Split": [",", {"Ref": "Blocks"}]}]},
        "Tags": [{"Key": "d", "Value": "2026-01-01"}],
    }
    assert parsed["Resources"]["Subnet"]["Properties"] == {"VpcId": {"Fn::GetAtt": ["Vpc", "VpcId"]}, "CidrBlock": {"Fn::Sub": "${Block}"}}
    assert template.parse(json.dumps(parsed)) == parsed


def test_what_a_condition_leaves_out_is_no_dependency() -> None:
    document = {
        "Conditions": {"Never": {"Fn::Equals": ["a", "b"]}},
        "Resources": {
            "Vpc": VPC,
            "Other": {**VPC, "Condition": "Never"},
            "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Fn::If": ["Never", {"Ref": "Other"}, {"Ref": "Vpc"}]}}},
        },
    }
    assert dependencies(resolver(document)) == {"Vpc": [], "Subnet": ["Vpc"]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "Template format error: At least one Resources member must be defined."),
        (
            {"Resources": {"A": {"Type": "AWS::Foo::Bar"}, "B": {"Type": "Custom::X"}}},
            "Template format error: Unrecognized resource types: [AWS::Foo::Bar, Custom::X]",
        ),
        (
            {"Resources": {"A": {"Properties": {}}}},
            "Template format error: [/Resources/A] Every Resources object must contain a Type member.",
        ),
        ({"Resources": {"A": {**VPC, "Propertys": {}}}}, "Invalid template resource property 'Propertys'"),
        ({"Resources": {"A": VPC}, "Extra": 1}, "Invalid template property or properties [Extra]"),
        (
            {"Resources": {"A": VPC}, "Transform": "AWS::Serverless-2016-10-31"},
            "Transforms are not simulated by the sandbox: AWS::Serverless-2016-10-31",
        ),
        (
            {"Resources": {"A": subnet(vpc="Nothing")}},
            "Template format error: Unresolved resource dependencies [Nothing] in the Resources block of the template",
        ),
        (
            {"Resources": {"A": {**VPC, "DependsOn": "Nothing"}}},
            "Template format error: Unresolved resource dependencies [Nothing] in the Resources block of the template",
        ),
        (
            {"Resources": {"A": {**VPC, "Properties": {"CidrBlock": {"Fn::GetAtt": ["Nothing", "X"]}}}}},
            "Template error: instance of Fn::GetAtt references undefined resource Nothing",
        ),
        (
            {"Resources": {"A": {**GATEWAY, "DependsOn": "B"}, "B": {**GATEWAY, "DependsOn": "A"}}},
            "Circular dependency between resources: [A, B]",
        ),
        ({"Resources": {"A-1": VPC}}, "Template format error: Resources name A-1 is non alphanumeric."),
        ({"Resources": {"A": VPC}, "Parameters": {"P": {"Type": "String"}}}, "Parameters: [P] must have values"),
        ({"Resources": {"A": VPC}, "Outputs": {"O": {}}}, "Template format error: Every Outputs member must contain a Value object. [O]"),
    ],
)
def test_a_template_that_cannot_work_is_refused_at_once(cfn: Cloudformation, document: dict[str, Any], message: str) -> None:
    assert cfn.refused("CreateStack", StackName="net", TemplateBody=json.dumps(document)) == ("ValidationError", message)
    assert cfn("DescribeStacks")["Stacks"] == []


def test_text_that_is_no_template_is_refused(cfn: Cloudformation) -> None:
    assert cfn.refused("ValidateTemplate", TemplateBody="{") == ("ValidationError", "Template format error: JSON not well-formed.")
    assert cfn.refused("ValidateTemplate", TemplateBody="a: [")[1].startswith("Template format error: YAML not well-formed. (line 1")
    assert cfn.refused("ValidateTemplate", TemplateBody="text") == ("ValidationError", "Template format error: unsupported structure.")


def test_a_template_too_large_to_send_is_refused(cfn: Cloudformation) -> None:
    body = json.dumps({"Description": "x" * 51_200, "Resources": {"Vpc": VPC}})
    assert "less than or equal to 51200" in cfn.refused("ValidateTemplate", TemplateBody=body)[1]


def test_a_template_is_read_from_a_bucket(cfn: Cloudformation) -> None:
    from sandbox.testing import call

    call(cfn.world, "s3", "CreateBucket", {"Bucket": "templates", "CreateBucketConfiguration": {"LocationConstraint": "us-west-2"}})
    body = json.dumps({"Description": "x" * 60_000, "Resources": {"Vpc": VPC}}).encode()
    call(cfn.world, "s3", "PutObject", {"Bucket": "templates", "Key": "a/net.json", "Body": body})
    url = "https://templates.s3.us-west-2.amazonaws.com/a/net.json"
    cfn("CreateStack", StackName="net", TemplateURL=url)
    cfn.settle()
    assert cfn.describe("net")["StackStatus"] == "CREATE_COMPLETE"
    missing = cfn.refused("CreateStack", StackName="other", TemplateURL=url + "x")
    assert missing[0] == "ValidationError"
    assert missing[1].startswith("S3 error:")


DECLARED = {
    "Name": {"Type": "String", "AllowedPattern": "[a-z]+", "MaxLength": 5, "Default": "net"},
    "Count": {"Type": "Number", "MinValue": 1, "MaxValue": "9", "Default": 2},
    "Zones": {"Type": "CommaDelimitedList", "Default": "a, b"},
    "Kind": {"Type": "String", "AllowedValues": ["x", "y"], "Default": "x"},
    "Secret": {"Type": "String", "NoEcho": True, "Default": "s3cret"},
}


def given(**values: str) -> list[dict[str, Any]]:
    return [{"ParameterKey": name, "ParameterValue": value} for name, value in values.items()]


def test_parameters_have_defaults_types_and_a_veil() -> None:
    document = {"Parameters": DECLARED, "Resources": {}}
    values = parameters.resolve(document, given(Count="3"))
    assert values == {"Count": "3", "Name": "net", "Zones": "a, b", "Kind": "x", "Secret": "s3cret"}
    assert parameters.typed(document, values)["Zones"] == ["a", "b"]
    assert {row["ParameterKey"]: row["ParameterValue"] for row in parameters.shown(document, values)}["Secret"] == "****"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"Name": "NET"}, "Parameter 'Name' must match pattern [a-z]+"),
        ({"Name": "longer"}, "Parameter 'Name' must contain at most 5 characters"),
        ({"Count": "10"}, "Parameter 'Count' must be a number not greater than 9"),
        ({"Count": "x"}, "Parameter 'Count' must be a number."),
        ({"Kind": "z"}, "Parameter 'Kind' must be one of AllowedValues"),
        ({"Colour": "blue"}, "Parameters: [Colour] do not exist in the template"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_refused_by_name(values: dict[str, str], message: str) -> None:
    with pytest.raises(AWSError) as caught:
        parameters.resolve({"Parameters": DECLARED, "Resources": {}}, given(**values))
    assert caught.value.message == message


def test_a_template_is_summarised_with_what_it_needs(cfn: Cloudformation) -> None:
    body = json.dumps({"Description": "d", "Parameters": DECLARED, "Resources": {"Vpc": VPC, "Role": ROLE}})
    summary = cfn("GetTemplateSummary", TemplateBody=body)
    assert summary["ResourceTypes"] == ["AWS::EC2::VPC", "AWS::IAM::Role"]
    assert summary["Capabilities"] == ["CAPABILITY_IAM"]
    assert [row["ParameterKey"] for row in summary["Parameters"]] == list(DECLARED)
    validated = cfn("ValidateTemplate", TemplateBody=body)
    assert (validated["Description"], validated["Capabilities"]) == ("d", ["CAPABILITY_IAM"])


def test_the_template_of_a_stack_comes_back_as_it_was_given(cfn: Cloudformation) -> None:
    body = "Resources:\n  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.1.0.0/16}} # kept\n"
    cfn("CreateStack", StackName="net", TemplateBody=body)
    assert cfn("GetTemplate", StackName="net")["TemplateBody"] == body
