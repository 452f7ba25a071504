"""Making a used control plane new again, within a second: etcd goes back to what it held right after the first start.

Keys that were not there are deleted, changed ones get their first value back. The running components see ordinary watch events.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path

from sandbox.kube.etcd import Etcd

_NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
# What the controller-manager makes in its first second; when all of it is there, bootstrapping is over. Its controllers' own
# service accounts (below) must be in the baseline: a wipe that took one away would lock that controller out.
_LAST_TO_COME = (
    *(f"/registry/serviceaccounts/{namespace}/default" for namespace in _NAMESPACES),
    *(f"/registry/configmaps/{namespace}/kube-root-ca.crt" for namespace in _NAMESPACES),
    "/registry/serviceaccounts/kube-system/generic-garbage-collector",
    "/registry/serviceaccounts/kube-system/resourcequota-controller",
    "/registry/configmaps/kube-system/extension-apiserver-authentication",
    "/registry/services/specs/default/kubernetes",
)
# These belong to the running processes: never touched.
_KEPT = (b"/registry/masterleases/", b"/registry/leases/kube-system/apiserver-", b"/registry/services/endpoints/default/kubernetes")
_SETTLED_POLLS = 3
_POLL_SECONDS = 0.15
_TIMEOUT_SECONDS = 30.0


class Baseline:
    """The keys and values of a new cluster, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def saved(self) -> bool:
        return self._path.exists()

    async def save(self, etcd: Etcd) -> None:
        """Wait until bootstrapping is over, then note everything."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _TIMEOUT_SECONDS
        wanted = {key.encode() for key in _LAST_TO_COME}
        before: set[bytes] = set()
        equal = 0
        while equal < _SETTLED_POLLS:
            keys = await etcd.keys()
            equal = equal + 1 if wanted <= keys and keys == before else 0
            before = keys
            if loop.time() > deadline:
                missing = sorted(key.decode() for key in wanted - keys)
                raise TimeoutError(f"the control plane is still bootstrapping after {_TIMEOUT_SECONDS:.0f} s; missing: {missing}")
            await asyncio.sleep(_POLL_SECONDS)
        entries = await etcd.entries()
        noted = {key.decode(): base64.b64encode(entry.value).decode() for key, entry in entries.items() if not key.startswith(_KEPT)}
        temporary = self._path.with_suffix(".new")
        temporary.write_text(json.dumps(noted))
        temporary.rename(self._path)

    async def restore(self, etcd: Etcd) -> int:
        """The number of keys that were changed."""
        noted = {key.encode(): base64.b64decode(value) for key, value in json.loads(self._path.read_text()).items()}
        entries = {key: entry for key, entry in (await etcd.entries()).items() if not key.startswith(_KEPT)}
        extra = entries.keys() - noted.keys()
        changed = {key: value for key, value in noted.items() if key not in entries or entries[key].value != value}
        await etcd.change(delete=sorted(extra), put=changed)
        return len(extra) + len(changed)
