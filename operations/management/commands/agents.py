"""`manage.py agents stop|start|status`: the switch for all agents, from the machine itself."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from operations.agents import rules, switch
from operations.models import AgentRules


class Command(BaseCommand):
    help = "Stop all agents' writes at once, start them again, or say how it stands."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("verb", choices=("stop", "start", "status"))
        parser.add_argument("--reason", default="", help="why they are stopped; shown on every page")

    def handle(self, *, verb: str, reason: str, **_: Any) -> None:
        if verb == "stop":
            switch.stop(None, reason, channel="")
        elif verb == "start":
            switch.start(None, channel="")
        self.stdout.write(_standing(rules.current()))


def _standing(row: AgentRules) -> str:
    held = switch.held_operations().count()
    waits = f" {held} operation{'s' if held != 1 else ''} of agents {'are' if held != 1 else 'is'} held." if row.stopped and held else ""
    reason = f" Reason: {row.stop_reason}" if row.stop_reason else ""
    limit = rules.approval_cost(row)
    cost = f"above ${limit:,.2f}/h a person is asked" if limit is not None else "no cost is too high for them to go on by themselves"
    return f"{rules.sentence(row)}{reason}{waits}" if row.stopped else f"Agents may write; {cost}. What is destructive waits for a person."
