# ruff: noqa: N999 - a command is named by its file, and this one is refresh-prices
"""`manage.py refresh-prices`: read what instances cost from AWS's price list."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from clusters.prices.refresh import refresh
from clusters.quotas.schedule import regions
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import advice, sentence


class Command(BaseCommand):
    help = "Reads the prices of HyperPod's instances from AWS's price list; they are kept with their dates."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--region", action="append", default=[], help="May be repeated; without it, the regions in use.")

    def handle(self, *args: Any, **options: Any) -> None:
        for region in options["region"] or regions():
            try:
                count = refresh(region)
            except CloudError as error:
                raise CommandError(f"{region}: {sentence(error)} {advice(error)}") from error
            self.stdout.write(f"{region}: {count} prices")
