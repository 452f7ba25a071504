"""Changes by the helm program; a script of the test's own stands in its place and tells how it was called."""

from __future__ import annotations

import json
import os
import stat
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from instantstart.kube.errors import HelmError
from instantstart.kube.helm import Helm
from instantstart.kube.tests.api_server import ApiServer


@pytest.fixture
def helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives a function that puts a helm in place, of Python code; `seen()` is what it wrote down."""
    folder = tmp_path / "tools"
    folder.mkdir()
    notes = tmp_path / "notes.json"
    monkeypatch.setenv("INSTANTSTART_TOOLS", str(folder))

    def place(code: str) -> Any:
        head = f"""
            #!{sys.executable}
            import json, os, stat, sys, time
            kubeconfig = os.environ["KUBECONFIG"]
            values = sys.argv[sys.argv.index("--values") + 1] if "--values" in sys.argv else ""
            notes = {{
                "argv": sys.argv[1:], "environment": dict(os.environ), "mode": stat.S_IMODE(os.stat(kubeconfig).st_mode),
                "kubeconfig": json.load(open(kubeconfig)), "values": json.load(open(values)) if values else None, "pid": os.getpid(),
            }}
            json.dump(notes, open({str(notes)!r}, "w"))
        """
        program = folder / "helm"
        program.write_text((textwrap.dedent(head) + textwrap.dedent(code)).strip() + "\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return lambda: json.loads(notes.read_text())

    return place


def refusal(call: Any) -> HelmError:
    with pytest.raises(HelmError) as raised:
        call()
    return raised.value


def test_helm_gets_an_argument_list_values_and_a_private_kubeconfig(api: ApiServer, helm: Any) -> None:
    seen = helm('print(json.dumps({"version": 3}))')
    revision = Helm(api.target).upgrade("rel", "/charts/x", "ns; rm -rf /", {"a": "$(id)"}, 30, version="1.2")
    notes = seen()
    assert revision == "3"
    assert notes["argv"][:5] == ["upgrade", "rel", "/charts/x", "--install", "--namespace"]
    assert notes["argv"][5] == "ns; rm -rf /"
    assert notes["argv"][notes["argv"].index("--timeout") + 1] == "30s"
    assert "--wait" not in notes["argv"] and "--create-namespace" in notes["argv"]
    assert notes["values"] == {"a": "$(id)"}
    assert notes["mode"] == 0o600
    assert notes["kubeconfig"]["clusters"][0]["cluster"]["server"] == api.target.endpoint
    assert notes["kubeconfig"]["users"][0]["user"]["token"].startswith("k8s-aws-v1.")


def test_no_aws_credentials_reach_helm_and_nothing_stays_behind(api: ApiServer, helm: Any) -> None:
    seen = helm("print('{}')")
    Helm(api.target).upgrade("rel", "/charts/x", "ns", {}, 30)
    notes = seen()
    assert [name for name in notes["environment"] if name.startswith("AWS_")] == []
    assert not Path(notes["environment"]["KUBECONFIG"]).exists()
    assert not Path(notes["environment"]["HOME"]).exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", "PendingOperation"),
        ("Error: uninstall: Release not loaded: rel: release: not found", "NotFound"),
        ("Error: Kubernetes cluster unreachable: Get https://x: dial tcp: connection refused", "Unreachable"),
        ("Error: the server has asked for the client to provide credentials", "Unauthorized"),
        ('Error: clusterroles.rbac.authorization.k8s.io is forbidden: User "x" cannot create', "Forbidden"),
        ('Error: path "/charts/x" not found', "ChartNotFound"),
        ("Error: UPGRADE FAILED: context deadline exceeded", "Timeout"),
        ("Error: execution error at (x.yaml:1:2): set the region", "Invalid"),
        ("Error: something else", "HelmFailed"),
    ],
)
def test_helms_words_become_codes(api: ApiServer, helm: Any, words: str, code: str) -> None:
    helm(f"print({words!r}, file=sys.stderr); sys.exit(1)")
    error = refusal(lambda: Helm(api.target).upgrade("rel", "/charts/x", "ns", {}, 30))
    assert (error.code, error.status) == (code, 1)
    assert error.message == words.removeprefix("Error: ")


def test_a_release_that_is_not_there_is_uninstalled_already(api: ApiServer, helm: Any) -> None:
    helm("print('Error: release: not found', file=sys.stderr); sys.exit(1)")
    assert Helm(api.target).uninstall("rel", "ns") is False


def test_a_helm_that_does_not_end_is_stopped(api: ApiServer, helm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = helm("time.sleep(60)")
    error = refusal(lambda: Helm(api.target).upgrade("rel", "/charts/x", "ns", {}, -1.0))
    assert (error.code, error.sent) == ("Timeout", None)
    with pytest.raises(ProcessLookupError):
        os.kill(seen()["pid"], 0)


def test_without_helm_the_way_to_get_it_is_said(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from instantstart import tools

    def nothing(name: str) -> str:
        raise tools.MissingTool(f"{name} is not installed: run `make up` once, or put it on PATH.")

    monkeypatch.setattr(tools, "path", nothing)
    error = refusal(lambda: Helm(api.target).upgrade("rel", "/charts/x", "ns", {}, 30))
    assert (error.code, error.sent) == ("MissingTool", False)
    assert "make up" in error.message
