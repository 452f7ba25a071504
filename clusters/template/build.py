"""The control plane's stack, put together from its parts."""

from __future__ import annotations

from clusters.resolved import ResolvedSpec
from clusters.template import bucket, eks, logs, network, roles, security
from clusters.template.document import Output, Template, att, join, ref
from clusters.template.metadata import metadata
from instantstart.cloud.identity import Identity


def build(spec: ResolvedSpec, identity: Identity) -> Template:
    """The same for the same specification and identity."""
    ids = network.ids(spec)
    made = [
        *network.resources(spec),
        *security.resources(spec, ids.vpc),
        *bucket.resources(spec),
        *logs.resources(spec),
        roles.eks_role(spec),
        eks.cluster(spec, ids),
        eks.provider(spec),
        eks.own_access_entry(spec, identity),
        roles.execution_role(spec, eks.CLUSTER),
        roles.s3_csi_role(spec, eks.CLUSTER, eks.PROVIDER),
    ]
    if spec.fsx:
        made.append(roles.fsx_csi_role(spec, eks.CLUSTER, eks.PROVIDER))
    description = f"InstantStart: network, roles and EKS control plane of the cluster {spec.name}"
    return Template(description, tuple(made), tuple(_outputs(spec, ids)), metadata(spec))


def _outputs(spec: ResolvedSpec, ids: network.NetworkIds) -> list[Output]:
    outputs = [
        Output("VpcId", ids.vpc, "VPC"),
        Output("ComputeSubnetId", ids.compute_subnet, "Subnet of the nodes"),
        Output("PrivateSubnetIds", join(",", ids.private_subnets), "Subnets of EKS' interfaces"),
        Output("SecurityGroupId", att(security.GROUP, "GroupId"), "Security group of nodes and control plane"),
        Output("ClusterArn", att(eks.CLUSTER, "Arn"), "EKS cluster"),
        Output("ClusterName", ref(eks.CLUSTER), "Name of the EKS cluster"),
        Output("ClusterSecurityGroupId", att(eks.CLUSTER, "ClusterSecurityGroupId"), "Security group that EKS made"),
        Output("OidcIssuer", att(eks.CLUSTER, "OpenIdConnectIssuerUrl"), "Issuer of service account tokens"),
        Output("OidcProviderArn", att(eks.PROVIDER, "Arn"), "IAM's OIDC provider"),
        Output("ExecutionRoleArn", att(roles.EXECUTION_ROLE, "Arn"), "Role of HyperPod's instances"),
        Output("BucketName", ref(bucket.BUCKET), "Bucket of the lifecycle scripts"),
        Output("S3CsiRoleArn", att(roles.S3_CSI_ROLE, "Arn"), "Role of the S3 CSI driver"),
        Output("LogGroupName", ref(logs.LOG_GROUP), "Logs of the control plane"),
    ]
    if ids.public_subnets:
        outputs.append(Output("PublicSubnetIds", join(",", ids.public_subnets), "Subnets of load balancers"))
    if spec.fsx:
        outputs.append(Output("FsxCsiRoleArn", att(roles.FSX_CSI_ROLE, "Arn"), "Role of the FSx CSI driver"))
    return outputs
