# ruff: noqa: N999 - a command is named by its file, and this one is agent-config
"""`manage.py agent-config`: the configuration of an agent's client for this installation."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentapi import snapshot
from agentapi.clients import claude, generic, kiro
from agentapi.clients.document import AGENT, TOKEN_REFERENCE, TOKEN_VARIABLE, Installation
from agentapi.clients.writing import UnreadableError, write
from agentapi.skills.linting import known_tools
from agentapi.skills.skill import load_all

CLIENTS = {"kiro": kiro.documents, "claude": claude.documents, "generic": generic.documents}


class Command(BaseCommand):
    help = f"Writes the agent {AGENT} for a client: MCP address, skills, read-only tools approved beforehand. Again: updates it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--client", required=True, choices=sorted(CLIENTS))
        parser.add_argument("--out", required=True, type=Path, help="The folder to write to, such as the project that the agent works in.")
        parser.add_argument("--url", default="http://127.0.0.1:3099", help="Where this installation is reached.")
        parser.add_argument(
            "--embed-token",
            action="store_true",
            help=f"Write the token in {TOKEN_VARIABLE} into the file, which then only you can read; by default it names the variable.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        url = options["url"].rstrip("/")
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise CommandError(f"--url: {url} is no address; give one like https://portal.example.com.")
        token = self._token() if options["embed_token"] else TOKEN_REFERENCE
        tools = known_tools(json.loads(snapshot.FILE.read_text(encoding="utf-8")))
        read_only = [tool.name for tool in tools.values() if tool.read_only]
        documents = CLIENTS[options["client"]](Installation(url, read_only, load_all(), token))
        secret = token if options["embed_token"] else ""
        try:
            for written in write(options["out"], documents, secret):
                beside = f" (yours; ours is beside it as {Path(written.path).name}.new)" if written.state == "kept" else ""
                self.stdout.write(f"{written.state:10}{written.path}{beside}")
        except (UnreadableError, OSError) as problem:
            raise CommandError(str(problem)) from problem
        if not secret:
            self.stdout.write(f"Set {TOKEN_VARIABLE} to a token marked as an agent's (page API tokens) before you start the client.")

    def _token(self) -> str:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if not token:
            raise CommandError(f"--embed-token: {TOKEN_VARIABLE} is not set. Make a token marked as an agent's and export it.")
        return token
