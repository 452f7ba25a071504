"""Fixtures of the tests of both gateways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clusters.catalog import kept
from instantstart import cloud
from instantstart.cloud.tests.wire import Wire, wired


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[None]:
    """Credentials and an endpoint that lead nowhere, and nothing remembered from another test."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    settings.STATE_DIR = tmp_path
    cloud.forget()
    kept.forget()
    yield
    cloud.forget()
    kept.forget()


@pytest.fixture
def wire(credentials: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    """What AWS answers; retries do not wait."""
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _seconds: None)
    with wired() as made:
        yield made
