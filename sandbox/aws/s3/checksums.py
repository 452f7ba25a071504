"""The checksums that uploads carry: checked where the standard library can, kept and given back."""

from __future__ import annotations

import base64
import hashlib
import zlib
from typing import Any

from sandbox.aws.errors import AWSError

NAMES = ("ChecksumCRC32", "ChecksumCRC32C", "ChecksumCRC64NVME", "ChecksumSHA1", "ChecksumSHA256")


def given(params: dict[str, Any], headers: dict[str, str]) -> dict[str, str]:
    """By member name; those in trailers come as headers."""
    found = {}
    for name in NAMES:
        value = params.get(name) or headers.get("x-amz-checksum-" + name.removeprefix("Checksum").lower())
        if value:
            found[name] = value
    return found


def check(body: bytes, params: dict[str, Any], checksums: dict[str, str]) -> None:
    """Raise BadDigest or InvalidDigest. CRC32C and CRC64NVME are taken on trust: nothing here computes them."""
    content_md5 = params.get("ContentMD5")
    if content_md5 is not None:
        try:
            expected = base64.b64decode(content_md5, validate=True)
        except ValueError as error:
            raise AWSError("InvalidDigest", "The Content-MD5 you specified was invalid.") from error
        if len(expected) != 16:
            raise AWSError("InvalidDigest", "The Content-MD5 you specified was invalid.")
        if expected != hashlib.md5(body, usedforsecurity=False).digest():
            raise AWSError("BadDigest", "The Content-MD5 you specified did not match what we received.")
    for name, value in checksums.items():
        computed = _compute(name, body)
        if computed is not None and computed != value:
            raise AWSError("BadDigest", f"The {name.removeprefix('Checksum')} you specified did not match the calculated checksum.")


def _compute(name: str, body: bytes) -> str | None:
    if name == "ChecksumCRC32":
        digest = zlib.crc32(body).to_bytes(4, "big")
    elif name == "ChecksumSHA1":
        digest = hashlib.sha1(body, usedforsecurity=False).digest()
    elif name == "ChecksumSHA256":
        digest = hashlib.sha256(body).digest()
    else:
        return None
    return base64.b64encode(digest).decode()
