"""`manage.py doctor`: what is in use, what is wrong, and how to mend it."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from instantstart.doctor import Finding, Health, examine

_WORDS = {Health.OK: "ok", Health.INFO: "--", Health.WARNING: "warning", Health.ERROR: "ERROR"}
_STYLES = {Health.OK: "SUCCESS", Health.INFO: "HTTP_INFO", Health.WARNING: "WARNING", Health.ERROR: "ERROR"}
WIDTH = 110


class Command(BaseCommand):
    help = "Shows which AWS identity, region and endpoint is in use, what is reachable and what is wrong. Exit code 1 on an error."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="One JSON document on standard output.")
        parser.add_argument("--region", default="", help="AWS region; by default the control plane's own.")

    def handle(self, *args: Any, **options: Any) -> None:
        report = examine(options["region"])
        if options["json"]:
            self.stdout.write(json.dumps(report.document(), indent=2))
        else:
            for finding in report.findings:
                self.stdout.write(self._line(finding))
            wrong = [finding for finding in report.findings if finding.health in (Health.ERROR, Health.WARNING)]
            self.stdout.write("")
            self.stdout.write("Nothing is wrong." if not wrong else f"{len(wrong)} of {len(report.findings)} need a look.")
        if not report.ok:
            raise SystemExit(1)

    def _line(self, finding: Finding) -> str:
        style = getattr(self.style, _STYLES[finding.health])
        text = textwrap.wrap(finding.detail, WIDTH) or [""]
        if finding.fix and finding.health is not Health.OK:
            text += textwrap.wrap(f"→ {finding.fix}", WIDTH)
        first, *rest = text
        return "\n".join([f"{style(_WORDS[finding.health].ljust(8))}{finding.title.ljust(30)}{first}", *(" " * 38 + line for line in rest)])
