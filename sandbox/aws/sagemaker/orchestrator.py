"""What HyperPod asks of the EKS cluster it attaches to, and the access entries it adds there for its nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws import roles
from sandbox.aws.errors import AWSError
from sandbox.aws.sagemaker.errors import invalid

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ARN = re.compile(r"arn:[a-z-]+:eks:([a-z0-9-]+):(\d{12}):cluster/(.+)")
_OLDEST_CNI = (1, 18, 3)
_ROLE_SERVICE = "hyperpod.sagemaker.amazonaws.com"
_ROLE_NAME = "AWSServiceRoleForSageMakerHyperPod"


def cluster_name(arn: str) -> str:
    return arn.rsplit("/", 1)[-1]


def check(context: Context, arn: str, vpc_id: str) -> None:
    """The EKS cluster is here, ACTIVE, lets access entries in, has a VPC CNI that is new enough, and lies in the same VPC."""
    match = _ARN.fullmatch(arn)
    if match is None or (match[1], match[2]) != (context.region, context.account):
        raise invalid(f"The EKS cluster {arn} must be in the same account and Region as the HyperPod cluster.")
    try:
        cluster = context.call("eks", "DescribeCluster", {"name": match[3]})["cluster"]  # as the caller, who must be allowed to
    except AWSError as error:
        if error.code == "ResourceNotFoundException":
            raise invalid(f"The EKS cluster {arn} does not exist.") from error
        raise
    if cluster["status"] != "ACTIVE":
        raise invalid(f"The EKS cluster {arn} must be ACTIVE, but it is {cluster['status']}.")
    if cluster["accessConfig"]["authenticationMode"] == "CONFIG_MAP":
        raise invalid(f"The EKS cluster {arn} must use the authentication mode API or API_AND_CONFIG_MAP.")
    if cluster["resourcesVpcConfig"]["vpcId"] != vpc_id:
        raise invalid(
            f"The HyperPod cluster's subnets must be in the VPC of the EKS cluster {arn}, {cluster['resourcesVpcConfig']['vpcId']}."
        )
    _check_cni(context.as_source("service"), match[3])


def _check_cni(service: Context, name: str) -> None:
    oldest = ".".join(map(str, _OLDEST_CNI))
    try:
        addon = service.call("eks", "DescribeAddon", {"clusterName": name, "addonName": "vpc-cni"})["addon"]
    except AWSError as error:
        if error.code == "ResourceNotFoundException":
            raise invalid(f"The EKS cluster {name} has no Amazon VPC CNI add-on: version {oldest} or newer is required.") from error
        raise
    found = re.match(r"v(\d+)\.(\d+)\.(\d+)", addon["addonVersion"])
    if found is None or tuple(map(int, found.groups())) < _OLDEST_CNI:
        raise invalid(f"The Amazon VPC CNI add-on of the EKS cluster {name} is {addon['addonVersion']}: {oldest} or newer is required.")


def ensure_service_role(context: Context) -> str:
    """The ARN of HyperPod's service-linked role, made on the caller's behalf when the account has none."""
    arn = f"arn:{context.partition}:iam::{context.account}:role/aws-service-role/{_ROLE_SERVICE}/{_ROLE_NAME}"
    if roles.find_role(context, arn) is None:
        context.call("iam", "CreateServiceLinkedRole", {"AWSServiceName": _ROLE_SERVICE})
    return arn


def admit(context: Context, name: str, role_arns: list[str]) -> list[str]:
    """Add an access entry for each execution role that has none, as the caller. The roles whose entries were made here."""
    made = []
    for arn in dict.fromkeys(role_arns):
        try:
            context.call("eks", "CreateAccessEntry", {"clusterName": name, "principalArn": arn, "type": "HYPERPOD_LINUX"})
        except AWSError as error:
            if error.code != "ResourceInUseException":
                raise
        else:
            made.append(arn)
    return made


def dismiss(context: Context, name: str, role_arns: list[str]) -> None:
    """Take back the entries that `admit` made; those that are gone already are fine, and so is a gone EKS cluster."""
    for arn in role_arns:
        try:
            context.as_source("service").call("eks", "DeleteAccessEntry", {"clusterName": name, "principalArn": arn})
        except AWSError as error:
            if error.code != "ResourceNotFoundException":
                raise


def of(orchestrator: dict[str, Any] | None) -> str:
    """The EKS cluster's ARN of an Orchestrator member; exactly one orchestrator must be named."""
    if not orchestrator or len(orchestrator) != 1:
        raise invalid("Exactly one of Eks and Slurm must be given in Orchestrator.")
    if "Eks" not in orchestrator:
        raise AWSError("NotImplemented", "HyperPod clusters orchestrated by Slurm are not simulated by the sandbox.", 501)
    return str(orchestrator["Eks"]["ClusterArn"])
