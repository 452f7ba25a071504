"""Parts of features by themselves, without AWS and Kubernetes: what a reading says of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from clusters.features.node_autoscaling.objects import NodeClassPart
from clusters.features.tiered_checkpointing import TieredCheckpointing
from clusters.reading.reader import ClusterReader


def reading(definition: dict[str, Any] | None, status: str = "InService") -> ClusterReader:
    hyperpod = SimpleNamespace(raw={"AutoScaling": {"Mode": "Enable", "Status": status}})
    return cast(ClusterReader, SimpleNamespace(hyperpod=hyperpod, object=lambda *_: definition))


ESTABLISHED = {"conditions": [{"type": "Established", "status": "True"}]}


@pytest.mark.parametrize(
    ("definition", "status", "waits_for"),
    [
        ({"metadata": {}, "status": ESTABLISHED}, "InService", ""),
        ({"metadata": {}, "status": ESTABLISHED}, "Creating", "HyperPod's autoscaling is Creating"),
        ({"metadata": {}, "status": {}}, "InService", "Kubernetes does not know HyperpodNodeClass yet"),
        (None, "InService", "Kubernetes does not know HyperpodNodeClass yet"),
        ({"metadata": {"deletionTimestamp": "2026-12-01T12:00:00Z"}, "status": ESTABLISHED}, "InService", "Kubernetes still takes"),
    ],
)
def test_a_node_class_waits_for_its_kind_and_not_for_one_that_is_going(
    definition: dict[str, Any] | None, status: str, waits_for: str
) -> None:
    said = NodeClassPart(["gpu"]).busy(reading(definition, status))
    assert said.startswith(waits_for) and bool(said) == bool(waits_for)


@pytest.mark.parametrize(("backend", "uses"), [("tieredstorage", True), ("TieredStorage", True), ("redis", False)])
def test_an_endpoint_whose_second_cache_is_tiered_storage_uses_it(backend: str, uses: bool) -> None:
    def objects(api_version: str, kind: str, namespace: str = "") -> list[dict[str, Any]]:
        if kind == "Pod":
            return []
        cache = {"enableL2Cache": True, "l2CacheSpec": {"l2CacheBackend": backend}}
        return [{"kind": kind, "metadata": {"name": "chat", "namespace": "default"}, "spec": {"kvCacheSpec": cache}}]

    reader: Any = SimpleNamespace(objects=objects)
    seen: Any = SimpleNamespace(settings={"namespace": "default", "service_account": "tiered-checkpointing"})
    spec: Any = None
    assert TieredCheckpointing().users(reader, spec, seen) == (["InferenceEndpointConfig default/chat"] if uses else [])
