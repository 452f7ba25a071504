"""The skills that there are: each can be followed, and its version rises with its text."""

from __future__ import annotations

import json

import pytest

from agentapi import snapshot
from agentapi.skills import versions
from agentapi.skills.linting import known_tools, lint
from agentapi.skills.skill import Skill, load_all

SKILLS = load_all()
TOOLS = known_tools(json.loads(snapshot.FILE.read_text()))


@pytest.mark.parametrize("skill", SKILLS, ids=lambda skill: skill.name)
def test_a_skill_can_be_followed_with_the_tools_there_are(skill: Skill) -> None:
    assert lint(skill, TOOLS) == []


def test_the_versions_are_those_that_are_committed() -> None:
    assert versions.findings(SKILLS, versions.committed()) == []


def test_a_skill_lies_in_the_folder_of_its_name() -> None:
    assert [skill.name for skill in SKILLS] == sorted(path.parent.name for path in versions.FOLDER.glob("*/SKILL.md"))
