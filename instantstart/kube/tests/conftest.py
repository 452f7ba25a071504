"""Fixtures of the Kubernetes gateway's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from instantstart.cloud.tests.conftest import credentials  # noqa: F401
from instantstart.kube import target
from instantstart.kube.tests.api_server import ApiServer, api_server


@pytest.fixture
def api(credentials: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ApiServer]:  # noqa: F811
    monkeypatch.setattr(target, "_tokens", {})
    with api_server(tmp_path) as made:
        yield made
