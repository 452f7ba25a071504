"""Helm's releases as the cluster keeps them."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from instantstart.kube.client import Kube
from instantstart.kube.errors import KubeError
from instantstart.kube.helm import Helm
from instantstart.kube.releases import digest, releases
from instantstart.kube.tests.api_server import ApiServer


def secret(name: str, revision: int, status: str = "deployed", namespace: str = "kube-system", **values: Any) -> dict[str, Any]:
    kept = {
        "name": name,
        "version": revision,
        "namespace": namespace,
        "info": {"status": status, "last_deployed": "2026-12-02T07:00:00Z", "description": "Install complete"},
        "chart": {"metadata": {"name": "chart", "version": "1.0.0", "appVersion": "v2"}},
        "config": values,
    }
    packed = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(kept).encode()))).decode()
    labels = {"name": name, "version": str(revision), "status": status, "owner": "helm"}
    return {
        "metadata": {"name": f"sh.helm.release.v1.{name}.v{revision}", "namespace": namespace, "labels": labels},
        "data": {"release": packed},
    }


def say(api: ApiServer, *secrets: dict[str, Any]) -> None:
    api.answer = lambda _asked: (200, {"metadata": {}, "items": list(secrets)})


def test_the_newest_revision_counts_by_number_not_by_name(api: ApiServer) -> None:
    say(api, secret("a", 9, "superseded"), secret("a", 10, "pending-upgrade"))
    found = Helm(api.target).status("a", "kube-system")
    assert found is not None
    assert (found.revision, found.status, found.pending, found.chart, found.version, found.app_version) == (
        10,
        "pending-upgrade",
        True,
        "chart",
        "1.0.0",
        "v2",
    )
    assert api.asked[0].query["labelSelector"] == "owner=helm,name=a"


def test_no_release_is_none(api: ApiServer) -> None:
    say(api)
    assert Helm(api.target).status("a", "kube-system") is None


def test_releases_of_one_name_in_two_namespaces_are_two(api: ApiServer) -> None:
    say(api, secret("a", 1, namespace="x"), secret("a", 2, namespace="y"), secret("a", 1, namespace="y"))
    assert [(found.namespace, found.revision) for found in Helm(api.target).list()] == [("x", 1), ("y", 2)]


def test_equal_values_have_equal_digests_whatever_their_order(api: ApiServer) -> None:
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})
    assert digest({"a": 1}) != digest({"a": 2})
    say(api, secret("a", 1, region="us-west-2"))
    found = Helm(api.target).status("a", "kube-system")
    assert found is not None and found.values_digest == digest({"region": "us-west-2"})


def test_a_secret_that_can_not_be_read_is_an_error_and_not_an_absence(api: ApiServer) -> None:
    broken = secret("a", 1)
    broken["data"]["release"] = base64.b64encode(b"nonsense").decode()
    say(api, broken)
    with pytest.raises(KubeError, match="can't be read"):
        releases(Kube(api.target))
