"""Every IAM permission that the control plane needs: action, why, phase, and on what. One table for three uses.

The plan's check simulates it, `manage.py iam-policy` prints it as a policy, and a test compares it with the calls in the code.
Creating permissions come with those that take the thing away again: who can create and not delete leaves orphans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

CONNECT, PLAN, CONTROL_PLANE, SELECT, DEPENDENCIES, HYPERPOD, STORAGE, FEATURES, GROUPS, DELETION, QUOTAS, COST, TRAINING_PLANS, IMPORT = (
    "connect",
    "plan",
    "control_plane",
    "select",
    "dependencies",
    "hyperpod",
    "storage",
    "features",
    "groups",
    "deletion",
    "quotas",
    "cost",
    "training_plans",
    "import",
)
DRIFT, ORPHANS, NODE_GROUPS = "drift", "orphans", "node_groups"
OPTIONAL = (QUOTAS, COST, TRAINING_PLANS, DRIFT, IMPORT, ORPHANS, NODE_GROUPS)
"""Phases that clusters live without: a permission of theirs that is missing is a warning."""
MANAGED_POLICY_LIMIT = 6144
"""Characters that IAM counts of a managed policy, white space apart."""


class Scope(StrEnum):
    """What an action is allowed on."""

    ANY = "any"
    NETWORK = "network"
    STACK = "stack"
    ROLE = "role"
    SERVICE_LINKED_ROLE = "service_linked_role"
    OIDC_PROVIDER = "oidc_provider"
    LAUNCH = "launch"
    EKS = "eks"
    HYPERPOD = "hyperpod"
    BUCKET = "bucket"
    OBJECT = "object"
    QUOTA = "quota"
    TRAINING_PLAN = "training_plan"
    EKS_LOGS = "eks_logs"
    HYPERPOD_LOGS = "hyperpod_logs"


ARNS: dict[Scope, tuple[tuple[str, ...], str]] = {
    Scope.ANY: (("*",), "*"),
    Scope.NETWORK: (("arn:{partition}:ec2:{region}:{account}:*",), "arn:{partition}:ec2:{region}:{account}:vpc/vpc-0123456789abcdef0"),
    Scope.STACK: (
        ("arn:{partition}:cloudformation:{region}:{account}:stack/instantstart-*",),
        "arn:{partition}:cloudformation:{region}:{account}:stack/instantstart-{cluster}-control-plane/0f000000-0000-0000-0000-000000000000",
    ),
    Scope.ROLE: (
        ("arn:{partition}:iam::{account}:role/instantstart-*",),
        "arn:{partition}:iam::{account}:role/instantstart-{cluster}-execution",
    ),
    Scope.SERVICE_LINKED_ROLE: (
        ("arn:{partition}:iam::{account}:role/aws-service-role/*",),
        "arn:{partition}:iam::{account}:role/aws-service-role/hyperpod.sagemaker.amazonaws.com/AWSServiceRoleForSageMakerHyperPod",
    ),
    Scope.OIDC_PROVIDER: (
        ("arn:{partition}:iam::{account}:oidc-provider/*",),
        "arn:{partition}:iam::{account}:oidc-provider/oidc.eks.{region}.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF",
    ),
    Scope.LAUNCH: (
        # Images are of no account; that of EKS's nodes is AWS's.
        ("arn:{partition}:ec2:{region}:{account}:*", "arn:{partition}:ec2:{region}::image/*"),
        "arn:{partition}:ec2:{region}::image/ami-0123456789abcdef0",
    ),
    Scope.EKS: (
        ("arn:{partition}:eks:{region}:{account}:*",),
        "arn:{partition}:eks:{region}:{account}:cluster/{cluster}",
    ),
    Scope.HYPERPOD: (
        ("arn:{partition}:sagemaker:{region}:{account}:cluster/*",),
        "arn:{partition}:sagemaker:{region}:{account}:cluster/0123456789ab",
    ),
    Scope.BUCKET: (("arn:{partition}:s3:::sagemaker-*",), "arn:{partition}:s3:::{bucket}"),
    Scope.OBJECT: (("arn:{partition}:s3:::sagemaker-*/*",), "arn:{partition}:s3:::{bucket}/lifecycle/on_create.sh"),
    Scope.TRAINING_PLAN: (
        (
            "arn:{partition}:sagemaker:{region}:{account}:training-plan/*",
            "arn:{partition}:sagemaker:{region}:{account}:reserved-capacity/*",
        ),
        "arn:{partition}:sagemaker:{region}:{account}:training-plan/any",
    ),
    Scope.QUOTA: (
        ("arn:{partition}:servicequotas:{region}:{account}:*",),
        "arn:{partition}:servicequotas:{region}:{account}:sagemaker/L-2CE978FC",
    ),
    Scope.EKS_LOGS: (
        ("arn:{partition}:logs:{region}:{account}:log-group:/aws/eks/*",),
        "arn:{partition}:logs:{region}:{account}:log-group:/aws/eks/{cluster}/cluster:*",
    ),
    Scope.HYPERPOD_LOGS: (
        ("arn:{partition}:logs:{region}:{account}:log-group:/aws/sagemaker/Clusters/*",),
        "arn:{partition}:logs:{region}:{account}:log-group:/aws/sagemaker/Clusters/{cluster}/0123456789ab:*",
    ),
}
"""Scope → (resources of the printed policy, the one resource that is simulated)."""


@dataclass(frozen=True)
class Permission:
    """action: "service:Operation" as IAM writes it. why: completes "… is needed to". passed_to: for iam:PassRole, the services."""

    action: str
    why: str
    phase: str
    scope: Scope = Scope.ANY
    passed_to: tuple[str, ...] = field(default=())


def _rows(phase: str, why: str, scope: Scope, actions: str) -> list[Permission]:
    return [Permission(action, why, phase, scope) for action in actions.split()]


PERMISSIONS: tuple[Permission, ...] = (
    *_rows(DRIFT, "say who changed what elsewhere", Scope.ANY, "cloudtrail:LookupEvents"),
    *_rows(
        DRIFT,
        "find what of a stack another hand has changed",
        Scope.STACK,
        "cloudformation:DetectStackDrift cloudformation:DetectStackResourceDrift cloudformation:DescribeStackResourceDrifts",
    ),
    *_rows(
        DRIFT,
        "work out what an update of a stack would change, and carry it out",
        Scope.STACK,
        "cloudformation:CreateChangeSet cloudformation:DescribeChangeSet cloudformation:ListChangeSets cloudformation:ExecuteChangeSet "
        "cloudformation:DeleteChangeSet",
    ),
    *_rows(DRIFT, "put the roles of a stack back as they were meant", Scope.ROLE, "iam:UpdateRole"),
    *_rows(ORPHANS, "find roles that belong to no cluster", Scope.ANY, "iam:ListRoles"),
    *_rows(ORPHANS, "tell whose a role is", Scope.ROLE, "iam:ListRoleTags"),
    *_rows(DRIFT, "wait for CloudFormation's detection", Scope.ANY, "cloudformation:DescribeStackDriftDetectionStatus"),
    *_rows(CONNECT, "say who the control plane is", Scope.ANY, "sts:GetCallerIdentity iam:GetRole"),
    *_rows(CONNECT, "tell what is missing before it is needed", Scope.ANY, "iam:SimulatePrincipalPolicy"),
    *_rows(
        PLAN,
        "see networks, zones and instance types before anything is made",
        Scope.ANY,
        "ec2:DescribeRegions ec2:DescribeAvailabilityZones ec2:DescribeInstanceTypeOfferings ec2:DescribeVpcs "
        "ec2:DescribeSubnets ec2:DescribeRouteTables ec2:DescribeInternetGateways ec2:DescribeNatGateways "
        "ec2:DescribeVpcEndpoints ec2:DescribeSecurityGroups ec2:DescribeAddresses ec2:DescribeNetworkInterfaces "
        "ec2:DescribeVpcAttribute ec2:DescribeSecurityGroupRules ec2:DescribeNetworkAcls",
    ),
    *_rows(PLAN, "compare quotas with the request", Scope.ANY, "servicequotas:ListServiceQuotas servicequotas:ListAWSDefaultServiceQuotas"),
    *_rows(
        PLAN,
        "know the Kubernetes versions and add-ons on offer",
        Scope.ANY,
        "eks:DescribeClusterVersions eks:DescribeAddonVersions eks:ListClusters",
    ),
    *_rows(PLAN, "see clusters and training plans that exist", Scope.ANY, "sagemaker:ListClusters sagemaker:ListTrainingPlans"),
    *_rows(PLAN, "find everything that carries a cluster's tag", Scope.ANY, "tag:GetResources"),
    *_rows(
        CONTROL_PLANE,
        "create the stack of network, roles and EKS cluster, and follow it",
        Scope.STACK,
        "cloudformation:CreateStack cloudformation:DescribeStacks cloudformation:DescribeStackEvents cloudformation:DescribeStackResources "
        "cloudformation:ListStackResources cloudformation:GetTemplate cloudformation:TagResource",
    ),
    *_rows(
        CONTROL_PLANE,
        "create the VPC and what is in it",
        Scope.NETWORK,
        "ec2:CreateVpc ec2:ModifyVpcAttribute ec2:CreateTags ec2:CreateInternetGateway ec2:AttachInternetGateway ec2:CreateSubnet "
        "ec2:ModifySubnetAttribute ec2:AllocateAddress ec2:CreateNatGateway ec2:CreateRouteTable ec2:CreateRoute ec2:AssociateRouteTable "
        "ec2:CreateVpcEndpoint ec2:CreateSecurityGroup ec2:AuthorizeSecurityGroupIngress ec2:AuthorizeSecurityGroupEgress "
        "ec2:RevokeSecurityGroupEgress",
    ),
    *_rows(
        CONTROL_PLANE,
        "create the roles of EKS, of the nodes and of the storage drivers",
        Scope.ROLE,
        "iam:CreateRole iam:GetRole iam:TagRole iam:PutRolePolicy iam:GetRolePolicy iam:AttachRolePolicy iam:ListRolePolicies "
        "iam:ListAttachedRolePolicies",
    ),
    Permission(
        "iam:PassRole",
        "hand the roles to EKS, SageMaker and the add-ons' pods",
        CONTROL_PLANE,
        Scope.ROLE,
        ("ec2.amazonaws.com", "eks.amazonaws.com", "hyperpod.sagemaker.amazonaws.com", "pods.eks.amazonaws.com", "sagemaker.amazonaws.com"),
    ),
    *_rows(CONTROL_PLANE, "let EKS and HyperPod make their service-linked roles", Scope.SERVICE_LINKED_ROLE, "iam:CreateServiceLinkedRole"),
    *_rows(
        CONTROL_PLANE,
        "let service accounts of the cluster take IAM roles",
        Scope.OIDC_PROVIDER,
        "iam:CreateOpenIDConnectProvider iam:GetOpenIDConnectProvider iam:TagOpenIDConnectProvider",
    ),
    *_rows(
        CONTROL_PLANE,
        "create the EKS cluster and who may sign in",
        Scope.EKS,
        "eks:CreateCluster eks:DescribeCluster eks:DescribeUpdate eks:TagResource eks:CreateAccessEntry eks:DescribeAccessEntry "
        "eks:ListAccessEntries eks:AssociateAccessPolicy eks:ListAssociatedAccessPolicies",
    ),
    *_rows(
        CONTROL_PLANE,
        "create the log group before EKS does",
        Scope.EKS_LOGS,
        "logs:CreateLogGroup logs:PutRetentionPolicy logs:TagResource",
    ),
    *_rows(CONTROL_PLANE, "see the log groups", Scope.ANY, "logs:DescribeLogGroups"),
    *_rows(
        CONTROL_PLANE,
        "create the cluster's bucket, encrypted and closed to the public",
        Scope.BUCKET,
        "s3:CreateBucket s3:PutBucketTagging s3:PutEncryptionConfiguration s3:PutBucketPublicAccessBlock s3:PutBucketOwnershipControls "
        "s3:PutBucketPolicy s3:GetBucketPolicy",
    ),
    *_rows(SELECT, "fetch the endpoint and the certificate authority", Scope.EKS, "eks:DescribeCluster"),
    *_rows(
        DEPENDENCIES,
        "install EKS add-ons and see their health",
        Scope.EKS,
        "eks:CreateAddon eks:DescribeAddon eks:ListAddons eks:UpdateAddon eks:DeleteAddon",
    ),
    *_rows(HYPERPOD, "upload the lifecycle scripts", Scope.OBJECT, "s3:PutObject s3:GetObject"),
    *_rows(HYPERPOD, "see what the bucket holds", Scope.BUCKET, "s3:ListBucket s3:GetBucketLocation"),
    *_rows(
        HYPERPOD,
        "create the HyperPod cluster and follow its nodes",
        Scope.HYPERPOD,
        "sagemaker:CreateCluster sagemaker:UpdateCluster sagemaker:DescribeCluster sagemaker:ListClusterNodes "
        "sagemaker:DescribeClusterNode sagemaker:ListClusterEvents sagemaker:DescribeClusterEvent sagemaker:AddTags sagemaker:ListTags",
    ),
    *_rows(FEATURES, "put right whom the role of a managed feature trusts", Scope.ROLE, "iam:UpdateAssumeRolePolicy"),
    *_rows(
        FEATURES,
        "give the service accounts of managed features their roles",
        Scope.EKS,
        "eks:CreatePodIdentityAssociation eks:DescribePodIdentityAssociation eks:DeletePodIdentityAssociation",
    ),
    *_rows(
        GROUPS,
        "add, delete, reboot and replace nodes, and update their software",
        Scope.HYPERPOD,
        "sagemaker:BatchAddClusterNodes sagemaker:BatchDeleteClusterNodes sagemaker:BatchRebootClusterNodes "
        "sagemaker:BatchReplaceClusterNodes sagemaker:UpdateClusterSoftware",
    ),
    *_rows(
        NODE_GROUPS,
        "create and scale EKS node groups",
        Scope.EKS,
        "eks:CreateNodegroup eks:UpdateNodegroupConfig",
    ),
    *_rows(NODE_GROUPS, "make the launch templates of node groups", Scope.NETWORK, "ec2:CreateLaunchTemplate"),
    *_rows(NODE_GROUPS, "let EKS launch nodes from them: it asks with our own rights", Scope.LAUNCH, "ec2:RunInstances"),
    *_rows(
        NODE_GROUPS,
        "see instance types, running instances and Capacity Blocks",
        Scope.ANY,
        "ec2:DescribeInstanceTypes ec2:DescribeInstances ec2:DescribeCapacityReservations",
    ),
    *_rows(
        QUOTAS,
        "see what became of requests for more",
        Scope.ANY,
        "servicequotas:ListRequestedServiceQuotaChangeHistory servicequotas:ListRequestedServiceQuotaChangeHistoryByQuota",
    ),
    *_rows(QUOTAS, "ask for a higher quota", Scope.QUOTA, "servicequotas:RequestServiceQuotaIncrease"),
    *_rows(COST, "read what instances cost", Scope.ANY, "pricing:GetProducts"),
    *_rows(TRAINING_PLANS, "search offers of training plans", Scope.ANY, "sagemaker:SearchTrainingPlanOfferings"),
    *_rows(TRAINING_PLANS, "buy a training plan", Scope.TRAINING_PLAN, "sagemaker:CreateTrainingPlan sagemaker:DescribeTrainingPlan"),
    *_rows(IMPORT, "take our tags off an imported EKS cluster that is forgotten", Scope.EKS, "eks:UntagResource"),
    *_rows(IMPORT, "take our tags off its HyperPod cluster", Scope.HYPERPOD, "sagemaker:DeleteTags"),
    *_rows(DELETION, "delete a stack", Scope.STACK, "cloudformation:DeleteStack"),
    *_rows(DELETION, "find the stacks of subnets that were made for instance groups", Scope.ANY, "cloudformation:ListStacks"),
    *_rows(
        DELETION,
        "take the network down again",
        Scope.NETWORK,
        "ec2:DeleteVpc ec2:DetachInternetGateway ec2:DeleteInternetGateway ec2:DeleteSubnet "
        "ec2:ReleaseAddress ec2:DisassociateAddress ec2:DeleteNatGateway ec2:DeleteRouteTable ec2:DeleteRoute ec2:DisassociateRouteTable "
        "ec2:DeleteVpcEndpoints ec2:DeleteSecurityGroup ec2:RevokeSecurityGroupIngress ec2:DeleteNetworkInterface ec2:DeleteTags",
    ),
    *_rows(DELETION, "remove the roles", Scope.ROLE, "iam:DeleteRole iam:DeleteRolePolicy iam:DetachRolePolicy"),
    *_rows(DELETION, "remove the identity provider", Scope.OIDC_PROVIDER, "iam:DeleteOpenIDConnectProvider"),
    *_rows(
        DELETION,
        "delete the EKS cluster",
        Scope.EKS,
        "eks:DeleteCluster eks:DeleteAccessEntry eks:DisassociateAccessPolicy eks:UpdateClusterConfig",
    ),
    *_rows(
        DELETION,
        "see the EKS node groups of a cluster, and delete them before it",
        Scope.EKS,
        "eks:ListNodegroups eks:DescribeNodegroup eks:DeleteNodegroup",
    ),
    *_rows(DELETION, "find the launch templates that node groups leave", Scope.ANY, "ec2:DescribeLaunchTemplates"),
    *_rows(DELETION, "delete the launch templates of node groups", Scope.NETWORK, "ec2:DeleteLaunchTemplate"),
    *_rows(DELETION, "delete the HyperPod cluster", Scope.HYPERPOD, "sagemaker:DeleteCluster"),
    *_rows(DELETION, "delete the bucket", Scope.BUCKET, "s3:DeleteBucket s3:DeleteBucketPolicy s3:ListBucketVersions"),
    *_rows(DELETION, "empty the bucket after a typed confirmation", Scope.OBJECT, "s3:DeleteObject s3:DeleteObjectVersion"),
    *_rows(DELETION, "remove the log group of the control plane", Scope.EKS_LOGS, "logs:DeleteLogGroup"),
    *_rows(DELETION, "remove the log group that HyperPod makes", Scope.HYPERPOD_LOGS, "logs:DeleteLogGroup"),
)


def resources(scope: Scope, values: Mapping[str, str]) -> list[str]:
    """The scope's ARNs for a policy. values: partition, account, region."""
    return [pattern.format_map(values) for pattern in ARNS[scope][0]]


def example(scope: Scope, values: Mapping[str, str]) -> str:
    """One resource of the scope to simulate. values: partition, account, region, cluster, bucket."""
    return ARNS[scope][1].format_map(values)


class Part(StrEnum):
    """The managed policies that the whole is printed as: together it is longer than one may be."""

    CORE = "core"
    """What no cluster is made or deleted without."""
    OPTIONAL = "optional"
    """What the optional phases need besides."""


def of_part(part: Part) -> list[Permission]:
    return [permission for permission in PERMISSIONS if (permission.phase in OPTIONAL) == (part is Part.OPTIONAL)]


def policy(values: Mapping[str, str], permissions: Iterable[Permission] = PERMISSIONS) -> dict[str, Any]:
    """The control plane's own policy: one statement a scope, every action named, no Sids. values: partition, account, region.

    All of it fits a role's inline policy (10,240 characters), each part a managed one.
    """
    by_scope: dict[tuple[Scope, tuple[str, ...]], set[str]] = {}
    for permission in permissions:
        by_scope.setdefault((permission.scope, permission.passed_to), set()).add(permission.action)
    statements = []
    for (scope, passed_to), actions in by_scope.items():
        statement: dict[str, Any] = {
            "Effect": "Allow",
            "Action": sorted(actions),
            "Resource": only[0] if len(only := resources(scope, values)) == 1 else only,
        }
        if passed_to:
            statement["Condition"] = {"StringEquals": {"iam:PassedToService": list(passed_to)}}
        statements.append(statement)
    return {"Version": "2012-10-17", "Statement": statements}
