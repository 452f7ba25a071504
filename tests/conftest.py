"""One running product with the cluster `demo`, on a Redis of its own, for the tests of the documents' commands and of Redis."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from instantstart.up import demo
from instantstart.up.api import Api
from instantstart.up.preflight import claim, free_port
from instantstart.up.stack import Choices, Stack
from tests.servers import redis

SPEED = 240.0


@dataclass(frozen=True)
class Running:
    """secret: of an admin's token. redis_url: of the queue's broker."""

    stack: Stack
    api: Api
    secret: str
    redis_url: str
    creation: str
    """The operation that made `demo`, as its last reading says."""


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("running")
    lock = claim(folder)
    stack = Stack(Choices(free_port(0, ""), free_port(0, ""), folder, SPEED))
    with redis() as redis_url:
        try:
            with pytest.MonkeyPatch.context() as environment:  # what the parts start with; the tests' own stays as it is
                environment.setenv("REDIS_URL", redis_url)
                environment.delenv("DATABASE_URL", raising=False)
                stack.start_sandbox()
            stack.manage("migrate", "--verbosity", "0")
            account = json.loads(stack.manage("ensure_admin", "--json"))
            stack.start_product()
            api = Api(stack.http, stack.url, account["token"])
            operation = demo.create(api)
            until = time.monotonic() + 180
            while (state := api.get(f"/operations/{operation}/")["state"]) not in demo.DONE:
                assert time.monotonic() < until, api.get(f"/operations/{operation}/")
                stack.tend()
                time.sleep(0.2)
            yield Running(stack, api, account["token"], redis_url, state)
        finally:
            stack.stop()
            lock.close()
