"""The checks of a plan: one file a check, found by its decorator, run in the order of ORDER, shown in that order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from clusters.checks.facts import ROLLED_BACK, Facts
from clusters.resolved import ResolvedSpec
from clusters.spec import ClusterInput
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import advice, sentence
from operations.choices import Severity
from operations.plan import Check


@dataclass(frozen=True)
class Existing:
    """What is there under this cluster's names.

    stack, eks, hyperpod: their statuses in AWS's words, "" when there is none. ours: the stack carries our tag. resumes: the
    half-made attempt that a creation continues, None when there is none. previous: what that attempt was made of.
    """

    stack: str = ""
    eks: str = ""
    hyperpod: str = ""
    ours: bool = False
    resumes: str | None = None
    previous: ResolvedSpec | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def stands(self) -> bool:
        """Whether the attempt's stack still has its resources: one that was rolled back has none."""
        return self.ours and self.stack not in ROLLED_BACK


@dataclass(frozen=True)
class Subject:
    """What a check looks at."""

    input: ClusterInput
    spec: ResolvedSpec
    facts: Facts
    existing: Existing


Rows = Iterable[Check]
CheckFunction = Callable[[Subject], Rows]


@dataclass(frozen=True)
class Registered:
    """code: stable; also of the row that says that the check could not be made. title: noun phrase."""

    code: str
    title: str
    function: CheckFunction


ORDER = (
    "identity",
    "permissions",
    "existing",
    "kubernetes_version",
    "addons",
    "zones",
    "instance_type",
    "capacity",
    "training_plan",
    "instance_quotas",
    "network_quotas",
    "cidrs",
    "existing_network",
    "addresses",
    "access",
    "buckets",
    "sanity",
)
_registry: dict[str, Registered] = {}


def check(code: str, title: str) -> Callable[[CheckFunction], CheckFunction]:
    """Registers a check under its code."""

    def decorate(function: CheckFunction) -> CheckFunction:
        if code in _registry or code not in ORDER:
            raise RuntimeError(f"check {code} is there twice, or has no place in ORDER")
        _registry[code] = Registered(code, title, function)
        return function

    return decorate


def all_checks() -> list[Registered]:
    """Every check, in order."""
    from clusters.checks import modules  # noqa: F401  (registers them)

    return [_registry[code] for code in ORDER]


def carry_out(registered: Registered, subject: Subject) -> list[Check]:
    """The rows of one check. A fact that could not be read makes one warning, never a pass."""
    try:
        return list(registered.function(subject))
    except CloudError as error:
        return [
            Check(
                code=f"{registered.code}_unchecked",
                severity=Severity.WARNING,
                title=registered.title,
                detail=f"This could not be checked. {sentence(error)}",
                fix=advice(error),
            )
        ]


def passed(code: str, title: str, detail: str) -> Check:
    return Check(code=code, severity=Severity.PASS, title=title, detail=detail)


def info(code: str, title: str, detail: str, fix: str = "", field: str = "") -> Check:
    return Check(code=code, severity=Severity.INFO, title=title, detail=detail, fix=fix, field=field)


def warning(code: str, title: str, detail: str, fix: str, field: str = "") -> Check:
    return Check(code=code, severity=Severity.WARNING, title=title, detail=detail, fix=fix, field=field)


def failed(code: str, title: str, detail: str, fix: str, field: str = "") -> Check:
    return Check(code=code, severity=Severity.ERROR, title=title, detail=detail, fix=fix, field=field)
