"""The installation's secret key, made once and kept beside the database."""

import os
import secrets
from pathlib import Path

from instantstart import private_folder


def kept_secret_key(folder: Path) -> str:
    """Read `folder`/secret_key, or make it (mode 0600). Two makers at once end with the same key."""
    path = folder / "secret_key"
    try:
        return path.read_text()
    except FileNotFoundError:
        private_folder.ensure(folder)
    key = secrets.token_urlsafe(50)
    draft = folder / f".secret_key.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key)
    try:
        os.link(draft, path)  # fails when another process was first, unlike rename
    except FileExistsError:
        return path.read_text()
    finally:
        draft.unlink()
    return key
