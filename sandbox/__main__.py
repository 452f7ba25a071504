"""`python -m sandbox serve | env | reset | faults | clock`: the sandbox and its remote control."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

DEFAULT_PORT = 4599
DEFAULT_SPEED = 60.0
_TIMEOUT_SECONDS = 60


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    command: str = options.command
    if command == "serve":
        return _serve(options)
    if command == "env":
        return _env(options)
    try:
        return _remote(options)
    except urllib.error.HTTPError as error:
        sys.stderr.write(json.loads(error.read()).get("error", str(error)) + "\n")
        return 1
    except (urllib.error.URLError, OSError) as error:
        reason = getattr(error, "reason", error)
        sys.stderr.write(
            f"No sandbox answers at {_endpoint(options)} ({reason}): start it with `manage.py sandbox serve`, or give --endpoint.\n"
        )
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sandbox", description="AWS and Kubernetes, simulated on this machine.")
    commands = parser.add_subparsers(dest="command", required=True)
    state_dir = argparse.ArgumentParser(add_help=False)
    state_dir.add_argument("--state-dir", type=Path, default=_default_state_dir(), help="where everything is kept (default: %(default)s)")
    remote = argparse.ArgumentParser(add_help=False, parents=[state_dir])
    remote.add_argument("--endpoint", default="", help="of the running sandbox (default: the one that the state folder names)")

    serve = commands.add_parser("serve", parents=[state_dir], help="run until it is stopped")
    serve.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 takes a free one (default: %(default)s)")
    serve.add_argument("--speed", type=float, default=None, help="virtual seconds a second (default: the last one, 60 at first)")
    serve.add_argument("--log-level", default="WARNING", choices=["DEBUG", "INFO", "WARNING", "ERROR"])

    commands.add_parser("env", parents=[remote], help='exports for a shell: eval "$(… sandbox env)"')
    commands.add_parser("reset", parents=[remote], help="back to an empty account")
    commands.add_parser("status", parents=[remote], help="what is under way")

    faults = commands.add_parser("faults", parents=[remote], help="list, add or remove faults")
    faults.add_argument(
        "--add", metavar="JSON", help='{"kind": "throttle", "service": "eks", "count": 5} or {"scenario": "capacity_shortage", …}'
    )
    faults.add_argument("--remove", metavar="ID")
    faults.add_argument("--clear", action="store_true")

    clock = commands.add_parser("clock", parents=[remote], help="show or set virtual time")
    clock.add_argument("--speed", type=float)
    clock.add_argument("--pause", action="store_true")
    clock.add_argument("--resume", action="store_true")
    clock.add_argument("--fast-forward", metavar="SECONDS|next|settled")
    return parser


def _default_state_dir() -> Path:
    given = os.environ.get("SANDBOX_STATE_DIR")
    return Path(given) if given else Path("var") / "sandbox"


def _serve(options: argparse.Namespace) -> int:
    from sandbox.server import PortBusy, serve
    from sandbox.world import StateFolderBusy

    logging.basicConfig(level=options.log_level, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    os.umask(0o077)  # databases, keys and logs are the owner's alone
    state_dir: Path = options.state_dir.resolve()
    speed = options.speed
    try:
        if speed is None and not (state_dir / "sandbox.sqlite3").exists():
            speed = DEFAULT_SPEED
        return serve(state_dir, options.port, speed)
    except (PortBusy, StateFolderBusy, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"The state folder {state_dir} cannot be used ({error.strerror or error}): choose another --state-dir.\n")
        return 2


def _env(options: argparse.Namespace) -> int:
    """Prints shell exports; they hold only the sandbox's documented key."""
    settings = _stored(options.state_dir)
    exports = {
        "AWS_ENDPOINT_URL": _endpoint(options),
        "AWS_ACCESS_KEY_ID": settings.get("access_key", "AKIASANDBOX0000000"),
        "AWS_SECRET_ACCESS_KEY": settings.get("secret_key", "sandbox-secret-key"),
        "AWS_DEFAULT_REGION": settings.get("region", "us-west-2"),
        "AWS_REGION": settings.get("region", "us-west-2"),
        # A profile of the user's would send a command to the real AWS, or fail without its file.
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_PAGER": "",
    }
    for name, value in exports.items():
        print(f"export {name}='{value}'")
    print("unset AWS_PROFILE AWS_SESSION_TOKEN AWS_SECURITY_TOKEN")
    return 0


def _remote(options: argparse.Namespace) -> int:
    command: str = options.command
    if command == "reset":
        result = _ask(options, "POST", "reset", {})
    elif command == "status":
        result = _ask(options, "GET", "status")
    elif command == "clock":
        result = _clock(options)
    else:
        result = _faults(options)
    print(json.dumps(result, indent=2))
    return 0


def _clock(options: argparse.Namespace) -> Any:
    body: dict[str, Any] = {}
    if options.speed is not None:
        body["speed"] = options.speed
    if options.pause:
        body["pause"] = True
    if options.resume:
        body["resume"] = True
    if options.fast_forward is not None:
        target: str = options.fast_forward
        body["fast_forward"] = target if target in ("next", "settled") else float(target)
    return _ask(options, "POST", "clock", body) if body else _ask(options, "GET", "clock")


def _faults(options: argparse.Namespace) -> Any:
    if options.add:
        return _ask(options, "POST", "faults", json.loads(options.add))
    if options.remove:
        return _ask(options, "DELETE", f"faults/{options.remove}")
    if options.clear:
        return _ask(options, "DELETE", "faults")
    return _ask(options, "GET", "faults")


def _ask(options: argparse.Namespace, method: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the address is the user's own sandbox
        f"{_endpoint(options)}/_sandbox/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback never goes through a proxy
    with opener.open(request, timeout=_TIMEOUT_SECONDS) as reply:
        return json.load(reply)


def _endpoint(options: argparse.Namespace) -> str:
    given: str = options.endpoint
    return given.rstrip("/") or _stored(options.state_dir).get("endpoint") or f"http://127.0.0.1:{DEFAULT_PORT}"


def _stored(state_dir: Path) -> dict[str, str]:
    """What the sandbox of this folder wrote about itself when it last started; {} if none did."""
    try:
        stored: dict[str, str] = json.loads((state_dir / "endpoint.json").read_text())
        return stored
    except (OSError, ValueError):
        return {}


if __name__ == "__main__":
    sys.exit(main())
