"""Five real SIGKILLs of each process, and one inside a running Helm: it ends ready, then gone, with nothing twice and nothing left."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3

from instantstart import tools
from instantstart.up.api import Api
from instantstart.up.demo import phases as phases_of
from instantstart.up.preflight import claim, free_port
from instantstart.up.stack import Choices, Stack
from tests.kills import processes
from tests.kills.journal import Journal
from tests.kills.killer import Killer

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.limit(1500), pytest.mark.xdist_group("stack")]

SPEED = 75.0
"""A creation takes about 25 minutes at speed 1."""
VICTIMS = ("sandbox", "web", "dispatcher", "worker", "child")
ONCE = (
    "cloudformation.stack",
    "ec2.vpc",
    "ec2.nat-gateway",
    "eks.cluster",
    "iam.oidc-provider",
    "s3.bucket",
    "sagemaker.cluster",
    "sagemaker.node",
)
SLOW_HELM = """#!/bin/sh
echo "$$ $1" >> {folder}/calls
if mv {folder}/armed {folder}/caught 2> {folder}/not-armed; then
  until [ -e {folder}/go ]; do sleep 0.05; done
fi
exec {helm} "$@"
"""


@pytest.fixture
def slow_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a helm that notes its calls and can be made to wait; see Killer.helm."""
    folder = tmp_path / "helm"
    folder.mkdir()
    (folder / "helm").write_text(SLOW_HELM.format(folder=folder, helm=tools.path("helm")))
    (folder / "helm").chmod(0o755)
    monkeypatch.setenv("INSTANTSTART_TOOLS", os.pathsep.join(filter(None, (str(folder), os.environ.get("INSTANTSTART_TOOLS", "")))))
    return folder


@pytest.fixture
def killer(tmp_path: Path, slow_helm: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Killer]:
    """A running product; a lease is as short as one run of Helm allows."""
    monkeypatch.setenv("INSTANTSTART_HELM_SECONDS", "12")
    monkeypatch.setenv("INSTANTSTART_LEASE_SECONDS", "25")
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "state"
    lock = claim(folder)
    stack = Stack(Choices(free_port(0, ""), free_port(0, ""), folder, SPEED))
    try:
        stack.start_sandbox()
        stack.manage("migrate", "--verbosity", "0")
        stack.start_product()
        yield Killer(stack, Journal(folder / "instantstart.sqlite3"), slow_helm)
    finally:
        stack.stop()
        lock.close()


@pytest.fixture
def api(killer: Killer) -> Api:
    account = json.loads(killer.stack.manage("ensure_admin", "--json"))
    return Api(killer.stack.http, killer.stack.url, account["token"])


def ledger(stack: Stack, query: str = "") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = stack.http.request("GET", f"{stack.endpoint}/_sandbox/ledger?limit=10000{query}").json()["ledger"]
    return rows


def made_since(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    known = {(row["kind"], row["scope"], row["id"]) for row in before}
    return [row for row in now if (row["kind"], row["scope"], row["id"]) not in known]


def submit(killer: Killer, api: Api, method: str, path: str, body: dict[str, Any]) -> str:
    """Submits a change under one key until it is answered: the web server may be dead. The operation's id."""
    answers: list[tuple[int, Any]] = []

    def ask() -> bool:
        try:
            answer = api.call(method, path, body, **{"Idempotency-Key": f"{method} {path}"})
        except urllib3.exceptions.HTTPError:
            return False
        answers.append((answer.status, answer.body))
        return True

    killer.wait(ask, f"answer to {method} {path}")
    [(status, answered)] = answers
    assert status == 202, answered
    return str(answered["id"])


def test_killed_five_times_each_everything_ends_ready_and_then_gone(killer: Killer, api: Api, tmp_path: Path) -> None:
    stack, journal = killer.stack, killer.journal
    before = ledger(stack)
    (killer.helm / "armed").touch()

    creation = submit(killer, api, "POST", "/clusters/", {"name": "demo"})
    killer.steadily([*VICTIMS] * 3, lambda: journal.state(creation) not in ("recorded", "running"))
    assert journal.state(creation) == "succeeded", journal.faults()
    killer.wait(lambda: answered_200(stack), "ready web server")
    killer.wait(lambda: phases(api) == ["ready"] * 5, "five ready phases")
    everything = made_since(before, ledger(stack))
    kinds = Counter(row["kind"] for row in everything)
    assert {kind: kinds[kind] for kind in ONCE} == dict.fromkeys(ONCE, 1)
    assert kinds["eks.addon"] == 6
    assert helm_calls(killer.helm) == ["upgrade"], "one Helm, which outlived its worker"

    deletion = submit(killer, api, "DELETE", "/clusters/demo/", {"confirm": "demo"})
    killer.steadily([*VICTIMS] * 2, lambda: journal.state(deletion) not in ("recorded", "running"))
    assert journal.state(deletion) == "succeeded", journal.faults()
    assert killer.killed == {**dict.fromkeys(VICTIMS, 5), "worker": 6}
    killer.wait(lambda: answered_200(stack), "ready web server")
    assert api.call("GET", "/clusters/demo/").status == 404
    assert [row for row in made_since(before, ledger(stack)) if row["gone_at"] is None] == []

    stack.stop()
    assert processes.of_folder(tmp_path) == {}


def answered_200(stack: Stack) -> bool:
    try:
        return bool(stack.http.request("GET", f"{stack.url}/readyz").status == 200)
    except urllib3.exceptions.HTTPError:
        return False


def phases(api: Api) -> list[str]:
    return [row["state"] for row in phases_of(api)]


def helm_calls(folder: Path) -> list[str]:
    """The subcommands of Helm that were run."""
    return [line.split()[1] for line in (folder / "calls").read_text().splitlines()]
