"""What every benchmark's process begins and ends with: its own folder, Django pointed there, its rows written for who started it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.result import Row

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "AKIASANDBOX0000000",
    "AWS_SECRET_ACCESS_KEY": "sandbox-secret-key",
    "AWS_DEFAULT_REGION": "us-west-2",
    "AWS_REGION": "us-west-2",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@dataclass(frozen=True)
class Setting:
    """folder: empty, for everything that the benchmark keeps. short: only to see that it works."""

    folder: Path
    short: bool

    def seconds(self, wanted: float) -> float:
        return max(1.0, wanted / 10) if self.short else wanted

    def environment(self, endpoint: str, **more: str) -> dict[str, str]:
        """Of the product: AWS at `endpoint`, nothing of the caller's own credentials or settings."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "INSTANTSTART_", "DATABASE_URL", "REDIS_URL"))
        }
        return {
            **kept,
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_SHARED_CREDENTIALS_FILE": str(self.folder / "none"),
            "AWS_CONFIG_FILE": str(self.folder / "none"),
            "INSTANTSTART_STATE_DIR": str(self.folder / "state"),
            "INSTANTSTART_LOG_LEVEL": "ERROR",
            "DATABASE_URL": f"sqlite:///{self.folder / 'bench.sqlite3'}",
            **more,
        }


def set_up(environment: dict[str, str]) -> None:
    """Django in this process, in that environment, with its database made. Before anything of the product is imported."""
    os.environ.clear()
    os.environ.update(environment)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
    import django
    from django.core.management import call_command

    Path(environment["INSTANTSTART_STATE_DIR"]).mkdir(parents=True, exist_ok=True)
    django.setup()
    call_command("migrate", verbosity=0)


def main(bench: Callable[[Setting], list[Row]]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--short", action="store_true")
    given = parser.parse_args()
    rows = bench(Setting(given.folder, given.short))
    given.rows.write_text(json.dumps([row.as_dict() for row in rows]))
