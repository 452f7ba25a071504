"""The virtualenvs: one for the project, one for the AWS CLI (which caps packages and shadows botocore)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from instantstart.bootstrap.layout import AWS_VENV, ROOT, VENV, base_python
from instantstart.bootstrap.report import run, stage


def _stamp(requirements: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in requirements:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _ensure(venv: Path, names: list[str], title: str) -> None:
    requirements = [ROOT / name for name in names]
    stamp = _stamp(requirements)
    kept = venv / f".installed-{'-'.join(name.removesuffix('.txt') for name in names)}"
    if kept.exists() and kept.read_text() == stamp:
        return
    with stage(title, "a minute or two"):
        if not (venv / "bin" / "python").exists():
            run([base_python(), "-m", "venv", venv], what="Making the virtualenv")
        arguments = [argument for path in requirements for argument in ("-r", path)]
        run([venv / "bin" / "python", "-m", "pip", "install", "--quiet", *arguments], what=title)
        kept.write_text(stamp)


def ensure_project(*, with_tests: bool) -> None:
    """Install the pinned requirements unless just these are installed already."""
    names = ["requirements.txt", "requirements-dev.txt"] if with_tests else ["requirements.txt"]
    _ensure(VENV, names, "Installing the Python packages" + (" and those of the tests" if with_tests else ""))


def ensure_aws_cli() -> None:
    _ensure(AWS_VENV, ["requirements-aws.txt"], "Installing the AWS CLI")
