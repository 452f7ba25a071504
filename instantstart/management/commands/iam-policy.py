# ruff: noqa: N999 - a command is named by its file, and this one is iam-policy
"""`manage.py iam-policy`: the least that the control plane's role or user needs, as two managed policies or one inline policy."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from clusters.permissions import PERMISSIONS, Part, of_part, policy
from instantstart import cloud
from instantstart.cloud.errors import CloudError


class Command(BaseCommand):
    help = "Prints the control plane's own IAM policy as JSON; --explain prints what each action is for instead."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--account", default="", help="Account number; by default that of the credentials in use, else any.")
        parser.add_argument("--region", default=settings.DEFAULT_REGION, help="Region, or * for all.")
        parser.add_argument("--partition", default="aws", choices=["aws", "aws-cn", "aws-us-gov"])
        parser.add_argument(
            "--part",
            choices=[str(part) for part in Part],
            help="One of the two managed policies: core, and what is optional. Without it all in one, which fits only an inline policy.",
        )
        parser.add_argument("--explain", action="store_true", help="A table of action, phase and reason instead of the policy.")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = of_part(Part(options["part"])) if options["part"] else PERMISSIONS
        if options["explain"]:
            for row in rows:
                self.stdout.write(f"{row.phase:14}{row.action:44}{row.why}")
            return
        account = options["account"] or self._account(options["region"])
        if account != "*" and not (account.isdecimal() and len(account) == 12):
            raise CommandError(f"{account} is no account number: it has twelve digits.")
        values = {"partition": options["partition"], "account": account, "region": options["region"]}
        self.stdout.write(json.dumps(policy(values, rows), indent=2))

    def _account(self, region: str) -> str:
        """The account in use; without credentials the policy is for any account, which is said on standard error."""
        try:
            return cloud.connect(settings.DEFAULT_REGION if region == "*" else region).identity().account
        except CloudError:
            self.stderr.write("No AWS credentials that work: the policy names no account; give one with --account.")
            return "*"
