"""The lifecycle scripts: package data, uploaded as one versioned artefact with a checksum."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ENTRY = "on_create.sh"
MANIFEST = "SHA256SUMS"


@dataclass(frozen=True)
class Artefact:
    """files: name → content, the entry script and the manifest last, so that the entry never runs without its parts.

    checksum: over names and contents; it is part of the S3 prefix, so a changed script is another artefact.
    """

    files: tuple[tuple[str, bytes], ...]
    checksum: str


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@cache
def artefact() -> Artefact:
    """The scripts of this release."""
    scripts = {item.name: item.read_bytes() for item in files(__package__).iterdir() if item.name.endswith(".sh")}
    for name, content in scripts.items():
        if b"\r" in content or not content.startswith(b"#!"):
            raise RuntimeError(f"{name} must have Unix line ends and a shebang: HyperPod fails on either without a word")
    manifest = "".join(f"{sha256(content)}  {name}\n" for name, content in sorted(scripts.items())).encode()
    ordered = [(name, scripts[name]) for name in sorted(scripts) if name != ENTRY]
    return Artefact((*ordered, (MANIFEST, manifest), (ENTRY, scripts[ENTRY])), sha256(manifest))
