"""`manage.py up`: sandbox, web server, dispatcher, workers, and the cluster `demo`, on one machine."""

from __future__ import annotations

import json
import os
import signal
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
        code = 1
        try:
            state_dir = options["state_dir"].resolve()
            with claim(state_dir):
                ports = (free_port(options["port"], "--port"), free_port(options["sandbox_port"], "--sandbox-port"))
                stack = Stack(Choices(*ports, state_dir, options["speed"]))
                code = self._run(stack, screen, options)
        except Refusal as refusal:
            print(f"instantstart: {refusal}", file=sys.stderr)
            if options["json"]:
                print(json.dumps({"ok": False, "error": str(refusal)}))
        except Stopped:
            code = 0 if stack and stack.up else 130
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if stack is not None:
                screen.say("Stopping …")
                stack.stop()
        sys.stdout.flush()
        os._exit(code) if code else sys.exit(0)

    def _run(self, stack: Stack, screen: Screen, options: dict[str, Any]) -> int:
        build = BuildProgress(stack.start_build())
        screen.say(f"Simulated AWS on {stack.endpoint}")
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        account = json.loads(stack.manage("ensure_admin", "--json"))
        screen.say(f"InstantStart on {stack.url}")
        stack.start_product()
        api = Api(stack.http, stack.url, account["token"])
        outcome: dict[str, Any] = {"ok": True}
        if not options["no_demo"]:
            outcome = self._demo(stack, screen, api, build)
        if options["json"]:
            print(json.dumps(outcome), flush=True)
        if not outcome["ok"]:
            return 1
        if options["once"]:
            return 0
        stack.up = True
        self._tell(stack, screen, account)
        self._stay(stack, screen)
        return 0

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
        screen.table([(row["type"], row["id"]) for row in outcome["resources"]])
        return outcome

    def _settle(self, stack: Stack, api: Api) -> None:
        """Give the observers a moment to look at what was there before."""
        for _ in range(60):
            stack.tend()
            if all(phase["state"] == "ready" for phase in demo.phases(api)):
                return
            time.sleep(0.5)

    def _tell(self, stack: Stack, screen: Screen, account: dict[str, Any]) -> None:
        password = account["password"] or "(shown when it was made; `manage.py changepassword admin` sets another)"
        screen.say(f"\n  Open      {stack.url}\n  User      {account['username']}\n  Password  {password}\n")
        folder = stack.choices.state_dir
        default = folder == settings.STATE_DIR and stack.choices.sandbox_port == 4599
        flags = "" if default else f" --state-dir {folder / 'sandbox'}"
        screen.say("  From outside, in another terminal:")
        for command in (
            f'eval "$(.venv/bin/python manage.py sandbox env{flags})"',
            f"aws sagemaker describe-cluster --cluster-name {demo.NAME}",
            f"aws eks update-kubeconfig --name {demo.NAME}",
            "kubectl get nodes -o wide",
            "kubectl get pods -A",
            f"aws cloudformation describe-stack-events --stack-name instantstart-{demo.NAME}-control-plane",
            "helm list -A",
        ):
            screen.say(f"    {command}")
        screen.say("\n  Ctrl-C ends everything; `make up` brings it back; `make reset` removes it.")

    def _stay(self, stack: Stack, screen: Screen) -> None:
        told: set[str] = set()
        while True:
            for name in stack.tend():
                if name not in told:
                    told.add(name)
                    screen.say(f"{name} ended and is started again; see {stack.logs / name}.log")
            time.sleep(0.5)
