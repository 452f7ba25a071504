"""`manage.py skills`: holds the skills against the tools. `--snapshot` takes their versions as committed."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agentapi import snapshot
from agentapi.skills import versions
from agentapi.skills.linting import known_tools, lint
from agentapi.skills.skill import SkillError, load_all


class Command(BaseCommand):
    help = "Checks every skill: each tool it names exists, each change is verified, its version rose with its text."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--snapshot", action="store_true", help="Write skills/versions.json, when nothing else is wrong.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            skills = load_all()
        except SkillError as problem:
            raise CommandError(str(problem)) from problem
        tools = known_tools(json.loads(snapshot.FILE.read_text(encoding="utf-8")))
        found = [f"{skill.name}: {finding}" for skill in skills for finding in lint(skill, tools)]
        if options["snapshot"] and not found:
            try:
                versions.write(skills)
            except ValueError as problem:
                raise CommandError(str(problem)) from problem
        found += versions.findings(skills, versions.committed())
        if found:
            raise CommandError("\n".join(found))
        for skill in skills:
            self.stdout.write(
                f"{skill.name:28}version {skill.front.version}, {len(skill.steps)} steps, {'writes' if skill.front.writes else 'reads'}"
            )
