"""What the inference operator and its KEDA may do in AWS (reference/aws.md §7), on named resources wherever IAM allows it."""

from __future__ import annotations

from clusters import names
from clusters.features.role import Document
from clusters.resolved import ResolvedSpec
from clusters.template.policies import allow

MADE_BY_THE_OPERATOR = {"StringEquals": {"aws:ResourceTag/CreatedBy": "HyperPodInference"}}


def operator(spec: ResolvedSpec) -> list[Document]:
    """Certificates in the cluster's bucket (never its lifecycle scripts), images, interfaces, load balancers, SageMaker endpoints."""
    here = f"{spec.region}:{spec.account}"
    bucket = f"arn:{spec.partition}:s3:::{spec.bucket}"
    ec2 = f"arn:{spec.partition}:ec2:{here}"
    sagemaker = f"arn:{spec.partition}:sagemaker:{here}"
    balancers = f"arn:{spec.partition}:elasticloadbalancing:{here}"
    return [
        allow(["s3:ListBucket"], bucket, sid="FindCertificates"),
        allow(["s3:DeleteObject", "s3:GetObject", "s3:PutObject", "s3:PutObjectTagging"], f"{bucket}/*", sid="Certificates"),
        {"Sid": "NotTheScripts", "Effect": "Deny", "Action": "s3:*", "Resource": f"{bucket}/{names.LIFECYCLE_PREFIX}*"},
        allow(
            ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
            f"arn:{spec.partition}:ecr:{spec.region}:*:repository/*",
            sid="PullImages",
        ),
        allow(
            [
                "acm:ListCertificates",
                "ec2:DescribeNetworkInterfaces",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSubnets",
                "ec2:DescribeVpcs",
                "ecr:GetAuthorizationToken",
                "elasticloadbalancing:DescribeListeners",
                "elasticloadbalancing:DescribeLoadBalancers",
                "elasticloadbalancing:DescribeTargetGroups",
                "elasticloadbalancing:DescribeTargetHealth",
            ],
            "*",
            sid="ReadsWithoutResource",
        ),
        allow(
            ["ec2:CreateNetworkInterfacePermission", "ec2:DeleteNetworkInterfacePermission"], f"{ec2}:network-interface/*", sid="Interfaces"
        ),
        allow(
            ["acm:AddTagsToCertificate", "acm:DeleteCertificate", "acm:DescribeCertificate", "acm:ImportCertificate"],
            f"arn:{spec.partition}:acm:{here}:certificate/*",
            sid="ImportCertificates",
        ),
        allow(
            ["elasticloadbalancing:AddTags", "elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:CreateTargetGroup"],
            [f"{balancers}:loadbalancer/*", f"{balancers}:targetgroup/*"],
            sid="LoadBalancers",
        ),
        allow(
            [
                "sagemaker:AddTags",
                "sagemaker:CreateEndpoint",
                "sagemaker:CreateEndpointConfig",
                "sagemaker:CreateModel",
                "sagemaker:DescribeEndpoint",
                "sagemaker:DescribeEndpointConfig",
                "sagemaker:DescribeModel",
            ],
            [f"{sagemaker}:endpoint/*", f"{sagemaker}:endpoint-config/*", f"{sagemaker}:model/*"],
            sid="Endpoints",
        ),
        allow(
            ["sagemaker:DeleteEndpoint", "sagemaker:DeleteEndpointConfig", "sagemaker:DeleteModel", "sagemaker:UpdateEndpoint"],
            [f"{sagemaker}:endpoint/*", f"{sagemaker}:endpoint-config/*", f"{sagemaker}:model/*"],
            sid="OwnEndpoints",
            condition=MADE_BY_THE_OPERATOR,
        ),
        allow(["eks:AssociateAccessPolicy", "eks:DescribeCluster"], f"arn:{spec.partition}:eks:{here}:cluster/{spec.eks}", sid="Cluster"),
        allow(
            ["iam:PassRole"],
            f"arn:{spec.partition}:iam::{spec.account}:role/{names.role(spec.name, PURPOSE)}",
            sid="PassItself",
            condition={"StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}},
        ),
    ]


def keda(spec: ResolvedSpec) -> list[Document]:
    """Metrics to scale by. CloudWatch limits reading metrics to no resource."""
    workspaces = f"arn:{spec.partition}:aps:{spec.region}:{spec.account}:workspace/*"
    return [
        allow(["cloudwatch:GetMetricData", "cloudwatch:GetMetricStatistics", "cloudwatch:ListMetrics"], "*", sid="CloudWatch"),
        allow(["aps:GetLabels", "aps:GetMetricMetadata", "aps:GetSeries", "aps:QueryMetrics"], workspaces, sid="Prometheus"),
    ]


PURPOSE, KEDA_PURPOSE = "inference", "keda"
