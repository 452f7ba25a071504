"""EKS add-ons and charts that do not come up, and webhooks that stand in the way."""

from __future__ import annotations

from clusters.diagnosis.entry import ADDONS, PODS, RETRY, Clue, Confidence, KnownError, Noun
from clusters.diagnosis.evidence import Source

_EKS = "AWS, EKS API: AddonIssue"

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "addon_conflict",
        Noun.ADDON,
        "Something else manages the add-on's objects",
        "The add-on's objects are there already from another hand (a Helm chart, kubectl), or were changed; EKS does not overwrite them.",
        "Remove what the other hand installed, or take its values over as configuration of the add-on, then retry the phase.",
        (Clue(r"ConfigurationConflict|conflicts? (found )?(when|with|trying)", ADDONS),),
        f"{_EKS}: ConfigurationConflict",
        RETRY,
    ),
    KnownError(
        "addon_version_unsupported",
        Noun.ADDON,
        "The add-on's version does not fit the cluster",
        "That version of the add-on is not offered for the cluster's Kubernetes version.",
        "Choose a version from aws eks describe-addon-versions for this Kubernetes version, or none: then EKS's default is taken.",
        (
            Clue(
                r"UnsupportedAddonModification|addon version .{0,60}(not supported|incompatible|unsupported)|version .{0,40}not supported",
                ADDONS,
            ),
        ),
        f"{_EKS}: UnsupportedAddonModification; DescribeAddonVersions",
        RETRY,
    ),
    KnownError(
        "addon_lacks_replicas",
        Noun.ADDON,
        "The add-on's pods do not run",
        "The add-on has fewer pods than it should: there are no nodes, they have no room, or the pods fail.",
        "Look at the add-on's pods and their events; with no node there is nothing to repair, they start with the first one.",
        (Clue(r"InsufficientNumberOfReplicas|desired number of replicas", ADDONS, Confidence.MEDIUM),),
        f"{_EKS}: InsufficientNumberOfReplicas",
    ),
    KnownError(
        "webhook_unreachable",
        Noun.ADDON,
        "An admission webhook can't be reached",
        "A webhook is asked before objects are made, and its service does not answer: its pods do not run, or the control plane can't "
        "reach their port. Nothing of that kind can be made meanwhile.",
        "Bring the webhook's pods up (their security group must let the control plane in), or delete the webhook's configuration if what "
        "it belonged to is gone.",
        (Clue(r"failed calling webhook|failed to call webhook", PODS | ADDONS),),
        "Kubernetes documentation, admission webhooks; AWS, EKS: failed calling webhook",
    ),
    KnownError(
        "admission_denied",
        Noun.ADDON,
        "An admission rule refuses the objects",
        "A webhook or policy refuses what the add-on or workload brings.",
        "Let the rule that the message names admit these objects.",
        (
            Clue(
                r"AdmissionRequestDenied|admission webhook .{0,120}denied the request|ValidatingAdmissionPolicy .{0,120}denied",
                PODS | ADDONS,
            ),
        ),
        f"{_EKS}: AdmissionRequestDenied",
    ),
    KnownError(
        "quota_of_namespace",
        Noun.ADDON,
        "A namespace's quota is used up",
        "A ResourceQuota of the namespace forbids more pods, CPU, memory or accelerators.",
        "Raise the ResourceQuota of the namespace, or end what uses it.",
        (Clue(r"exceeded quota", PODS | {Source.OPERATION}),),
        "Kubernetes documentation, resource quotas",
    ),
)
