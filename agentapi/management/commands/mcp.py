"""`manage.py mcp --stdio`: the MCP server for clients that start a program. `--snapshot` writes agentapi/tools.json."""

from __future__ import annotations

import os
from typing import Any

import anyio
from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentapi import snapshot
from agentapi.errors import ToolError
from agentapi.sets import TOOLSETS
from agentapi.stdio import NotServed, serve
from agentapi.toolsets import IN_COMMAND, choice_of


class Command(BaseCommand):
    help = "Serve MCP over standard input and output. INSTANTSTART_TOKEN: the token. INSTANTSTART_URL: the installation's address."
    requires_system_checks = []  # nothing of the database is needed

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--stdio", action="store_true", help="Serve over standard input and output.")
        parser.add_argument("--url", default=os.environ.get("INSTANTSTART_URL", "http://127.0.0.1:3099"), help="The installation.")
        parser.add_argument("--toolsets", default="", help=f"Only these, by commas: {', '.join(TOOLSETS)}.")
        parser.add_argument("--read-only", action="store_true", help="Hide tools that write.")
        parser.add_argument("--snapshot", action="store_true", help="Write agentapi/tools.json and end.")

    def handle(self, **options: Any) -> None:
        if options["snapshot"]:
            snapshot.write()
            return
        if not options["stdio"]:
            raise CommandError("Give --stdio. Over HTTP the MCP server is part of the web process, at /mcp.")
        token = os.environ.get("INSTANTSTART_TOKEN", "").strip()
        if not token:
            raise CommandError("Set INSTANTSTART_TOKEN to a token that is marked agent; make one on the page /account/tokens/.")
        try:
            choice = choice_of([(IN_COMMAND, options["toolsets"])], ["true"] if options["read_only"] else [])
            anyio.run(serve, options["url"].rstrip("/"), token, choice)
        except ToolError as error:
            raise CommandError(f"{error.sentence} {error.fix}") from None
        except NotServed as error:
            raise CommandError(str(error)) from None
