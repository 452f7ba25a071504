"""Everything one sandbox holds. One per process; handlers reach it through their Context."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox import settings as settings_module
from sandbox.agenda import Agenda, Item, handler_of
from sandbox.aws import services
from sandbox.aws.context import Context
from sandbox.clock import Clock
from sandbox.database import Database
from sandbox.faults import Faults
from sandbox.identity import Identity, Principal, stable_id
from sandbox.ledger import Cause, Ledger
from sandbox.requests import RequestLog
from sandbox.store import Store
from sandbox.trail import Trail

if TYPE_CHECKING:
    from sandbox.kube.protocol import KubeBackend

log = logging.getLogger(__name__)

Seeder = Callable[[Context], None]
_seeders: list[Seeder] = []

_MAX_SETTLE_STEPS = 20_000  # of one fast-forward; an agenda that never ends must not hang the process
_MAX_SETTLE_SECONDS = 30 * 86_400.0
# What recurs in the background is caught up for a virtual day at most: after a night at speed 60 it would be weeks of looking.
_MAX_CATCH_UP = 86_400.0


class StateFolderBusy(Exception):
    """Another sandbox works on this state folder."""


def on_new_account(seeder: Seeder) -> Seeder:
    """Register what every account starts with (its own users, a default VPC …): called once for each account, then stored."""
    _seeders.append(seeder)
    return seeder


class World:
    def __init__(self, state_dir: Path, *, speed: float | None = None, account: str | None = None, region: str | None = None) -> None:
        services.load()
        _make_private(state_dir)
        self._lock = _lock(state_dir)
        self.database = Database(state_dir / "sandbox.sqlite3")
        self.settings = settings_module.load(self.database, state_dir, speed=speed, account=account, region=region)
        self.clock = Clock(self.database, self.settings.speed)
        if speed is not None and self.clock.speed != speed:
            self.clock.set_speed(speed)
        self.ledger = Ledger(self.database, self.clock)
        self.store = Store(self.database, self.ledger)
        self.agenda = Agenda(self.database)
        self.faults = Faults(self.database)
        self.identity = Identity(self.store)
        self.requests = RequestLog(self.database)
        self.trail = Trail(self.database, self.clock)
        self.kube: KubeBackend | None = None
        self.services: dict[str, Any] = {}  # what a service keeps for this process only; nothing that must survive
        self._settling = False
        self.add_account(self.settings.account)
        for hook in _on_world:
            hook(self)

    @property
    def files(self) -> Path:
        """Folder of what is too large for the database (S3 objects)."""
        return self.settings.state_dir / "files"

    def add_account(self, account: str, access_key: str = "", secret_key: str = "") -> None:
        """An account with a user `sandbox` that may do everything; nothing happens if it exists already."""
        if self.store.get("_account", "*", account) is not None:
            return
        default = account == self.settings.account
        key = access_key or (self.settings.access_key if default else f"AKIA{account}AA"[:20])
        arn = f"arn:aws:iam::{account}:user/{self.settings.user}"
        principal = Principal(arn=arn, account=account, kind="user", user_id=stable_id("AIDA", account, self.settings.user), access_key=key)
        with self.database.transaction():
            self.store.put("_account", "*", account, {"account": account, "access_key": key})
            self.identity.add_key(principal, key, secret_key or self.settings.secret_key)
            context = self.context("sandbox", account=account)
            with self.acting(context):
                for seeder in _seeders:
                    seeder(context)

    def context(
        self,
        service: str,
        operation: str = "",
        *,
        account: str = "",
        region: str = "",
        principal: Principal | None = None,
        source: str = "service",
        request_id: str = "",
    ) -> Context:
        """A Context for something that no request asked for: AWS's own doing (controllers, agenda), or a test."""
        account = account or self.settings.account
        return Context(
            world=self,
            account=account,
            region=region or self.settings.region,
            principal=principal or Principal(arn=f"arn:aws:iam::{account}:root", account=account, kind="service"),
            request_id=request_id or str(uuid.uuid4()),
            service=service,
            operation=operation,
            source=source,
        )

    @contextmanager
    def acting(self, context: Context) -> Iterator[None]:
        """What changes inside is noted in the ledger as this request's doing."""
        before = self.ledger.cause
        self.ledger.cause = Cause(context.request_id, f"{context.service}:{context.operation}", context.source)
        try:
            yield
        finally:
            self.ledger.cause = before

    def settle(self) -> int:
        """Run what is due on the agenda, in order, the clock pinned to each event's moment. Returns how many ran."""
        if self._settling:
            return 0
        self._settling = True
        try:
            ran = 0
            while ran < _MAX_SETTLE_STEPS:
                item = self.agenda.first()
                now = self.clock.now()
                if item is None or item.at > now:
                    break
                if item.background and item.at < now - _MAX_CATCH_UP:
                    self.agenda.move(item, now - _MAX_CATCH_UP)
                    continue
                self._run(item)
                ran += 1
            return ran
        finally:
            self._settling = False

    def next_moment(self) -> float | None:
        """The virtual moment of the next event or status change, None when nothing is under way."""
        moments = [self.agenda.upcoming(), self.store.upcoming(self.clock.now())]
        return min((moment for moment in moments if moment is not None), default=None)

    def fast_forward(self, target: float | str) -> float:
        """Jump by virtual seconds, to the "next" change, or until all is "settled". Returns the virtual seconds jumped."""
        self.settle()
        began = self.clock.now()
        if not isinstance(target, str):
            self.clock.fast_forward(target)
            self.settle()
        elif target == "next":
            self._jump()
        elif target == "settled":
            for _ in range(_MAX_SETTLE_STEPS):
                if self.clock.now() - began > _MAX_SETTLE_SECONDS or not self._jump():
                    break
        else:
            raise ValueError(f'fast_forward must be a number of virtual seconds, "next" or "settled", not {target!r}.')
        return self.clock.now() - began

    def reset(self) -> None:
        """Back to an empty account: resources, history, faults and the clock go; speed, keys and account stay."""
        speed = self.clock.speed
        self.database.clear()
        self.clock.restart(speed)
        self.faults.clear()
        self.store.load()
        self.agenda.load()
        self.services.clear()
        if self.files.exists():
            shutil.rmtree(self.files)
        self.add_account(self.settings.account)

    def serve_at(self, endpoint: str) -> None:
        """Note where this run listens, also for `sandbox env` and its like: in a file that names the folder's sandbox."""
        self.settings = settings = replace(self.settings, endpoint=endpoint)
        described = {
            "endpoint": endpoint,
            "account": settings.account,
            "region": settings.region,
            "access_key": settings.access_key,
            "secret_key": settings.secret_key,
        }
        path = settings.state_dir / "endpoint.json"
        written = path.with_suffix(".new")
        written.write_text(json.dumps(described))
        written.chmod(0o600)
        written.replace(path)

    def close(self) -> None:
        self.database.close()
        self._lock.close()

    def _jump(self) -> bool:
        moment = self.next_moment()
        if moment is None:
            return False
        # a hair beyond: floating point must not leave us just before the moment
        self.clock.fast_forward(max(0.0, moment - self.clock.now()) + 1e-6)
        self.settle()
        return True

    def _run(self, item: Item) -> None:
        handler = handler_of(item.name)
        origin = item.origin
        context = self.context(
            origin.service or item.name.partition(".")[0],
            origin.operation,
            account=origin.account,
            region=origin.region,
            principal=Principal(**origin.principal) if origin.principal else None,
            source=origin.source,
            request_id=origin.request_id,
        )
        try:
            if handler is None:
                raise LookupError(f"no agenda handler {item.name}")
            with self.clock.pinned(max(item.at, 0.0)), self.acting(context), self.database.transaction():
                self.agenda.cancel(item.sequence)
                handler(context, item.payload)
        except Exception:
            # One broken event must not stop time for everything else: it is set aside with its trace and shown in /status.
            log.exception("agenda event %s failed", item.name)
            self.agenda.fail(item, traceback.format_exc(limit=-5))

    def describe(self) -> dict[str, Any]:
        """What `/_sandbox/status` tells."""
        return {
            "endpoint": self.settings.endpoint,
            "state_dir": str(self.settings.state_dir),
            "account": self.settings.account,
            "region": self.settings.region,
            "time": time.time(),
            "clock": self.describe_clock(),
            "pending": len(self.agenda.pending()),
            "failed_events": self.agenda.failures(),
            "faults": self.faults.list(),
        }

    def describe_clock(self) -> dict[str, Any]:
        moment = self.next_moment()
        return {
            "now": self.clock.now(),
            "speed": self.clock.speed,
            "paused": self.clock.paused,
            "next_in": None if moment is None else max(0.0, moment - self.clock.now()),
        }


_on_world: list[Callable[[World], None]] = []


def on_world(hook: Callable[[World], None]) -> Callable[[World], None]:
    """Register something to set up in every World (IAM sets `world.identity.authorizer`)."""
    _on_world.append(hook)
    return hook


def _make_private(folder: Path) -> None:
    """The folder of a sandbox, for its owner alone: made so, or closed where it held a sandbox already."""
    if not folder.exists():
        folder.mkdir(parents=True, mode=0o700)
    elif (folder / "sandbox.sqlite3").exists() and folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)


def _lock(state_dir: Path) -> Any:
    file = (state_dir / "lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        raise StateFolderBusy(f"Another sandbox works on {state_dir}: stop it, or choose another --state-dir.") from error
    return file
