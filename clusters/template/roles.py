"""IAM roles, each with what it needs and no more: EKS, HyperPod's instances, the storage drivers' service accounts."""

from __future__ import annotations

from clusters import names
from clusters.resolved import ResolvedSpec
from clusters.template import bucket
from clusters.template.document import Resource, Value, att, sub
from clusters.template.policies import allow, inline, trusts_service, trusts_service_account

EKS_ROLE, EXECUTION_ROLE, S3_CSI_ROLE, FSX_CSI_ROLE = "EksRole", "ExecutionRole", "S3CsiRole", "FsxCsiRole"


def _managed(name: str) -> Value:
    return sub("arn:${AWS::Partition}:iam::aws:policy/" + name)


def _ec2(*kinds: str) -> list[Value]:
    return [sub("arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:" + kind) for kind in kinds]


def eks_role(spec: ResolvedSpec) -> Resource:
    """What the EKS control plane acts as."""
    name = names.eks_role(spec.name)
    properties = {
        "RoleName": name,
        "Description": f"EKS control plane of {spec.name}",
        "AssumeRolePolicyDocument": trusts_service("eks.amazonaws.com", tag_session=True),
        "ManagedPolicyArns": [_managed("AmazonEKSClusterPolicy")],
    }
    return Resource(EKS_ROLE, "AWS::IAM::Role", name, properties)


def execution_role(spec: ResolvedSpec, cluster: str) -> Resource:
    """What HyperPod's instances act as (reference/aws.md §7). cluster: logical name of the EKS cluster.

    Interfaces are in our account, instances in HyperPod's, so only the region of an instance is fixed.
    """
    name = names.execution_role(spec.name)
    interface = _ec2("network-interface/*")
    statements = [
        allow(
            [
                "ec2:AssignPrivateIpAddresses",
                "ec2:UnassignPrivateIpAddresses",
                "ec2:CreateNetworkInterfacePermission",
                "ec2:DeleteNetworkInterfacePermission",
                "ec2:DeleteNetworkInterface",
            ],
            interface,
            sid="Interfaces",
        ),
        allow(["ec2:CreateNetworkInterface"], _ec2("network-interface/*", "subnet/*", "security-group/*"), sid="NewInterfaces"),
        allow(
            ["ec2:AttachNetworkInterface", "ec2:DetachNetworkInterface", "ec2:ModifyNetworkInterfaceAttribute"],
            [*_ec2("network-interface/*", "security-group/*"), sub("arn:${AWS::Partition}:ec2:${AWS::Region}:*:instance/*")],
            sid="AttachedInterfaces",
        ),
        allow(["ec2:CreateTags"], interface, sid="TagInterfaces"),
        allow(
            [
                "ec2:DescribeDhcpOptions",
                "ec2:DescribeInstances",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeTags",
                "ec2:DescribeVpcs",
                "cloudwatch:DescribeAlarms",
                "ecr:GetAuthorizationToken",
            ],
            "*",
            sid="ReadsWithoutResource",
        ),
        # Images of AWS's own operators are in AWS's accounts.
        allow(
            ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            sub("arn:${AWS::Partition}:ecr:${AWS::Region}:*:repository/*"),
            sid="PullImages",
        ),
        allow(["eks-auth:AssumeRoleForPodIdentity"], att(cluster, "Arn"), sid="PodIdentity"),
        allow(["s3:ListBucket"], att(bucket.BUCKET, "Arn"), sid="FindLifecycleScripts"),
        allow(["s3:GetObject"], sub("${" + bucket.BUCKET + ".Arn}/" + names.LIFECYCLE_PREFIX + "*"), sid="ReadLifecycleScripts"),
    ]
    properties = {
        "RoleName": name,
        "Description": f"HyperPod instances of {spec.name}",
        "AssumeRolePolicyDocument": trusts_service("sagemaker.amazonaws.com"),
        "ManagedPolicyArns": [_managed("AmazonSageMakerClusterInstanceRolePolicy")],
        "Policies": [inline("hyperpod-on-eks", *statements)],
    }
    return Resource(EXECUTION_ROLE, "AWS::IAM::Role", name, properties)


def s3_csi_role(spec: ResolvedSpec, cluster: str, provider: str) -> Resource:
    """What Mountpoint's driver acts as: the shared files and nothing else; in the cluster's own bucket not the lifecycle
    scripts, for whoever could write those would be root on every node."""
    name = names.s3_csi_role(spec.name)
    if spec.storage.made:
        arn, objects = att(bucket.BUCKET, "Arn"), sub("${" + bucket.BUCKET + ".Arn}/" + names.SHARED_PREFIX + "*")
    else:
        arn = sub("arn:${AWS::Partition}:s3:::" + spec.storage.bucket)
        objects = sub("arn:${AWS::Partition}:s3:::" + spec.storage.bucket + "/*")
    statements = [
        allow(["s3:ListBucket"], arn, sid="ListBucket"),
        allow(["s3:AbortMultipartUpload", "s3:DeleteObject", "s3:GetObject", "s3:PutObject"], objects, sid="SharedFiles"),
    ]
    properties = {
        "RoleName": name,
        "Description": f"Mountpoint S3 CSI driver of {spec.name}",
        "AssumeRolePolicyDocument": trusts_service_account(cluster, provider, names.ADDON_NAMESPACE, names.S3_CSI_SERVICE_ACCOUNT),
        "Policies": [inline("shared-bucket", *statements)],
    }
    return Resource(S3_CSI_ROLE, "AWS::IAM::Role", name, properties)


def fsx_csi_role(spec: ResolvedSpec, cluster: str, provider: str) -> Resource:
    """What the FSx CSI controller acts as, instead of AmazonFSxFullAccess."""
    name = names.fsx_csi_role(spec.name)
    file_systems = sub("arn:${AWS::Partition}:fsx:${AWS::Region}:${AWS::AccountId}:file-system/*")
    statements = [
        allow(["fsx:CreateFileSystem", "fsx:DeleteFileSystem", "fsx:TagResource", "fsx:UpdateFileSystem"], file_systems, sid="FileSystems"),
        allow(["fsx:DescribeFileSystems"], "*", sid="ReadsWithoutResource"),
        allow(
            ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs"],
            "*",
            sid="NetworkReads",
        ),
        allow(
            ["iam:CreateServiceLinkedRole"],
            sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:role/aws-service-role/*"),
            sid="ServiceLinkedRoles",
            condition={"StringEquals": {"iam:AWSServiceName": ["fsx.amazonaws.com", "s3.data-source.lustre.fsx.amazonaws.com"]}},
        ),
    ]
    properties = {
        "RoleName": name,
        "Description": f"FSx CSI driver of {spec.name}",
        "AssumeRolePolicyDocument": trusts_service_account(cluster, provider, names.ADDON_NAMESPACE, names.FSX_CSI_SERVICE_ACCOUNT),
        "Policies": [inline("file-systems", *statements)],
    }
    return Resource(FSX_CSI_ROLE, "AWS::IAM::Role", name, properties)
