"""Who may not do what: IAM roles, pod identities, access entries."""

from __future__ import annotations

from clusters.diagnosis.entry import ANYWHERE, Clue, Confidence, KnownError, Noun

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "identity_not_trusted",
        Noun.ACCESS,
        "A role does not trust the cluster's identity provider",
        "A pod asked for its role by web identity and was refused: the role's trust policy names another OIDC provider (of a cluster "
        "before, often), or another namespace or service account.",
        "Let the role's trust policy name the OIDC provider of this cluster and the service account; or use pod identity.",
        (Clue(r"AssumeRoleWithWebIdentity|No OpenIDConnect provider found|InvalidIdentityToken", ANYWHERE),),
        "AWS, IAM roles for service accounts: AccessDenied on sts:AssumeRoleWithWebIdentity",
    ),
    KnownError(
        "pod_identity_missing",
        Noun.ACCESS,
        "A pod has no AWS identity",
        "The service account has no pod identity association, or the agent eks-pod-identity-agent does not run on the node.",
        "Look whether the add-on eks-pod-identity-agent runs, and make the association of the service account with its role.",
        (
            Clue(r"pod identity (association|agent)|AssumeRoleForPodIdentity|169\.254\.170\.23", ANYWHERE),
            Clue(r"NoCredentialProviders|Unable to locate credentials|no EC2 IMDS role found", ANYWHERE, Confidence.MEDIUM),
        ),
        "AWS, EKS Pod Identity: how it works, troubleshooting",
    ),
    KnownError(
        "access_entry_missing",
        Noun.ACCESS,
        "Kubernetes does not know who asks",
        "The IAM identity has no access entry in the EKS cluster, so that Kubernetes refuses its token.",
        "Make an access entry for the role with the policy that it needs (aws eks create-access-entry, associate-access-policy).",
        (Clue(r"the server has asked for the client to provide credentials|kubernetes.{0,40}\bUnauthorized\b", ANYWHERE),),
        "AWS, EKS access entries: the server has asked for the client to provide credentials",
    ),
    KnownError(
        "permission_missing",
        Noun.ACCESS,
        "A role lacks a permission",
        "AWS refused a call: the role or user that the message names may not do it, or a guard rail of the organization forbids it.",
        "Give the role that the message names the permission that it names.",
        (Clue(r"AccessDenied|not authorized to perform|UnauthorizedOperation|AddonPermissionFailure", ANYWHERE),),
        "AWS, IAM: troubleshooting access denied",
        after=("identity_not_trusted", "pod_identity_missing", "image_denied"),
    ),
)
