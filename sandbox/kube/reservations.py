"""Which EKS clusters have an endpoint, and what belongs to it: kept in the sandbox's store, so a failed request undoes its own."""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, replace

from sandbox.kube import ports
from sandbox.kube.node import NodeSpec, Taint
from sandbox.store import Store

_CLUSTER = "_kube.cluster"
_NODE = "_kube.node"


@dataclass(frozen=True)
class Reservation:
    uid: str  # tells a cluster from an earlier one of the same name
    port: int
    issuer: str
    plane: str = ""  # the control plane's id, once it has one


@dataclass(frozen=True)
class KnownNode:
    spec: NodeSpec
    lost: bool


class Reservations:
    def __init__(self, store: Store) -> None:
        self._store = store

    def keys(self) -> list[str]:
        return [f"{scope}/{name}" for scope in self._store.scopes(_CLUSTER) for name in self._store.keys(_CLUSTER, scope)]

    def get(self, cluster_key: str) -> Reservation | None:
        value = self._store.get(_CLUSTER, *_place(cluster_key))
        return None if value is None else Reservation(**value)

    def make(self, cluster_key: str, issuer: str) -> Reservation:
        """A new reservation; a port of its own is chosen."""
        others = [self.get(key) for key in self.keys()]
        taken = frozenset(other.port for other in others if other is not None)
        return self._save(cluster_key, Reservation(secrets.token_hex(8), ports.choose(taken), issuer))

    def set_plane(self, cluster_key: str, reservation: Reservation, plane: str) -> Reservation:
        return self._save(cluster_key, replace(reservation, plane=plane))

    def set_port(self, cluster_key: str, reservation: Reservation, port: int) -> Reservation:
        return self._save(cluster_key, replace(reservation, port=port))

    def drop(self, cluster_key: str) -> None:
        self._store.delete(_CLUSTER, *_place(cluster_key))
        for name in self._store.keys(_NODE, cluster_key):
            self._store.delete(_NODE, cluster_key, name)

    def nodes(self, cluster_key: str) -> list[KnownNode]:
        return [KnownNode(_spec(value["spec"]), value["lost"]) for value in self._store.list(_NODE, cluster_key)]

    def put_node(self, cluster_key: str, spec: NodeSpec, *, lost: bool) -> None:
        value = {"spec": asdict(spec), "lost": lost}
        if self._store.get(_NODE, cluster_key, spec.name) != value:
            self._store.put(_NODE, cluster_key, spec.name, value)

    def node(self, cluster_key: str, name: str) -> KnownNode | None:
        value = self._store.get(_NODE, cluster_key, name)
        return None if value is None else KnownNode(_spec(value["spec"]), value["lost"])

    def drop_node(self, cluster_key: str, name: str) -> bool:
        return self._store.delete(_NODE, cluster_key, name)

    def _save(self, cluster_key: str, reservation: Reservation) -> Reservation:
        self._store.put(_CLUSTER, *_place(cluster_key), asdict(reservation))
        return reservation


def _place(cluster_key: str) -> tuple[str, str]:
    scope, _, name = cluster_key.rpartition("/")
    return scope, name


def _spec(value: dict[str, object]) -> NodeSpec:
    taints = value.pop("taints")
    assert isinstance(taints, list)  # noqa: S101 - written by put_node
    return NodeSpec(**value, taints=tuple(Taint(**taint) for taint in taints))  # type: ignore[arg-type]
