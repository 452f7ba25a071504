"""Making the cluster the caller's preferred one, and proving that its API answers."""

from __future__ import annotations

from accounts.models import ApiToken
from accounts.preferences import prefer_cluster, preferred_cluster
from accounts.principal import Principal
from accounts.principals import principal_for
from clusters.models import Cluster
from clusters.reading.reader import ClusterReader
from clusters.steps import links
from clusters.steps.base import ClusterStep, WaitingStep, absent, failed, pending, ready
from instantstart.kube.errors import KubeError
from operations.models import Operation
from operations.step import Fault, Observation, Outcome, StepContext

REFUSED = ("Unauthorized", "Forbidden")


class PreferCluster(ClusterStep):
    """A preference is per user, or per token for calls made with one; nothing global changes."""

    name = "select-prefer"
    title = "Make it the preferred cluster of whoever asked"
    api = "instantstart:SetPreference"
    typical_seconds = 1

    def observe(self, context: StepContext) -> Observation:
        principal = caller(context.operation)
        if principal is None:
            return ready("Nobody's preference is asked for: whoever asked is gone")
        if preferred_cluster(principal) == self.subject.name:
            return ready(f"{self.subject.name} is the preferred cluster of {principal.token or principal.user}")
        if Cluster.objects.exclude(name=self.subject.name).exists():
            return ready("There are other clusters: calls that name none are not turned to this one unasked")
        return absent()

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        principal = caller(context.operation)
        if principal is not None:
            prefer_cluster(principal, self.subject.name)
        return Outcome(message="Preference kept")


def caller(operation: Operation) -> Principal | None:
    """Who asked for the operation, by the token used if there was one; None when the user or the token is gone."""
    actor = operation.actor
    if actor is None:
        return None
    if not operation.token_name:
        return principal_for(actor)
    token = ApiToken.objects.filter(user=actor, name=operation.token_name).first()
    return principal_for(actor, token) if token is not None else None


class FetchEndpoint(WaitingStep):
    """EKS tells endpoint and CA once the control plane is ACTIVE."""

    name = "select-endpoint"
    title = "Fetch the Kubernetes endpoint and its CA"
    typical_seconds = 2

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        eks = reader.eks
        if eks is None:
            return failed(Fault("eks_missing", "AWS knows no EKS cluster of this name.", "Retry from the phase control_plane."))
        if not eks.endpoint or not eks.ca_data:
            return pending(f"The EKS control plane is {eks.status}", links.eks(reader.region, reader.eks_name))
        return ready("EKS gave endpoint and CA", endpoint=eks.endpoint, ca_data=eks.ca_data, arn=eks.arn, version=eks.version)


class ProveSignIn(WaitingStep):
    """The API must answer to our own token, not merely be there."""

    name = "select-sign-in"
    title = "Prove that the Kubernetes API answers to our token"
    typical_seconds = 5

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        try:
            version = reader.kube_version
            if version is not None:
                nodes = len(reader.nodes)
                return ready(f"Kubernetes {version} answers; it knows {nodes} nodes", version=version)
        except KubeError as error:
            if error.code in REFUSED:
                return failed(refused(error))
            raise
        return pending("EKS has not told the endpoint yet")


def refused(error: KubeError) -> Fault:
    """Why Kubernetes turned us away."""
    if error.code == "Unauthorized":
        return Fault(
            "no_access_entry",
            "The Kubernetes API does not know who we are: the EKS cluster has no access entry for the identity in use.",
            "Use the AWS identity that created the cluster, or add an access entry with AmazonEKSClusterAdminPolicy for this one.",
        )
    return Fault(
        "kubernetes_forbidden",
        f"Kubernetes knows us but refuses: {error.message}",
        "Associate AmazonEKSClusterAdminPolicy with our access entry.",
    )
