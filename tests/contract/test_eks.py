"""EKS as the real aws command sees it: create, describe, list, page, wait, tag, delete, errors."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from sandbox.tests.kube.rig import TOOLS
from tests.contract.conftest import AWS, Sandbox

CLUSTER_ADMIN = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


def trust(*services: str) -> str:
    principal = {"Service": [*services]}
    statement = {"Effect": "Allow", "Principal": principal, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


class Ground:
    """VPC, subnets in two zones, security group, roles: made with boto3, which is faster than the command."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        ec2, iam = sandbox.client("ec2"), sandbox.client("iam")
        self.vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        cidrs = {"us-west-2a": "10.1.0.0/20", "us-west-2b": "10.1.16.0/24"}
        self.subnets = [
            ec2.create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZone=zone)["Subnet"]["SubnetId"] for zone, cidr in cidrs.items()
        ]
        self.group = ec2.create_security_group(GroupName="cluster", Description="all", VpcId=self.vpc)["GroupId"]
        self.eks_role = iam.create_role(RoleName="eks", AssumeRolePolicyDocument=trust("eks.amazonaws.com"))["Role"]["Arn"]
        self.execution_role = iam.create_role(RoleName="execution", AssumeRolePolicyDocument=trust("sagemaker.amazonaws.com"))["Role"][
            "Arn"
        ]

    def create(self, name: str = "demo", *more: str) -> Any:
        return self.sandbox.aws(
            "eks", "create-cluster", "--name", name, "--role-arn", self.eks_role,
            "--resources-vpc-config", f"subnetIds={','.join(self.subnets)}",
            "--access-config", "authenticationMode=API_AND_CONFIG_MAP,bootstrapClusterCreatorAdminPermissions=false",
            *more,
        )["cluster"]  # fmt: skip

    def active(self, name: str = "demo") -> None:
        self.sandbox.client("eks").create_cluster(
            name=name,
            roleArn=self.eks_role,
            resourcesVpcConfig={"subnetIds": self.subnets},
            accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
        )
        self.sandbox.fast_forward()


@pytest.fixture
def ground(sandbox: Sandbox) -> Ground:
    return Ground(sandbox)


def test_a_cluster_is_made_waited_for_tagged_listed_in_pages_and_deleted(ground: Ground) -> None:
    aws = ground.sandbox.aws
    assert ground.create("demo", "--tags", "team=a")["status"] == "CREATING"
    ground.create("other")
    ground.sandbox.fast_forward()
    aws("eks", "wait", "cluster-active", "--name", "demo")
    cluster = aws("eks", "describe-cluster", "--name", "demo")["cluster"]
    assert (cluster["status"], cluster["version"], cluster["tags"]) == ("ACTIVE", "1.36", {"team": "a"})
    assert cluster["endpoint"].startswith("https://127.0.0.1:")
    assert cluster["certificateAuthority"]["data"]
    aws("eks", "tag-resource", "--resource-arn", cluster["arn"], "--tags", "cost=b")
    assert aws("eks", "list-tags-for-resource", "--resource-arn", cluster["arn"])["tags"] == {"team": "a", "cost": "b"}
    page = aws("eks", "list-clusters", "--max-items", "1", "--page-size", "1")
    assert page["clusters"] == ["demo"]
    assert aws("eks", "list-clusters", "--starting-token", page["NextToken"])["clusters"] == ["other"]
    assert aws("eks", "delete-cluster", "--name", "demo")["cluster"]["status"] == "DELETING"
    ground.sandbox.fast_forward()
    aws("eks", "wait", "cluster-deleted", "--name", "demo")
    assert aws("eks", "list-clusters")["clusters"] == ["other"]


def test_errors_are_those_of_eks(ground: Ground) -> None:
    run = ground.sandbox.run
    missing = run("eks", "describe-cluster", "--name", "none")
    assert missing.returncode == 255  # of aws v1; v2 has 254
    assert missing.stderr.strip().endswith(
        "An error occurred (ResourceNotFoundException) when calling the DescribeCluster operation: No cluster found for name: none."
    )
    ground.create()
    one = f"subnetIds={ground.subnets[0]}"
    zones = run("eks", "create-cluster", "--name", "x", "--role-arn", ground.eks_role, "--resources-vpc-config", one)
    assert "(InvalidParameterException)" in zones.stderr
    assert "at least two different AZs" in zones.stderr
    both = f"subnetIds={','.join(ground.subnets)}"
    again = run("eks", "create-cluster", "--name", "demo", "--role-arn", ground.eks_role, "--resources-vpc-config", both)
    assert "(ResourceInUseException)" in again.stderr
    group = run("eks", "create-nodegroup", "--cluster-name", "demo", "--nodegroup-name", "n", "--subnets", "s", "--node-role", "r")
    assert "(InvalidRequestException)" in group.stderr
    assert "it is CREATING, not ACTIVE" in group.stderr


def test_an_update_is_followed_to_its_end(ground: Ground) -> None:
    ground.active()
    logging = json.dumps({"clusterLogging": [{"types": ["api"], "enabled": True}]})
    update = ground.sandbox.aws("eks", "update-cluster-config", "--name", "demo", "--logging", logging)["update"]
    assert (update["type"], update["status"]) == ("LoggingUpdate", "InProgress")
    ground.sandbox.fast_forward()
    shown = ground.sandbox.aws("eks", "describe-update", "--name", "demo", "--update-id", update["id"])["update"]
    assert shown["status"] == "Successful"
    groups = ground.sandbox.client("logs").describe_log_groups()["logGroups"]
    assert [group["logGroupName"] for group in groups] == ["/aws/eks/demo/cluster"]


def test_access_entries_and_policies(ground: Ground) -> None:
    ground.active()
    aws, principal = ground.sandbox.aws, ground.execution_role
    made = aws("eks", "create-access-entry", "--cluster-name", "demo", "--principal-arn", principal)["accessEntry"]
    assert made["type"] == "STANDARD"
    again = ground.sandbox.run("eks", "create-access-entry", "--cluster-name", "demo", "--principal-arn", principal)
    assert "(ResourceInUseException)" in again.stderr
    where = ("--cluster-name", "demo", "--principal-arn", principal)
    aws("eks", "associate-access-policy", *where, "--policy-arn", CLUSTER_ADMIN, "--access-scope", "type=cluster")
    found = aws("eks", "list-associated-access-policies", *where)["associatedAccessPolicies"]
    assert [one["policyArn"] for one in found] == [CLUSTER_ADMIN]
    aws("eks", "delete-access-entry", *where)
    assert aws("eks", "list-access-entries", "--cluster-name", "demo")["accessEntries"] == []


def kubectl(sandbox: Sandbox, *arguments: str) -> str:
    """What the real kubectl prints, trimmed; its kubeconfig is the one that aws wrote, which gets its tokens from aws."""
    environment = sandbox.environment(PATH=os.pathsep.join([str(TOOLS), str(AWS.parent), os.environ["PATH"]]))
    done = subprocess.run(["kubectl", *arguments], capture_output=True, text=True, timeout=120, env=environment, check=False)
    return done.stdout.strip() or done.stderr.strip()


def test_who_made_a_cluster_by_default_is_its_admin_also_when_access_entries_begin(ground: Ground) -> None:
    aws = ground.sandbox.aws
    placed = ("--role-arn", ground.eks_role, "--resources-vpc-config", f"subnetIds={','.join(ground.subnets)}")
    made = aws("eks", "create-cluster", "--name", "demo", *placed)["cluster"]
    assert made["accessConfig"] == {"authenticationMode": "CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": True}
    ground.sandbox.fast_forward()
    assert ground.sandbox.run("eks", "update-kubeconfig", "--name", "demo").returncode == 0
    assert kubectl(ground.sandbox, "auth", "can-i", "*", "*", "--all-namespaces") == "yes"
    assert json.loads(kubectl(ground.sandbox, "auth", "whoami", "-o", "json"))["status"]["userInfo"]["username"] == "kubernetes-admin"
    aws("eks", "update-cluster-config", "--name", "demo", "--access-config", "authenticationMode=API_AND_CONFIG_MAP")
    ground.sandbox.fast_forward()
    creator = aws("sts", "get-caller-identity")["Arn"]
    assert aws("eks", "list-access-entries", "--cluster-name", "demo")["accessEntries"] == [creator]
    assert kubectl(ground.sandbox, "auth", "can-i", "*", "*", "--all-namespaces") == "yes"


def test_who_made_a_cluster_without_asking_for_admin_rights_has_none(ground: Ground) -> None:
    aws = ground.sandbox.aws
    placed = ("--role-arn", ground.eks_role, "--resources-vpc-config", f"subnetIds={','.join(ground.subnets)}")
    aws("eks", "create-cluster", "--name", "demo", *placed, "--access-config", "bootstrapClusterCreatorAdminPermissions=false")
    ground.sandbox.fast_forward()
    assert ground.sandbox.run("eks", "update-kubeconfig", "--name", "demo").returncode == 0
    assert "server has asked for the client to provide credentials" in kubectl(ground.sandbox, "get", "namespaces")


def test_addons_are_offered_installed_and_removed_in_the_real_control_plane(ground: Ground) -> None:
    ground.active()
    aws = ground.sandbox.aws
    offered = aws("eks", "describe-addon-versions", "--kubernetes-version", "1.36", "--addon-name", "kube-proxy")["addons"]
    version = offered[0]["addonVersions"][0]["addonVersion"]
    aws("eks", "create-addon", "--cluster-name", "demo", "--addon-name", "kube-proxy", "--addon-version", version)
    ground.sandbox.fast_forward(180)

    def status() -> str:
        shown: str = ground.sandbox.client("eks").describe_addon(clusterName="demo", addonName="kube-proxy")["addon"]["status"]
        return shown

    ground.sandbox.wait_until(lambda: status() == "ACTIVE", 60)
    aws("eks", "wait", "addon-active", "--cluster-name", "demo", "--addon-name", "kube-proxy")
    aws("eks", "delete-addon", "--cluster-name", "demo", "--addon-name", "kube-proxy")
    ground.sandbox.fast_forward()
    aws("eks", "wait", "addon-deleted", "--cluster-name", "demo", "--addon-name", "kube-proxy")
    assert aws("eks", "list-addons", "--cluster-name", "demo")["addons"] == []


def test_pod_identities(ground: Ground) -> None:
    ground.active()
    role = ground.sandbox.client("iam").create_role(RoleName="pods", AssumeRolePolicyDocument=trust("pods.eks.amazonaws.com"))["Role"][
        "Arn"
    ]
    where = ("--cluster-name", "demo", "--namespace", "team", "--service-account", "trainer")
    made = ground.sandbox.aws("eks", "create-pod-identity-association", *where, "--role-arn", role)["association"]
    listed = ground.sandbox.aws("eks", "list-pod-identity-associations", "--cluster-name", "demo")["associations"]
    assert [one["associationId"] for one in listed] == [made["associationId"]]
    wrong = ground.sandbox.run("eks", "create-pod-identity-association", *where[:-1], "other", "--role-arn", ground.eks_role)
    assert "(InvalidParameterException)" in wrong.stderr


def test_a_node_group_is_made_scaled_and_deleted(ground: Ground) -> None:
    ground.active()
    aws, run = ground.sandbox.aws, ground.sandbox.run
    aws("eks", "create-addon", "--cluster-name", "demo", "--addon-name", "vpc-cni")
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    role = aws("iam", "create-role", "--role-name", "node", "--assume-role-policy-document", document)["Role"]["Arn"]
    which = ("--cluster-name", "demo", "--nodegroup-name", "cpu")
    made = aws(
        "eks", "create-nodegroup", *which, "--subnets", *ground.subnets, "--node-role", role, "--capacity-type", "SPOT",
        "--instance-types", "m5.xlarge", "m5.2xlarge", "--scaling-config", "minSize=0,maxSize=3,desiredSize=2",
    )["nodegroup"]  # fmt: skip
    assert (made["status"], made["capacityType"], made["health"]) == ("CREATING", "SPOT", {"issues": []})
    assert run("eks", "delete-cluster", "--name", "demo").stderr.strip().endswith("Cluster has nodegroups attached")
    ground.sandbox.fast_forward()
    assert run("eks", "wait", "nodegroup-active", *which).returncode == 0
    machines = [one for each in aws("ec2", "describe-instances")["Reservations"] for one in each["Instances"]]
    assert [(one["InstanceLifecycle"], one["State"]["Name"]) for one in machines] == [("spot", "running")] * 2
    assert len({one["Placement"]["AvailabilityZone"] for one in machines}) == 2
    update = aws("eks", "update-nodegroup-config", *which, "--scaling-config", "desiredSize=1")["update"]
    ground.sandbox.fast_forward()
    told = aws("eks", "describe-update", "--name", "demo", "--nodegroup-name", "cpu", "--update-id", update["id"])["update"]
    assert (told["type"], told["status"]) == ("ConfigUpdate", "Successful")
    refused = run("eks", "update-nodegroup-config", *which, "--scaling-config", "desiredSize=9")
    assert "(InvalidParameterException)" in refused.stderr
    assert "desired capacity 9 can't be greater than max size 3" in refused.stderr
    assert aws("eks", "list-nodegroups", "--cluster-name", "demo")["nodegroups"] == ["cpu"]
    aws("eks", "delete-nodegroup", *which)
    ground.sandbox.fast_forward()
    assert run("eks", "wait", "nodegroup-deleted", *which).returncode == 0
    assert aws("ec2", "describe-instances")["Reservations"] == []
