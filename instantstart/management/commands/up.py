"""`manage.py up`: sandbox, web server, dispatcher, workers, and the cluster `demo`, on one machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from instantstart.up import demo
from instantstart.up.api import Api
from instantstart.up.build import BuildProgress
from instantstart.up.preflight import claim, free_port
from instantstart.up.refusal import Refusal
from instantstart.up.screen import Screen
from instantstart.up.stack import Choices, Stack
from instantstart.up.welcome import Account, look_around, sign_in


class Stopped(Exception):
    """Ctrl-C or SIGTERM."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stopped


class Command(BaseCommand):
    help = "Run everything on this machine against the sandbox, and create the cluster `demo` through the API."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=3099, help="port of the web server (0: any free one)")
        parser.add_argument("--sandbox-port", type=int, default=4599, help="port of simulated AWS (0: any free one)")
        parser.add_argument("--state-dir", type=Path, default=settings.STATE_DIR, help="folder of everything that is kept")
        parser.add_argument("--speed", type=float, default=60.0, help="how many times faster than AWS the sandbox works")
        parser.add_argument("--once", action="store_true", help="stop everything once the cluster is there")
        parser.add_argument("--json", action="store_true", help="print the outcome as one JSON document on standard output")
        parser.add_argument("--no-demo", action="store_true", help="create no cluster")

    def handle(self, **options: Any) -> None:
        signal.signal(signal.SIGINT, _stop)
        signal.signal(signal.SIGTERM, _stop)
        screen = Screen(sys.stderr if options["json"] else sys.stdout)
        stack: Stack | None = None
        account: Account | None = None
        code = 1
        os.umask(0o077)  # database, logs and keys of all that is started here are the owner's alone
        try:
            state_dir = options["state_dir"].resolve()
            with claim(state_dir):
                ports = (free_port(options["port"], "--port"), free_port(options["sandbox_port"], "--sandbox-port"))
                stack = Stack(Choices(*ports, state_dir, options["speed"]))
                build = BuildProgress(stack.start_build())
                account = self._start(stack, screen)
                code = self._run(stack, screen, account, build, options)
        except Refusal as refusal:
            print(f"instantstart: {refusal}", file=sys.stderr)
            if options["json"]:
                print(json.dumps({"ok": False, "error": str(refusal), **(account.shown() if account else {})}))
        except Stopped:
            code = 0 if stack and stack.up else 130
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if stack is not None:
                screen.say("Stopping …")
                stack.stop()
                self._revoke(stack, screen, account)
        sys.stdout.flush()
        os._exit(code) if code else sys.exit(0)

    def _start(self, stack: Stack, screen: Screen) -> Account:
        """Start simulated AWS and make the admin; the sign-in is told at once, since whatever fails later, it is not told again."""
        screen.say(f"Simulated AWS on {stack.endpoint}")
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        account = Account(**json.loads(stack.manage("ensure_admin", "--json")))
        screen.say(sign_in(stack.url, account, stack.choices.state_dir))
        return account

    def _run(self, stack: Stack, screen: Screen, account: Account, build: BuildProgress, options: dict[str, Any]) -> int:
        stack.start_product()
        screen.say(f"InstantStart on {stack.url}")
        api = Api(stack.http, stack.url, account.token)
        outcome: dict[str, Any] = {"ok": True}
        if not options["no_demo"]:
            outcome = self._demo(stack, screen, api, build)
        if options["json"]:
            print(json.dumps({**outcome, **account.shown()}), flush=True)
        if not outcome["ok"]:
            return 1
        if options["once"]:
            return 0
        stack.up = True
        self._tell(stack, screen, account)
        self._stay(stack, screen)
        return 0

    def _revoke(self, stack: Stack, screen: Screen, account: Account | None) -> None:
        """End the token that this run worked with; it would live for hours."""
        if account is None:
            return
        try:
            stack.manage("ensure_admin", "--revoke", account.token_name)
        except (Refusal, subprocess.TimeoutExpired) as error:
            screen.say(f"The token {account.token_name} could not be revoked, and ends by itself within 12 hours: {error}")

    def _demo(self, stack: Stack, screen: Screen, api: Api, build: BuildProgress) -> dict[str, Any]:
        speed = stack.clock_speed()
        existing = demo.find(api)
        began = time.monotonic()
        if existing is None:
            screen.say(f"Creating the cluster {demo.NAME} through the API; the sandbox's time runs {speed:g} times as fast")
            operation = demo.create(api)
            current: dict[str, Any] = {}
            for current, phases in demo.watch(api, operation, stack.tend):  # noqa: B007 (read after the loop)
                screen.phases(phases, speed, build.line())
                if build.failed:
                    raise Refusal(build.reason())
            if current["state"] != "succeeded":
                screen.say(f"  {current['error_message']} {current['error_hint']}".rstrip())
            else:
                screen.say(f"Ready after {time.monotonic() - began:.0f} s")
        else:
            screen.say(f"The cluster {demo.NAME} exists already: shown as it is, not made anew")
            self._settle(stack, api)
            screen.phases(demo.phases(api), speed)
        cluster = demo.find(api)
        if cluster is None:
            raise Refusal(f"The cluster {demo.NAME} is not there any more.")
        outcome = demo.outcome(cluster, demo.phases(api), demo.resources(api), speed)
        screen.drawn = 0
        screen.made([row["type"] for row in outcome["resources"]])
        return outcome

    def _settle(self, stack: Stack, api: Api) -> None:
        """Give the observers a moment to look at what was there before."""
        for _ in range(60):
            stack.tend()
            if all(phase["state"] == "ready" for phase in demo.phases(api)):
                return
            time.sleep(0.5)

    def _tell(self, stack: Stack, screen: Screen, account: Account) -> None:
        screen.say("  From outside, in another terminal:")
        usual = stack.choices.state_dir == settings.STATE_DIR and stack.choices.sandbox_port == 4599
        for command in look_around(stack.choices.state_dir, usual=usual):
            screen.say(f"    {command}")
        screen.say(sign_in(stack.url, account, stack.choices.state_dir))
        screen.say("  Ctrl-C ends everything; `make up` brings it back; `make reset` removes it.")

    def _stay(self, stack: Stack, screen: Screen) -> None:
        told: set[str] = set()
        while True:
            for name in stack.tend():
                if name not in told:
                    told.add(name)
                    screen.say(f"{name} ended and is started again; see {stack.logs / name}.log")
            time.sleep(0.5)
