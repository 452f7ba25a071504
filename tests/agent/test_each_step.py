"""No step of a skill can be missing: the scripted agent refuses the rest before its first call.

Without the sandbox: what a step finds is used by a later one, and the last one tells the person; what is missing shows in the text itself.
That a whole text suffices is shown beside this, by running each against the sandbox.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agent.interpreter import NotInTheTextError, Run, follow, steps_of

SKILLS = {path.parent.name: path.read_text(encoding="utf-8") for path in sorted(Path("skills").resolve().glob("*/SKILL.md"))}
STEPS = [(name, number) for name, text in SKILLS.items() for number in range(1, len(steps_of(text)) + 1)]


class NobodyThere:
    """A server that must not be asked."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        raise AssertionError(f"{name} was called")


def without(text: str, number: int) -> str:
    parts = text.split("\n## ")
    kept = [part for part in parts if not part.startswith(f"{number}. ")]
    assert len(kept) == len(parts) - 1
    return "\n## ".join(kept)


def test_there_are_nine_skills_of_several_steps_each() -> None:
    assert len(SKILLS) == 9
    assert all(len(steps_of(text)) >= 4 for text in SKILLS.values())


@pytest.mark.parametrize(("skill", "number"), STEPS)
def test_a_run_without_one_of_the_steps_fails_before_anything_is_called(skill: str, number: int) -> None:
    run = Run()
    with pytest.raises(NotInTheTextError):
        asyncio.run(follow(without(SKILLS[skill], number), NobodyThere(), lambda *asked: None, run=run))
    assert (run.calls, run.said) == ([], [])
