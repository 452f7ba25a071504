"""The Kubernetes version: offered by EKS, documented by HyperPod, and for how long supported."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from clusters.catalog.cost import EKS_EXTENDED_PER_HOUR
from clusters.checks.registry import Subject, check, failed, passed, warning
from operations.plan import Check

CODE, TITLE, FIELD = "kubernetes_version", "Kubernetes version", "kubernetes_version"


@check(CODE, TITLE)
def version_is_offered_and_documented(subject: Subject) -> Iterator[Check]:
    """Not offered or older than HyperPod's list: error. Newer, unlisted or in extended support: warning."""
    version, offered = subject.spec.kubernetes_version, subject.facts.versions
    names = ", ".join(found.version for found in offered) or "none"
    found = next((found for found in offered if found.version == version), None)
    if found is None:
        yield failed(
            "kubernetes_version_not_offered",
            TITLE,
            f"EKS does not offer Kubernetes {version or '(none)'} here.",
            f"Choose one of: {names}.",
            FIELD,
        )
        return
    documented = ", ".join(settings.HYPERPOD_KUBERNETES_VERSIONS)
    until = f"Standard support ends on {found.standard_until:%d %B %Y}." if found.standard_until else "EKS does not tell when support ends."
    rows: list[Check] = []
    if found.hyperpod == "older":
        rows.append(
            failed(
                "kubernetes_version_too_old",
                TITLE,
                f"HyperPod no longer documents Kubernetes {version} (documented: {documented}). {until}",
                "Choose a documented version.",
                FIELD,
            )
        )
    elif found.hyperpod in ("newer", "unlisted"):
        rows.append(
            warning(
                "kubernetes_version_not_documented",
                TITLE,
                f"HyperPod does not document Kubernetes {version} yet (documented: {documented}). {until}",
                "Choose a documented version, or go on knowing that HyperPod may refuse it.",
                FIELD,
            )
        )
    if found.support != "standard":
        last = f" until {found.extended_until:%d %B %Y}" if found.extended_until else ""
        rows.append(
            warning(
                "kubernetes_version_extended",
                TITLE,
                f"Kubernetes {version} is in {found.support} support{last}: the control plane costs ${EKS_EXTENDED_PER_HOUR:.2f} an hour.",
                f"Choose a newer version. On offer: {names}.",
                FIELD,
            )
        )
    yield from rows or [passed(CODE, TITLE, f"Kubernetes {version} is offered by EKS and documented by HyperPod. {until}")]
