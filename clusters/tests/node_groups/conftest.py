"""The standing cluster, as groups have it."""

from __future__ import annotations

from clusters.tests.groups.conftest import standing, standing_once

__all__ = ["standing", "standing_once"]
