"""The types of resources that carry our tags: how each is deleted, and what it costs where that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clusters.catalog.cost import ADDRESS_PER_HOUR, EKS_PER_HOUR, NAT_PER_HOUR

STACK, ROLE = "cloudformation:stack", "iam:role"
FREE = 0.0


@dataclass(frozen=True)
class Way:
    """service, operation, parameter: the one call that deletes it, by its name; parameters with a slash take the name's parts.
    cost: US dollars an hour, None when unknown."""

    service: str
    operation: str
    parameter: str
    cost: float | None = None

    def arguments(self, name: str) -> dict[str, str]:
        """Of the call."""
        if "/" not in self.parameter:
            return {self.parameter: name}
        return dict(zip(self.parameter.split("/"), name.split("/"), strict=False))


WAYS: Mapping[str, Way] = {
    STACK: Way("cloudformation", "delete_stack", "StackName"),
    ROLE: Way("iam", "delete_role", "RoleName", FREE),
    "ec2:elastic-ip": Way("ec2", "release_address", "AllocationId", ADDRESS_PER_HOUR),
    "ec2:internet-gateway": Way("ec2", "delete_internet_gateway", "InternetGatewayId", FREE),
    "ec2:launch-template": Way("ec2", "delete_launch_template", "LaunchTemplateId", FREE),
    "ec2:natgateway": Way("ec2", "delete_nat_gateway", "NatGatewayId", NAT_PER_HOUR),
    "ec2:route-table": Way("ec2", "delete_route_table", "RouteTableId", FREE),
    "ec2:security-group": Way("ec2", "delete_security_group", "GroupId", FREE),
    "ec2:subnet": Way("ec2", "delete_subnet", "SubnetId", FREE),
    "ec2:vpc": Way("ec2", "delete_vpc", "VpcId", FREE),
    "eks:cluster": Way("eks", "delete_cluster", "name", EKS_PER_HOUR),
    "eks:nodegroup": Way("eks", "delete_nodegroup", "clusterName/nodegroupName"),
    "logs:log-group": Way("logs", "delete_log_group", "logGroupName"),
    "s3:bucket": Way("s3", "delete_bucket", "Bucket"),
    "sagemaker:cluster": Way("sagemaker", "delete_cluster", "ClusterName"),
}


def parts(arn: str) -> tuple[str, str]:
    """Type ("ec2:vpc") and name of what an ARN stands for, in the words of the API that deletes it."""
    service, rest = arn.split(":", 5)[2], arn.split(":", 5)[5]
    if service == "s3":
        return "s3:bucket", rest
    if service == "logs":
        return "logs:log-group", rest.partition(":")[2].removesuffix(":*")
    kind, _, name = rest.partition("/")
    if service == "cloudformation":
        return STACK, arn
    if service == "sagemaker":
        return f"{service}:{kind}", arn
    return f"{service}:{kind}", name.rpartition("/")[2] if service == "iam" else name


def shown_name(arn: str) -> str:
    """As a person knows it."""
    kind, name = parts(arn)
    return arn.split("/")[1] if kind == STACK else name.rpartition("/")[2] if kind.startswith("sagemaker") else name
