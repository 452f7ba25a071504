"""The control plane's stack, as CloudFormation would read it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from cfnlint.api import lint
from cfnlint.config import ManualArgs

from clusters.resolved import ResolvedSpec, Storage
from clusters.template import INLINE_LIMIT, TemplateTooLong, control_plane, resources
from clusters.template.document import Resource, Template
from clusters.template.group_network import group_network
from clusters.template.metadata import specification_in
from clusters.tests.specs import IDENTITY, existing_network, new_network, resolved

SPECS = {
    "new": resolved(),
    "everything": resolved(
        fsx=True,
        network=new_network(public_access_cidrs=["198.51.100.7/32"]),
        storage=Storage(bucket="our-data", made=False, claim="shared"),
    ),
    "existing": resolved(network=existing_network(), fsx=True),
}


def document(spec: ResolvedSpec) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(control_plane(spec, IDENTITY))
    return made


def of_type(spec: ResolvedSpec, kind: str) -> dict[str, dict[str, Any]]:
    return {name: made["Properties"] for name, made in document(spec)["Resources"].items() if made["Type"] == kind}


def statements(value: Any) -> Iterator[dict[str, Any]]:
    """Every IAM statement anywhere in a document, those inside Fn::Sub texts included."""
    if isinstance(value, dict):
        if "Effect" in value:
            yield value
        for inner in value.values():
            yield from statements(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from statements(inner)
    elif isinstance(value, str) and value.startswith("{"):
        yield from statements(json.loads(value))


@pytest.mark.parametrize("name", sorted(SPECS))
def test_cfn_lint_finds_nothing(name: str) -> None:
    found = lint(control_plane(SPECS[name], IDENTITY), config=ManualArgs(regions=["us-west-2"]))
    assert [f"{match.rule.id} {match.message} {match.path}" for match in found] == []


def test_a_subnet_for_a_group_comes_with_its_route_out_and_an_endpoint_for_s3_and_cfn_lint_finds_nothing() -> None:
    way_out = ("NatGatewayId", "nat-0123456789abcdef0")
    made = group_network("instantstart-demo-group-cpu", "vpc-0123456789abcdef0", "us-west-2b", "10.90.32.0/20", way_out)
    found = lint(made.text(), config=ManualArgs(regions=["us-west-2"]))
    assert [f"{match.rule.id} {match.message} {match.path}" for match in found] == []
    document = made.document()
    assert document["Resources"]["Subnet"]["Properties"]["CidrBlock"] == "10.90.32.0/20"
    assert document["Resources"]["DefaultRoute"]["Properties"] == {
        "RouteTableId": {"Ref": "Routes"},
        "DestinationCidrBlock": "0.0.0.0/0",
        "NatGatewayId": "nat-0123456789abcdef0",
    }
    assert document["Resources"]["S3Endpoint"]["Properties"]["RouteTableIds"] == [{"Ref": "Routes"}]
    assert document["Outputs"]["SubnetId"]["Value"] == {"Ref": "Subnet"}


@pytest.mark.parametrize("name", sorted(SPECS))
def test_no_statement_allows_every_action_or_a_family_of_them(name: str) -> None:
    allowed = [found for found in statements(document(SPECS[name])) if found["Effect"] == "Allow"]
    assert len(allowed) >= 10
    for statement in allowed:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        assert not [action for action in actions if "*" in action], statement


@pytest.mark.parametrize("name", sorted(SPECS))
def test_whatever_changes_something_is_limited_to_named_resources(name: str) -> None:
    reads = ("Describe", "List", "Get")
    for statement in statements(document(SPECS[name])):
        if statement.get("Resource") != "*":
            continue
        changing = [action for action in statement["Action"] if not action.split(":")[1].startswith(reads)]
        assert changing == [], statement


def test_the_same_specification_gives_the_same_text() -> None:
    assert control_plane(resolved(), IDENTITY) == control_plane(resolved(), IDENTITY)


def test_the_specification_can_be_read_back_from_the_template() -> None:
    spec = SPECS["everything"]
    assert specification_in(control_plane(spec, IDENTITY)) == spec
    assert specification_in(document(spec)) == spec


@pytest.mark.parametrize("foreign", ["Resources: {}", "{}", '{"Metadata": {"InstantStart": {"Specification": {"name": "x"}}}}', "[]"])
def test_a_template_that_is_not_ours_tells_no_specification(foreign: str) -> None:
    assert specification_in(foreign) is None


def test_a_new_network_has_the_parts_of_the_design() -> None:
    spec = resolved()
    vpc = of_type(spec, "AWS::EC2::VPC")["Vpc"]
    assert (vpc["CidrBlock"], vpc["EnableDnsSupport"], vpc["EnableDnsHostnames"]) == ("10.90.0.0/16", True, True)
    subnets = of_type(spec, "AWS::EC2::Subnet")
    seen = {name: (subnet["AvailabilityZone"], subnet["CidrBlock"]) for name, subnet in subnets.items()}
    assert seen == {
        "PublicSubnet1": ("us-west-2a", "10.90.0.0/24"),
        "PublicSubnet2": ("us-west-2b", "10.90.1.0/24"),
        "PrivateSubnet1": ("us-west-2a", "10.90.2.0/24"),
        "PrivateSubnet2": ("us-west-2b", "10.90.3.0/24"),
        "ComputeSubnet": ("us-west-2a", "10.90.16.0/20"),
    }
    assert {"Key": "kubernetes.io/role/elb", "Value": "1"} in subnets["PublicSubnet2"]["Tags"]
    assert {"Key": "kubernetes.io/role/internal-elb", "Value": "1"} in subnets["PrivateSubnet1"]["Tags"]
    assert of_type(spec, "AWS::EC2::NatGateway")["NatGateway"]["SubnetId"] == {"Ref": "PublicSubnet1"}
    routes = of_type(spec, "AWS::EC2::Route")
    assert routes["ComputeDefaultRoute"] == {
        "RouteTableId": {"Ref": "ComputeRoutes"},
        "DestinationCidrBlock": "0.0.0.0/0",
        "NatGatewayId": {"Ref": "NatGateway"},
    }
    endpoint = of_type(spec, "AWS::EC2::VPCEndpoint")["S3Endpoint"]
    assert endpoint["RouteTableIds"] == [{"Ref": "PrivateRoutes"}, {"Ref": "ComputeRoutes"}]


def test_an_existing_network_is_used_and_not_added_to() -> None:
    spec = SPECS["existing"]
    made = {resource.type for resource in resources(spec, IDENTITY)}
    network = {kind for kind in made if kind.startswith("AWS::EC2::")}
    assert network == {"AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress"}
    assert of_type(spec, "AWS::EKS::Cluster")["Cluster"]["ResourcesVpcConfig"]["SubnetIds"] == [
        "subnet-0123456789abcdefa",
        "subnet-0123456789abcdefb",
    ]
    assert document(spec)["Outputs"]["ComputeSubnetId"]["Value"] == "subnet-0123456789abcdefc"


def test_the_security_group_lets_everything_through_to_itself_in_both_directions() -> None:
    itself = {"Fn::GetAtt": ["ClusterSecurityGroup", "GroupId"]}
    ingress = of_type(resolved(), "AWS::EC2::SecurityGroupIngress")
    egress = of_type(resolved(), "AWS::EC2::SecurityGroupEgress")
    assert {rule["SourceSecurityGroupId"] == itself for rule in ingress.values()} == {True}
    ports = sorted(
        (rule["IpProtocol"], rule.get("FromPort"), rule.get("ToPort")) for rule in ingress.values() if rule["IpProtocol"] == "tcp"
    )
    assert ports == [("tcp", 988, 988), ("tcp", 1018, 1023)]
    assert [(rule["IpProtocol"], rule["DestinationSecurityGroupId"]) for rule in egress.values()] == [("-1", itself)]


def test_the_cluster_is_private_unless_somebody_is_named() -> None:
    private = of_type(resolved(), "AWS::EKS::Cluster")["Cluster"]
    assert private["ResourcesVpcConfig"]["EndpointPrivateAccess"] is True
    assert private["ResourcesVpcConfig"]["EndpointPublicAccess"] is False
    assert "PublicAccessCidrs" not in private["ResourcesVpcConfig"]
    named = of_type(SPECS["everything"], "AWS::EKS::Cluster")["Cluster"]
    assert named["ResourcesVpcConfig"]["PublicAccessCidrs"] == ["198.51.100.7/32"]
    assert "0.0.0.0/0" not in json.dumps(named)


def test_the_cluster_logs_everything_into_a_group_made_first() -> None:
    made = document(resolved())["Resources"]
    assert "ControlPlaneLogs" in made["Cluster"]["DependsOn"]
    assert made["ControlPlaneLogs"]["Properties"] == {"LogGroupName": "/aws/eks/demo/cluster", "RetentionInDays": 30}
    cluster = made["Cluster"]["Properties"]
    assert [kind["Type"] for kind in cluster["Logging"]["ClusterLogging"]["EnabledTypes"]] == [
        "api",
        "audit",
        "authenticator",
        "controllerManager",
        "scheduler",
    ]
    assert cluster["AccessConfig"] == {"AuthenticationMode": "API_AND_CONFIG_MAP", "BootstrapClusterCreatorAdminPermissions": False}


def test_the_control_plane_signs_in_by_its_roles_arn_with_its_path() -> None:
    entry = of_type(resolved(), "AWS::EKS::AccessEntry")["OwnAccessEntry"]
    assert entry["PrincipalArn"] == "arn:aws:iam::123456789012:role/tools/portal"
    assert entry["AccessPolicies"] == [
        {
            "PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
            "AccessScope": {"Type": "cluster"},
        }
    ]


def test_the_bucket_is_encrypted_closed_and_wants_tls() -> None:
    bucket = of_type(resolved(), "AWS::S3::Bucket")["Bucket"]
    assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"][0]["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    statement = of_type(resolved(), "AWS::S3::BucketPolicy")["BucketPolicy"]["PolicyDocument"]["Statement"][0]
    assert (statement["Effect"], statement["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


def test_the_s3_drivers_role_trusts_one_service_account_and_reaches_the_shared_files_alone() -> None:
    role = of_type(resolved(), "AWS::IAM::Role")["S3CsiRole"]
    text, values = role["AssumeRolePolicyDocument"]["Fn::Sub"]
    assert json.loads(text)["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Federated": "${Provider}"},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {
                "StringEquals": {
                    "${Issuer}:aud": "sts.amazonaws.com",
                    "${Issuer}:sub": "system:serviceaccount:kube-system:s3-csi-driver-sa",
                }
            },
        }
    ]
    assert values["Provider"] == {"Fn::GetAtt": ["OidcProvider", "Arn"]}
    allowed = role["Policies"][0]["PolicyDocument"]["Statement"]
    assert [statement["Resource"] for statement in allowed] == [
        {"Fn::GetAtt": ["Bucket", "Arn"]},
        {"Fn::Sub": "${Bucket.Arn}/shared/*"},
    ]


def test_a_bucket_that_exists_is_the_one_the_s3_driver_reaches() -> None:
    role = of_type(SPECS["everything"], "AWS::IAM::Role")["S3CsiRole"]
    allowed = role["Policies"][0]["PolicyDocument"]["Statement"]
    assert [statement["Resource"]["Fn::Sub"] for statement in allowed] == [
        "arn:${AWS::Partition}:s3:::our-data",
        "arn:${AWS::Partition}:s3:::our-data/*",
    ]


def test_the_fsx_role_is_there_only_when_wanted() -> None:
    assert "FsxCsiRole" not in document(resolved())["Resources"]
    assert document(SPECS["everything"])["Outputs"]["FsxCsiRoleArn"]["Value"] == {"Fn::GetAtt": ["FsxCsiRole", "Arn"]}


def test_a_template_fits_into_a_request_even_with_forty_long_tags() -> None:
    tags = {f"key-{number:03d}".ljust(128, "k"): "v" * 256 for number in range(40)}
    assert len(control_plane(resolved(tags=tags, fsx=True), IDENTITY).encode()) <= INLINE_LIMIT


def test_a_template_that_does_not_fit_is_refused() -> None:
    with pytest.raises(TemplateTooLong, match="use fewer tags"):
        control_plane(resolved(tags={f"k{number}": "v" * 256 for number in range(300)}), IDENTITY)


def test_two_resources_of_one_logical_name_are_refused() -> None:
    one = Resource("Vpc", "AWS::EC2::VPC", "a", {})
    with pytest.raises(ValueError, match="Vpc"):
        Template("", (one, one), ())
