"""Whether every EKS add-on has a version for the Kubernetes version."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.catalog import addons
from clusters.checks.registry import Subject, check, failed, passed, warning
from instantstart.cloud.problems import advice, sentence
from operations.plan import Check

CODE, TITLE = "addons", "EKS add-ons"


@check(CODE, TITLE)
def every_addon_has_a_version(subject: Subject) -> Iterator[Check]:
    version = subject.spec.kubernetes_version
    rows: list[Check] = []
    for addon in addons.wanted(fsx=subject.input.fsx):
        error = subject.facts.unreadable(f"addon:{addon}")
        if error is not None:
            rows.append(warning("addon_unchecked", TITLE, f"The versions of {addon} could not be read. {sentence(error)}", advice(error)))
        elif not subject.facts.wait(f"addon:{addon}"):
            rows.append(
                failed(
                    "addon_not_offered",
                    TITLE,
                    f"EKS offers no version of the add-on {addon} for Kubernetes {version}.",
                    "Choose another Kubernetes version.",
                    "kubernetes_version",
                )
            )
    chosen = ", ".join(f"{name} {number}" for name, number in subject.spec.addons.items())
    yield from rows or [passed(CODE, TITLE, f"Versions for Kubernetes {version}: {chosen}.")]
