"""One look at a cluster asks each source once, whether it answers or not."""

from __future__ import annotations

from typing import Any

import pytest

from clusters.reading import reader as reader_module
from clusters.reading.eks import EksReading
from clusters.reading.reader import ClusterReader
from instantstart import kube
from instantstart.cloud.aws import Aws
from instantstart.kube.errors import KubeError

EKS = EksReading("demo", "arn", "ACTIVE", "1.36", "https://127.0.0.1:1", "ca", "vpc-1", "sg-1", (), {}, {})


class SilentKube:
    """Counts what it is asked, and fails."""

    def __init__(self, code: str) -> None:
        self.code, self.asked = code, 0

    def fail(self, *args: Any, **params: Any) -> Any:
        self.asked += 1
        raise KubeError("GET /", self.code, "no")

    version = list = get = fail


@pytest.mark.parametrize(("code", "asked"), [("Timeout", 1), ("Unreachable", 1), ("Forbidden", 3)])
def test_a_kubernetes_that_gives_no_answer_is_waited_for_once_in_a_look(monkeypatch: pytest.MonkeyPatch, code: str, asked: int) -> None:
    api = SilentKube(code)
    monkeypatch.setattr(reader_module, "read_eks", lambda aws, name: EKS)
    monkeypatch.setattr(reader_module.cloud, "connect", lambda *args, **params: Aws("us-west-2"))
    monkeypatch.setattr(kube, "connect", lambda target: api)
    reader = ClusterReader("demo", "us-west-2")
    for read in (lambda: reader.kube_version, lambda: reader.nodes, lambda: reader.object("v1", "Pod", "x"), lambda: reader.nodes):
        with pytest.raises(KubeError) as failed:
            read()
        assert failed.value.code == code
    assert api.asked == asked
