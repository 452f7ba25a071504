"""What each EKS add-on puts into a cluster: the manifests below this folder, one subfolder an add-on, read in order of file name.

Its custom resource definitions are in `definitions/` of that folder, one a file, and come first: public ones without their
descriptions, which make up nine tenths of them, and only the version that is stored (nobody here converts between versions).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]

_FOLDER = Path(__file__).parent


@cache
def _documents(name: str) -> tuple[Manifest, ...]:
    folder = _FOLDER / name
    documents: list[Manifest] = [json.loads(path.read_text()) for path in sorted((folder / "definitions").glob("*.json"))]
    for path in sorted(folder.glob("*.yaml")):
        documents.extend(document for document in yaml.safe_load_all(path.read_text()) if document)
    return tuple(documents)


def manifests(name: str) -> tuple[Manifest, ...]:
    """The add-on's objects in the order to apply them; () for one that brings nothing. Callers must not change them."""
    return _documents(name)


def bring_replicas(name: str) -> bool:
    """Whether the add-on has pods that need a node to be there (Deployments, StatefulSets), unlike a DaemonSet's."""
    return any(document["kind"] in ("Deployment", "StatefulSet") for document in manifests(name))
