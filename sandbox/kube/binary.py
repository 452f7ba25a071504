"""Where the control plane's binary is: one per user, Kubernetes version and state of our Go module."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

VERSION = "v1.36.3"
NAME = "hyperkube"
MODULE = Path(__file__).parent / "hyperkube"
SOURCES = ("go.mod", "go.sum", "main.go")


@cache
def source_hash() -> str:
    """Twelve hex digits that change with the Go module, so that a change of it is built anew."""
    digest = hashlib.sha256()
    for name in SOURCES:
        content = (MODULE / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def cache_folder() -> Path:
    """The folder that holds (or will hold) the binary: INSTANTSTART_KUBE_BIN, else below the user's cache folder."""
    given = os.environ.get("INSTANTSTART_KUBE_BIN")
    if given:
        return Path(given)
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "instantstart" / "kube" / VERSION / source_hash()


def path() -> Path:
    return cache_folder() / NAME


def ready() -> bool:
    """Whether the binary is there. It is put in place by one rename, so a binary that is there is whole."""
    return os.access(path(), os.X_OK)
