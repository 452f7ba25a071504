"""`manage.py agent-config` writes what each client reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from agentapi.registry import TOOLS
from agentapi.skills.skill import load_all

READ_ONLY = [tool.name for tool in TOOLS if not tool.writes]
WRITING = [tool.name for tool in TOOLS if tool.writes]
SERVER = {
    "type": "http",
    "url": "https://portal.example.com/mcp",
    "headers": {"Authorization": "Bearer ${INSTANTSTART_TOKEN}"},
}


def configure(client: str, folder: Path, *more: str) -> None:
    call_command("agent-config", "--client", client, "--out", str(folder), "--url", "https://portal.example.com/", *more)


def test_kiro_gets_an_agent_that_may_read_without_asking(tmp_path: Path) -> None:
    configure("kiro", tmp_path)
    agent = json.loads((tmp_path / ".kiro/agents/hypd-inst-agent.json").read_text())
    assert agent["name"] == "hypd-inst-agent"
    assert agent["mcpServers"] == {"instantstart": SERVER}
    assert agent["allowedTools"] == ["read", *(f"@instantstart/{name}" for name in READ_ONLY)]
    assert (tmp_path / ".kiro/agents/hypd-inst-agent.md").is_file()
    for skill in load_all():
        assert (tmp_path / f".kiro/skills/{skill.name}/SKILL.md").read_text() == skill.text


def test_claude_gets_a_server_permissions_and_skills(tmp_path: Path) -> None:
    configure("claude", tmp_path)
    assert json.loads((tmp_path / ".mcp.json").read_text()) == {"mcpServers": {"instantstart": SERVER}}
    allowed = json.loads((tmp_path / ".claude/settings.json").read_text())["permissions"]["allow"]
    assert allowed == [f"mcp__instantstart__{name}" for name in READ_ONLY]
    assert (tmp_path / ".claude/agents/hypd-inst-agent.md").read_text().startswith("---\nname: hypd-inst-agent\n")
    assert (tmp_path / ".claude/skills/diagnose-node/SKILL.md").is_file()


def test_any_other_client_gets_the_common_document(tmp_path: Path) -> None:
    configure("generic", tmp_path)
    assert json.loads((tmp_path / "mcp.json").read_text())["mcpServers"]["instantstart"] == {**SERVER, "autoApprove": READ_ONLY}


@pytest.mark.parametrize("client", ["kiro", "claude", "generic"])
def test_no_client_may_write_without_asking_and_no_file_holds_a_token(client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSTANTSTART_TOKEN", "is_the-secret")
    configure(client, tmp_path)
    for path in tmp_path.rglob("*.json"):
        text = path.read_text()
        assert "is_the-secret" not in text
        if path.name != ".instantstart-agent.json":
            assert [name for name in WRITING if name in text] == []


def test_a_token_is_written_only_when_asked_and_then_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSTANTSTART_TOKEN", "is_the-secret")
    configure("claude", tmp_path, "--embed-token")
    assert json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["instantstart"]["headers"] == {
        "Authorization": "Bearer is_the-secret"
    }
    assert (tmp_path / ".mcp.json").stat().st_mode & 0o777 == 0o600
    assert "is_the-secret" not in (tmp_path / ".instantstart-agent.json").read_text()
    monkeypatch.delenv("INSTANTSTART_TOKEN")
    before = (tmp_path / ".mcp.json").read_text()
    with pytest.raises(CommandError, match="INSTANTSTART_TOKEN is not set"):
        configure("claude", tmp_path, "--embed-token")
    assert (tmp_path / ".mcp.json").read_text() == before
    configure("claude", tmp_path)  # not asked for any more: the reference comes back
    assert "is_the-secret" not in (tmp_path / ".mcp.json").read_text()


def test_a_second_run_keeps_what_the_user_approved_besides(tmp_path: Path) -> None:
    configure("claude", tmp_path)
    settings = tmp_path / ".claude/settings.json"
    mine = json.loads(settings.read_text())
    mine["permissions"]["allow"].append("Bash(ls:*)")
    mine["model"] = "mine"
    settings.write_text(json.dumps(mine))
    configure("claude", tmp_path)
    assert json.loads(settings.read_text()) == mine


def test_an_address_that_is_none_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--url: portal is no address"):
        call_command("agent-config", "--client", "kiro", "--out", str(tmp_path), "--url", "portal")
    assert list(tmp_path.iterdir()) == []
