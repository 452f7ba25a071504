"""Object bodies as files: written before the transaction that names them, removed after the one that forgets them."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

from sandbox.aws.s3.bucket import OBJECTS, UPLOADS
from sandbox.world import World, on_world

_FOLDER = "s3"
_BLOCK = 8 * 1024 * 1024


def write(world: World, body: bytes) -> str:
    """Keep a body; returns the name of its file."""
    name = _new_name()
    path_of(world, name).write_bytes(body)
    world.database.on_undo(lambda: _unlink(world, name))
    return name


def copy(world: World, name: str, start: int = 0, length: int | None = None) -> str:
    """Another name for the same bytes (a hard link), or a new file of some of them."""
    new = _new_name()
    if length is None:
        os.link(path_of(world, name), path_of(world, new))
        world.database.on_undo(lambda: _unlink(world, new))
        return new
    with path_of(world, name).open("rb") as file:
        file.seek(start)
        return write(world, file.read(length))


def join(world: World, names: list[str]) -> str:
    """A new file with the bytes of several, one after another."""
    new = _new_name()
    with path_of(world, new).open("wb") as target:
        for name in names:
            with path_of(world, name).open("rb") as source:
                while block := source.read(_BLOCK):
                    target.write(block)
    world.database.on_undo(lambda: _unlink(world, new))
    return new


def remove(world: World, *names: str) -> None:
    """Forget bodies once the transaction under way is on disk."""
    for name in names:
        world.database.on_commit(lambda name=name: _unlink(world, name))  # type: ignore[misc]


def path_of(world: World, name: str) -> Path:
    folder = world.files / _FOLDER / name[:2]
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def md5_of(world: World, name: str) -> str:
    with path_of(world, name).open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


@on_world
def sweep(world: World) -> None:
    """Remove files that no object names: what a kill between the file and the commit left."""
    folder = world.files / _FOLDER
    if not folder.is_dir():
        return
    named: set[str] = set()
    for bucket in world.store.scopes(OBJECTS):
        for record in world.store.list(OBJECTS, bucket):
            named.update(version["file"] for version in record["versions"] if version.get("file"))
    for bucket in world.store.scopes(UPLOADS):
        for upload in world.store.list(UPLOADS, bucket):
            named.update(part["file"] for part in upload["parts"].values())
    for path in folder.glob("*/*"):
        if path.name not in named:
            path.unlink(missing_ok=True)


def _new_name() -> str:
    return secrets.token_hex(16)


def _unlink(world: World, name: str) -> None:
    path_of(world, name).unlink(missing_ok=True)
