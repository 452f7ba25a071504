"""Every command in the documents' fences is run here as it stands there, or is listed with where it is run instead."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import Running

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

ELSEWHERE = {
    "make up": "tests/test_up.py runs what it starts; CI's `make test` runs its set-up",
    "make test": "this is it",
    "export AWS_REGION=us-west-2 AWS_PROFILE=my-profile": "names somebody's account; the sandbox's environment stands in here",
    ".venv/bin/python manage.py serve": "tests/test_serve.py",
    "export DATABASE_URL=postgres://instantstart@db/instantstart": "tests/postgres.py runs on a real server",
    "export REDIS_URL=redis://redis:6379/0": "tests/test_redis.py runs on a real server",
    ".venv/bin/python manage.py sandbox serve --port 4599 --speed 60": "clusters/tests/sandbox.py and tests/conftest.py start it",
    ".venv/bin/python manage.py sandbox reset": "sandbox/tests/core; it would remove the cluster that the other commands look at",
}
SAID = {
    "aws sagemaker describe-cluster --cluster-name demo": '"ClusterStatus": "InService"',
    "aws eks update-kubeconfig --name demo": "Added new context",
    "kubectl get nodes -o wide": " Ready ",
    "kubectl get pods -A": "kube-system",
    "aws cloudformation describe-stack-events --stack-name instantstart-demo-control-plane": "CREATE_COMPLETE",
    "helm list -A": "deployed",
    ".venv/bin/python manage.py ensure_admin": "(shown this once)",
    ".venv/bin/python manage.py doctor": "arn:aws:iam::123456789012:user/sandbox",
    ".venv/bin/python manage.py sandbox status": '"account": "123456789012"',
    ".venv/bin/python manage.py sandbox clock --speed 120": '"speed": 120',
    'curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:3099/api/v1/clusters/': '"name":"demo"',
    'curl -s -H "Authorization: Bearer $TOKEN" http://127.0.0.1:3099/api/v1/me/': '"username":"admin"',
    'curl -s -H "Authorization: Bearer $TOKEN" http://127.0.0.1:3099/api/v1/skills/': '"name":"diagnose-node"',
    ".venv/bin/python manage.py skills": "create-cluster-pipeline",
    ".venv/bin/python manage.py agent-config --client kiro --out my-project": ".kiro/agents/hypd-inst-agent.json",
    ".venv/bin/python manage.py agent-config --client claude --out my-project": ".mcp.json",
    ".venv/bin/python manage.py agent-config --client generic --out my-project": "mcp.json",
    'call "$demo/export/"': '"ClusterName"',
    """call -X PATCH "$demo/features/metrics_server/?dry_run=true" -d '{"enabled": true}\'""": "metrics_server",
    """call -X DELETE "$demo/?dry_run=true" -d '{"confirm": "demo"}\'""": '"irreversible"',
    'call "http://127.0.0.1:3099/api/v1/operations/$(of operation.json id)/?wait=25"': '"kind":"group.scale"',
}
"""A part of what a command says, where that tells whether it worked (`curl` ends with 0 on any answer)."""


@dataclass(frozen=True)
class Fence:
    """A block of commands. where: file and line."""

    where: str
    commands: tuple[str, ...]


def fences() -> Iterator[Fence]:
    for path in DOCUMENTS:
        text = path.read_text()
        for found in re.finditer(r"^```(?:sh|bash|console|shell)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            lines = found[1].replace("\\\n", " ").splitlines()
            commands = tuple(filter(None, (" ".join(re.sub(r"(^|\s)#.*", "", line).split()) for line in lines)))
            yield Fence(f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}", commands)


FENCES = list(fences())


def test_the_lists_of_this_test_name_commands_that_are_in_the_documents() -> None:
    written = {command for fence in FENCES for command in fence.commands}
    assert set(ELSEWHERE) - written == set()
    assert set(SAID) - written == set()
    assert len(written) >= 20


def test_no_document_shows_commands_outside_of_fences() -> None:
    """An indented block would escape the test above."""
    shown = [
        f"{path.name}: {line}"
        for path in DOCUMENTS
        for line in re.findall(
            r"^ {4}(?:\$ )?((?:make|aws|kubectl|helm|curl|python\d?|\S*manage\.py|\S*/python) .*)$", path.read_text(), re.MULTILINE
        )
    ]
    assert shown == []


@pytest.mark.kube
@pytest.mark.slow
@pytest.mark.xdist_group("stack")
@pytest.mark.parametrize("fence", [fence for fence in FENCES if set(fence.commands) - set(ELSEWHERE)], ids=lambda fence: fence.where)
def test_the_commands_of_a_document_do_what_it_says(fence: Fence, running: Running, tmp_path: Path) -> None:
    stack = running.stack
    commands = [command for command in fence.commands if command not in ELSEWHERE]
    script = "\n".join(f"echo; echo '@@@@ {number}'\n{here(command, stack.url)}" for number, command in enumerate(commands))
    # A database of its own, so that the first admin is the first one; and a first look with no cluster in its preferences.
    environment = {**stack.environment, "TOKEN": running.secret, "DATABASE_URL": f"sqlite:///{tmp_path / 'own.sqlite3'}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.split(r"^@@@@ \d+\n", done.stdout, flags=re.MULTILINE)[1:]
    assert len(said) == len(commands)
    for command, output in zip(commands, said, strict=True):
        assert SAID.get(command, "") in output, command
    if any("iam-policy" in command for command in commands):
        assert json.loads((tmp_path / "policy.json").read_text())["Version"] == "2012-10-17"
    for command, output in zip(commands, said, strict=True):
        if "dry_run=true" in command:
            assert {"changes", "checks", "fingerprint"} <= set(json.loads(output)), output
    stack.http.request("POST", f"{stack.endpoint}/_sandbox/clock", body=b'{"speed": 240}')


def here(command: str, url: str) -> str:
    """The command with this checkout's Python, and with the address of the running product."""
    return command.replace(".venv/bin/python manage.py", f"'{sys.executable}' '{ROOT / 'manage.py'}'").replace("http://127.0.0.1:3099", url)
