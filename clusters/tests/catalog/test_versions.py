"""Kubernetes versions of EKS beside HyperPod's list."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from clusters.catalog.versions import described, hyperpod_says, order, preferred


def row(version: str, status: str = "STANDARD_SUPPORT", **more: Any) -> dict[str, Any]:
    return {"clusterVersion": version, "versionStatus": status, **more}


@pytest.mark.parametrize(
    ("version", "says"),
    [("1.31", "documented"), ("1.33", "unlisted"), ("1.30", "older"), ("1.9", "older"), ("1.37", "newer"), ("2.0", "newer")],
)
def test_a_version_is_older_newer_or_in_the_list(version: str, says: str) -> None:
    assert hyperpod_says(version, ["1.36", "1.31", "1.32"]) == says


def test_versions_are_ordered_as_numbers() -> None:
    assert sorted(["1.31", "1.9", "1.100"], key=order) == ["1.9", "1.31", "1.100"]
    assert [found.version for found in described([row("1.9"), row("1.36"), row("1.31")])] == ["1.36", "1.31", "1.9"]


def test_support_and_its_end_come_from_eks() -> None:
    found = described([row("1.30", "EXTENDED_SUPPORT", endOfStandardSupportDate=datetime(2025, 7, 23, tzinfo=UTC), defaultVersion=False)])[
        0
    ]
    assert (found.support, found.standard_until, found.extended_until, found.default) == ("extended", date(2025, 7, 23), None, False)
    assert described([{"clusterVersion": "1.30", "status": "standard-support"}])[0].support == "standard"
    assert described([{"clusterVersion": "1.30"}])[0].support == "unsupported"


def test_nothing_is_preferred_when_nothing_is_documented(settings: Any) -> None:
    settings.HYPERPOD_KUBERNETES_VERSIONS = ["1.36"]
    assert preferred(described([row("1.40")])) is None
    chosen = preferred(described([row("1.40"), row("1.36", "EXTENDED_SUPPORT")]))
    assert chosen is not None and chosen.version == "1.36"
