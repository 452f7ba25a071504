"""What a sandbox was made with; kept in its state folder, so that every later start is the same one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from sandbox.database import Database

_SETTING = "settings"
_FORMAT = "format"
FORMAT = 1
"""Raised whenever what is stored changes its form: an older folder is then refused instead of misread."""


@dataclass(frozen=True)
class Settings:
    state_dir: Path
    account: str = "123456789012"
    region: str = "us-west-2"
    user: str = "sandbox"
    access_key: str = "AKIASANDBOX0000000"
    secret_key: str = "sandbox-secret-key"  # noqa: S105 - the documented key of a simulator
    speed: float = 60.0
    endpoint: str = ""  # of this run: "http://127.0.0.1:4599", "" in-process

    @property
    def user_arn(self) -> str:
        return f"arn:aws:iam::{self.account}:user/{self.user}"


def load(database: Database, state_dir: Path, **given: Any) -> Settings:
    """The stored settings with `given` ones on top (None is "not given"), stored again."""
    stored = database.setting(_SETTING) or {}
    found = database.setting(_FORMAT) if stored else FORMAT
    if found != FORMAT:
        raise ValueError(
            f"{state_dir} was written by another version of the sandbox (format {found}, not {FORMAT}): remove it (`make reset`)."
        )
    database.set_setting(_FORMAT, FORMAT)
    names = {field.name for field in fields(Settings)} - {"state_dir", "endpoint"}
    settings = Settings(state_dir=state_dir, **{name: value for name, value in stored.items() if name in names})
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
    database.set_setting(_SETTING, {name: value for name, value in asdict(settings).items() if name in names})
    return settings
