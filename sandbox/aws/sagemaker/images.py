"""HyperPod's machine images. Release numbers are invented: real ones are only known from the service."""

from __future__ import annotations

LATEST = "1.4.0"
RELEASES = (LATEST, "1.3.2", "1.3.1")
DEFAULT_IMAGE = "ami-0f3c1e9a7d24b6581"


def known(release: str) -> bool:
    return release in RELEASES


def standing(release: str) -> str:
    """ImageVersionStatus of a release."""
    return "UpToDate" if release == LATEST else "UpdateAvailable"
