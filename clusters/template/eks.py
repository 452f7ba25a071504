"""The EKS cluster, its OIDC provider and the entry by which the control plane signs in."""

from __future__ import annotations

from clusters.resolved import ResolvedSpec
from clusters.template import logs, network, roles, security
from clusters.template.document import Resource, Value, att, ref
from instantstart.cloud.identity import Identity

CLUSTER, PROVIDER, ACCESS_ENTRY = "Cluster", "OidcProvider", "OwnAccessEntry"
LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def cluster(spec: ResolvedSpec, ids: network.NetworkIds) -> Resource:
    """Bootstrap rights for its creator are off: who may sign in is written down as access entries, ours among them."""
    access: dict[str, Value] = {
        "SubnetIds": ids.private_subnets,
        "SecurityGroupIds": [att(security.GROUP, "GroupId")],
        "EndpointPrivateAccess": True,
        "EndpointPublicAccess": spec.network.public_access,
    }
    if spec.network.public_access:
        access["PublicAccessCidrs"] = list(spec.network.public_access_cidrs)
    return Resource(
        CLUSTER,
        "AWS::EKS::Cluster",
        spec.name,
        {
            "Name": spec.name,
            "Version": spec.kubernetes_version,
            "RoleArn": att(roles.EKS_ROLE, "Arn"),
            "ResourcesVpcConfig": access,
            "KubernetesNetworkConfig": {"IpFamily": "ipv4", "ServiceIpv4Cidr": spec.network.service_cidr},
            "AccessConfig": {"AuthenticationMode": "API_AND_CONFIG_MAP", "BootstrapClusterCreatorAdminPermissions": False},
            "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": kind} for kind in LOG_TYPES]}},
        },
        # EKS makes the log group itself, without retention and tags, when it is not there yet.
        depends_on=(logs.LOG_GROUP, *ids.ready),
    )


def provider(spec: ResolvedSpec) -> Resource:
    """What lets IAM believe the tokens of the cluster's service accounts. IAM finds the thumbprint itself."""
    return Resource(
        PROVIDER,
        "AWS::IAM::OIDCProvider",
        f"OIDC provider of {spec.name}",
        {"Url": att(CLUSTER, "OpenIdConnectIssuerUrl"), "ClientIdList": ["sts.amazonaws.com"]},
    )


def own_access_entry(spec: ResolvedSpec, identity: Identity) -> Resource:
    """Cluster administration for the control plane, by the ARN of its role or user: EKS refuses a session's ARN."""
    return Resource(
        ACCESS_ENTRY,
        "AWS::EKS::AccessEntry",
        identity.role_arn,
        {
            "ClusterName": ref(CLUSTER),
            "PrincipalArn": identity.role_arn,
            "Type": "STANDARD",
            "AccessPolicies": [
                {
                    "PolicyArn": f"arn:{spec.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                    "AccessScope": {"Type": "cluster"},
                }
            ],
        },
    )
