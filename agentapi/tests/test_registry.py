"""What holds for every tool there is, and the committed snapshot of them."""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from bpe_openai import get_encoding

from agentapi import snapshot
from agentapi.inputs import Changing, ToolInput
from agentapi.outputs import Output
from agentapi.registry import BY_NAME, NAMES, TOOLS
from agentapi.tool import TOOLSETS, Tool
from agentapi.until import holds

NOUNS = (
    *("cluster", "phase", "group", "node", "feature", "quota", "catalog", "operation", "drift", "orphan", "diagnose"),
    *("storage", "training_plan", "import", "account", "cost", "alert", "skill"),
)
FORBIDDEN = (
    "accounts",
    "operations",
    "clusters",
    "instantstart",
    "sandbox",
    "django",
    "boto3",
    "botocore",
    "kubernetes",
    "subprocess",
    "os",
)
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
ENCODING = get_encoding("o200k_base")


def counted(tool: Tool) -> int:
    """Tokens of what a model reads of it in every session."""
    shown = snapshot.entry(tool)
    kept = {name: shown[name] for name in ("name", "title", "description", "inputSchema", "annotations")}
    return len(ENCODING.encode(json.dumps(kept, separators=(",", ":"), ensure_ascii=False)))


def test_the_committed_snapshot_is_what_the_tools_are() -> None:
    assert snapshot.FILE.read_text() == snapshot.text(), "look at the difference and commit it: python manage.py mcp --snapshot"


def test_names_are_unique_and_follow_one_grammar() -> None:
    assert len(BY_NAME) == len(TOOLS)
    for name in NAMES:
        assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)+", name) and any(name.startswith(f"{noun}_") for noun in NOUNS), name


@every_tool
def test_a_tool_says_all_that_the_contract_asks_for(tool: Tool) -> None:
    shown = snapshot.entry(tool)
    assert shown["title"] and shown["description"] and tool.toolset in TOOLSETS
    assert set(shown["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
    assert shown["inputSchema"]["type"] == shown["outputSchema"]["type"] == "object"
    assert shown["inputSchema"]["additionalProperties"] is False
    assert "error" in shown["outputSchema"]["properties"]
    assert issubclass(tool.Input, ToolInput) and issubclass(tool.Output, Output)


@every_tool
def test_what_writes_takes_a_plan_and_a_key_and_names_what_verifies_it(tool: Tool) -> None:
    assert issubclass(tool.Input, Changing) == tool.takes_plan == tool.writes
    if tool.destructive:
        assert tool.writes
    if tool.verify is not None:
        verifier = BY_NAME[tool.verify.tool]
        assert not verifier.writes
        assert set(tool.verify.arguments) <= set(verifier.Input.model_fields)
        holds(re.sub(r"\{\w+\}", "x", tool.verify.until), {})


def test_a_tool_is_260_tokens_on_average_and_the_core_4000_together() -> None:
    sizes = {tool.name: counted(tool) for tool in TOOLS}
    assert sum(sizes.values()) / len(sizes) <= 260
    assert sum(sizes[tool.name] for tool in TOOLS if tool.toolset == "core") <= 4000


@every_tool
def test_a_tool_reaches_nothing_but_rest(tool: Tool) -> None:
    """By its module's imports, and by those of every module of ours that it imports."""
    seen: set[str] = set()
    waiting = [tool.run.__module__]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for imported in imports(Path(inspect.getfile(sys.modules[name]))):
            assert imported.partition(".")[0] not in FORBIDDEN, f"{name} imports {imported}"
            if imported.startswith("agentapi") and imported in sys.modules:
                waiting.append(imported)
    assert "agentapi.rest" in seen


def imports(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize(
    ("until", "data", "expected"),
    [
        ("state is ready", {"state": "ready"}, True),
        ("state is ready or degraded", {"state": "degraded"}, True),
        ("state is ready", {}, False),
        ("error.code is not_found", {"error": {"code": "not_found"}}, True),
        ("count is 4 and ended is true", {"count": 4, "ended": True}, True),
        ("operation is none", {"state": "ready"}, True),
    ],
)
def test_a_condition_is_read_from_an_answer(until: str, data: dict[str, Any], expected: bool) -> None:
    assert holds(until, data) is expected


def test_what_is_no_condition_is_refused() -> None:
    with pytest.raises(ValueError, match="is no condition"):
        holds("when it is done", {})
