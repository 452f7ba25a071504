"""Clusters that another hand made: plain AWS calls, in two regions, with names that do not fit together."""

from __future__ import annotations

import contextlib
import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from clusters.tests.groups.standing import WRITES, had_effect
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.cloud.aws import Aws

WEST, EU = "us-west-2", "eu-west-1"
GROUP = {"InstanceGroupName": "cpu", "InstanceCount": 1, "InstanceType": "ml.m5.xlarge"}
ACCOUNT = "123456789012"


@dataclass
class Foreign:
    """us-west-2: the EKS cluster `prod` with the HyperPod cluster `prod-pods` on it, and `Alone_1` without, into whose Kubernetes we may
    not look. eu-west-1: another `prod`, without HyperPod."""

    sandbox: Sandbox
    roles: dict[str, str] = field(default_factory=dict)
    since: int = 0

    def make(self) -> None:
        self.sandbox.reset()
        self.since = 0
        cloud.forget()
        self.roles = {name: self._role(name) for name in ("eks", "sagemaker")}
        west, group = self._network(WEST)
        eu, _ = self._network(EU)
        self._eks(WEST, "prod", west, ours=True)
        self._eks(WEST, "Alone_1", west, ours=False)
        self._eks(EU, "prod", eu, ours=True)
        self.sandbox.forward("settled")
        self.aws().write("eks", "create_addon", clusterName="prod", addonName="vpc-cni")
        self.sandbox.forward("settled")
        self.aws().write(
            "sagemaker",
            "create_cluster",
            ClusterName="prod-pods",
            InstanceGroups=[{**GROUP, "ExecutionRole": self.roles["sagemaker"]}],
            VpcConfig={"SecurityGroupIds": [group], "Subnets": west[:1]},
            Orchestrator={"Eks": {"ClusterArn": f"arn:aws:eks:{WEST}:{ACCOUNT}:cluster/prod"}},
            NodeRecovery="Automatic",
            NodeProvisioningMode="Continuous",
        )
        self.sandbox.forward("settled")
        for region, name in ((WEST, "prod"), (WEST, "Alone_1"), (EU, "prod")):
            self._wake(region, name)

    def _wake(self, region: str, name: str) -> None:
        """Until its control plane answers, were it to say that it does not know us: it starts at the first contact."""
        endpoint = self.aws(region).read("eks", "describe_cluster", name=name)["cluster"]["endpoint"]
        anyone = ssl._create_unverified_context()  # noqa: S323  (loopback)
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(f"{endpoint}/version", timeout=60, context=anyone).close()  # noqa: S310

    def stands(self) -> bool:
        """Whether it is as it was made: other tests may have emptied the sandbox since, or changed a group."""
        if not any(row["kind"] == "sagemaker.cluster" and row.get("name", "prod-pods") == "prod-pods" for row in self.sandbox.ledger()):
            return False
        found = [one for one in self.aws().pages("sagemaker", "list_clusters", "ClusterSummaries") if one["ClusterName"] == "prod-pods"]
        return bool(found) and [group["TargetCount"] for group in self.hyperpod()["InstanceGroups"]] == [1]

    def aws(self, region: str = WEST) -> Aws:
        return cloud.connect(region)

    def hyperpod(self) -> dict[str, Any]:
        return self.aws().read("sagemaker", "describe_cluster", ClusterName="prod-pods")

    def described(self) -> dict[str, Any]:
        """Everything that AWS says of the clusters, tags included."""
        hyperpod = self.hyperpod()
        return {
            **{
                f"{region}/{name}": self.aws(region).read("eks", "describe_cluster", name=name)["cluster"]
                for region, name in ((WEST, "prod"), (WEST, "Alone_1"), (EU, "prod"))
            },
            "prod-pods": hyperpod,
            "tags": list(self.aws().pages("sagemaker", "list_tags", "Tags", ResourceArn=hyperpod["ClusterArn"])),
        }

    def mark(self) -> None:
        """From here on, calls are counted."""
        self.since = max((one["sequence"] for one in self._calls()), default=self.since)

    def _calls(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        since = self.since
        while page := self.sandbox.requests(since=str(since)):
            found += page
            since = page[-1]["sequence"]
        return found

    def calls(self) -> list[str]:
        return [f"{one['service']}:{one['operation']}" for one in self._calls()]

    def writes(self) -> list[str]:
        """The changing calls since the mark, in order."""
        return [one["operation"] for one in self._changing()]

    def effects(self) -> list[str]:
        """Of these, the ones that had an effect, whether their reply came or not."""
        return [one["operation"] for one in self._changing() if had_effect(one)]

    def _changing(self) -> list[dict[str, Any]]:
        return [one for one in self._calls() if one["operation"].startswith((*WRITES, "Untag"))]

    def _role(self, service: str) -> str:
        trust = {"Effect": "Allow", "Principal": {"Service": f"{service}.amazonaws.com"}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
        document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
        made = self.aws().write("iam", "create_role", RoleName=f"theirs-{service}", AssumeRolePolicyDocument=document)
        return str(made.data["Role"]["Arn"])

    def _network(self, region: str) -> tuple[list[str], str]:
        aws = self.aws(region)
        vpc = aws.write("ec2", "create_vpc", CidrBlock="10.1.0.0/16").data["Vpc"]["VpcId"]
        subnets = [
            aws.write("ec2", "create_subnet", VpcId=vpc, CidrBlock=cidr, AvailabilityZone=f"{region}{zone}").data["Subnet"]["SubnetId"]
            for cidr, zone in (("10.1.0.0/20", "a"), ("10.1.16.0/24", "b"))
        ]
        group = aws.write("ec2", "create_security_group", GroupName="theirs", Description="all", VpcId=vpc).data["GroupId"]
        return subnets, group

    def _eks(self, region: str, name: str, subnets: list[str], *, ours: bool) -> None:
        self.aws(region).write(
            "eks",
            "create_cluster",
            name=name,
            roleArn=self.roles["eks"],
            resourcesVpcConfig={"subnetIds": subnets},
            accessConfig={"authenticationMode": "API_AND_CONFIG_MAP", "bootstrapClusterCreatorAdminPermissions": ours},
            tags={"team": "research"},
        )
