"""`python3 -m instantstart.bootstrap up|test|system|kube`: what the Makefile calls before the virtualenv can be relied on."""

from __future__ import annotations

import subprocess
import sys

from instantstart.bootstrap import assets, machine, system, tools, virtualenv
from instantstart.bootstrap.layout import PYTHON, ROOT
from instantstart.bootstrap.report import SetupError


def build_kubernetes() -> None:
    """Build the sandbox's Kubernetes unless the user's cache has it; the builder shows its own progress."""
    done = subprocess.run([str(PYTHON), "-m", "sandbox.kube.build"], cwd=ROOT, stdout=sys.stderr)
    if done.returncode:
        raise SetupError("The sandbox's Kubernetes could not be built (see above).")


def prepare(goal: str) -> None:
    machine.check()
    if goal == "system":
        return system.ensure_system_packages()
    if goal == "test":
        system.ensure_system_packages()
    virtualenv.ensure_project(with_tests=goal == "test")
    tools.ensure_tools()
    virtualenv.ensure_aws_cli()
    assets.ensure_assets()
    if goal == "test":
        assets.ensure_test_clients()
    if goal in ("test", "kube"):
        build_kubernetes()
    return None


def main() -> int:
    goal = sys.argv[1] if len(sys.argv) == 2 else ""
    if goal not in ("up", "test", "system", "kube"):
        print("usage: python3 -m instantstart.bootstrap up|test|system|kube", file=sys.stderr)
        return 2
    try:
        prepare(goal)
    except SetupError as refusal:
        print(f"instantstart: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("instantstart: set-up was interrupted; run the same command again to go on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
