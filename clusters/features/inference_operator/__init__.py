"""The HyperPod inference operator, with KEDA, which comes and goes with it.

Installed as the EKS add-on. One that another hand installed by Helm is seen, named as such, and can be removed; both at once would
fight over the same objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clusters.dependencies.entry import WorkloadName
from clusters.features.addon import AddonFeature, AddonPart, Values, configured
from clusters.features.entry import Chosen, FeatureSeen
from clusters.features.inference_operator import access
from clusters.features.part import Part
from clusters.features.release import ReleasePart
from clusters.features.role import PolicyPart, RolePart, role_arn, trusts_service_account
from clusters.features.users import objects
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from operations.choices import Severity
from operations.plan import Check, Irreversible

NAMESPACE = "hyperpod-inference-system"
SERVICE_ACCOUNT = "hyperpod-inference-controller-manager"
KEDA_SERVICE_ACCOUNT = "keda-operator"
RELEASE = "hyperpod-inference-operator"
RELEASE_NAMESPACES = (NAMESPACE, "kube-system")
KINDS = ("InferenceEndpointConfig", "JumpStartModel")

BY_RELEASE, OTHER_ROLE = "installed_in", "other_role"
"""Of the settings as read, not to be chosen: namespace of a Helm release; whether another hand gave the add-on its role."""


class InferenceOperator(AddonFeature):
    name = "inference_operator"
    title = "Inference operator"
    summary = "Serves models from InferenceEndpointConfigs and JumpStartModels; brings KEDA, which scales them."
    addon = "amazon-sagemaker-hyperpod-inference"
    workloads = (
        WorkloadName("Deployment", NAMESPACE, "hyperpod-inference-controller-manager"),
        WorkloadName("Deployment", NAMESPACE, "keda-operator"),
    )
    requires = ("fsx_csi", "metrics_server")
    needs = ("cert-manager", "aws-mountpoint-s3-csi-driver")
    needs_hyperpod = True

    def current(self, reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
        if reader.addon(self.addon) is None:
            for namespace in RELEASE_NAMESPACES:
                release = reader.release(RELEASE, namespace)
                if release is not None and release.status != "uninstalled":
                    return {BY_RELEASE: namespace}
            return {}
        role = configured(reader, self.addon).get("executionRoleArn")
        return {OTHER_ROLE: True} if role and role != role_arn(spec, _role(spec).name) else {}

    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        if namespace := settings.get(BY_RELEASE):
            return [ReleasePart(RELEASE, namespace)]
        if settings.get(OTHER_ROLE):
            return [AddonPart(self.addon, self.workloads)]
        operator, keda = _role(spec), _keda_role(spec)
        return [
            operator,
            PolicyPart(operator, access.operator(spec)),
            keda,
            PolicyPart(keda, access.keda(spec), key="keda-policy"),
            AddonPart(self.addon, self.workloads, self.configuration(spec, settings)),
        ]

    def configuration(self, spec: ResolvedSpec, settings: Chosen) -> Values:
        return {
            "executionRoleArn": role_arn(spec, _role(spec).name),
            "hyperpodClusterArn": _hyperpod_arn,
            "tlsCertificateS3Bucket": spec.bucket,
            "keda": {"auth": {"aws": {"irsa": {"roleArn": role_arn(spec, _keda_role(spec).name)}}}},
        }

    def detect(self, reader: ClusterReader, spec: ResolvedSpec) -> FeatureSeen:
        seen = super().detect(reader, spec)
        if not seen.settings.get(BY_RELEASE):
            return seen
        said = f"Installed by Helm, not as the EKS add-on. {seen.message}".strip()
        return FeatureSeen(**{**vars(seen), "source": "Helm release", "message": said})

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        if settings.get(BY_RELEASE):
            yield Check(
                code="installed_by_helm",
                severity=Severity.WARNING,
                title=self.title,
                detail=f"It is installed by Helm in {settings[BY_RELEASE]}, which stays as it is.",
                fix="Turn it off, then on: then it is the EKS add-on.",
            )
            return
        others = sorted(
            {f"{item.namespace}/{item.name}" for item in reader.workloads if item.name == "keda-operator"} - {f"{NAMESPACE}/keda-operator"}
        )
        if others and not seen.on:
            yield Check(
                code="keda_there",
                severity=Severity.ERROR,
                title="KEDA",
                detail=f"KEDA is installed already ({', '.join(others)}); the operator's own would fight with it over the same objects.",
                fix="Uninstall that KEDA first.",
            )

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        """Endpoints, and whatever else KEDA scales: it goes too."""
        endpoints = [one for kind in KINDS for one in objects(reader, "inference.sagemaker.aws.amazon.com/v1", kind)]
        return [*endpoints, *objects(reader, "keda.sh/v1alpha1", "ScaledObject")]

    def irreversible(self, seen: FeatureSeen) -> tuple[Irreversible, ...]:
        return (Irreversible(what="KEDA and its definitions", why="They come with the operator, and go with it."),)


def _role(spec: ResolvedSpec) -> RolePart:
    trust = trusts_service_account(NAMESPACE, SERVICE_ACCOUNT, "sagemaker.amazonaws.com")
    return RolePart(spec, access.PURPOSE, trust, f"Inference operator of {spec.name}")


def _keda_role(spec: ResolvedSpec) -> RolePart:
    trust = trusts_service_account(NAMESPACE, KEDA_SERVICE_ACCOUNT)
    return RolePart(spec, access.KEDA_PURPOSE, trust, f"KEDA of {spec.name}", key="keda-role")


def _hyperpod_arn(reader: ClusterReader) -> str | None:
    return reader.hyperpod.arn if reader.hyperpod is not None else None


FEATURE = InferenceOperator()
