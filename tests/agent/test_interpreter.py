"""The scripted agent knows nothing but what a text says."""

from __future__ import annotations

import ast
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("interpreter.py").read_text()


def test_the_interpreter_is_short_and_knows_no_skill_and_no_tool() -> None:
    assert len(SOURCE.splitlines()) <= 300
    names = {tool["name"] for tool in json.loads((ROOT / "agentapi" / "tools.json").read_text())}
    names |= {path.parent.name for path in (ROOT / "skills").glob("*/SKILL.md")}
    assert len(names) > 10
    assert [name for name in sorted(names) if name in SOURCE] == []


def test_the_interpreter_imports_nothing_of_the_product() -> None:
    imported = {
        node.module if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {str(name).partition(".")[0] for name in imported} == {
        "__future__",
        "asyncio",
        "collections",
        "dataclasses",
        "jmespath",
        "re",
        "typing",
        "yaml",
    }
