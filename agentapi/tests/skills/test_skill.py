"""A SKILL.md is read whole or refused with the place and the reason."""

from __future__ import annotations

import pytest

from agentapi.skills.skill import SkillError, load, parse
from agentapi.tests.skills.examples import TEXT


def test_a_skill_is_its_front_matter_and_its_numbered_steps() -> None:
    skill = parse(TEXT)
    assert (skill.name, skill.front.version, skill.front.writes) == ("make-a-thing", 3, True)
    assert [step.id for step in skill.steps] == ["plan", "make", "look", "tell"]
    assert skill.titles == ("Plan it", "Make it", "Look at it", "Tell")
    assert skill.steps[0].ask[0].question == "What is it called?"
    assert skill.steps[0].args == {"name": "${input.name}", "dry_run": True}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nname", "name", "no front matter"),
        ("version: 3", "version: three", "front matter, version"),
        ("writes: true", "writes: true\nowner: me", "front matter, owner: Extra inputs are not permitted"),
        ("## 2. Make it", "## 3. Make it", "step 3 should be step 2"),
        ("id: make\n", "id: make\nwhere: here\n", "step 2, where: Extra inputs are not permitted"),
        ("Say it in these words.\n", "", "step 4 has no prose"),
        ("```yaml\nid: look", "```\nid: look", "step 3 has 0 yaml blocks"),
        ("until: look", "until: [look", "step 3 is no YAML"),
        ("name: make-a-thing", "name: Make A Thing", "front matter, name"),
    ],
)
def test_a_text_that_cannot_be_read_is_refused_with_the_place(old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(SkillError) as problem:
        parse(TEXT.replace(old, new, 1), "skills/x/SKILL.md")
    assert str(problem.value).startswith("skills/x/SKILL.md: ")
    assert said in str(problem.value)


@pytest.mark.parametrize("name", ["../secrets", "no-such-skill", "", "UPPER", "a/b"])
def test_a_name_that_is_no_skill_reads_no_file(name: str) -> None:
    assert load(name) is None


def test_the_digest_is_that_of_the_text_without_its_version() -> None:
    skill = parse(TEXT)
    assert parse(TEXT.replace("version: 3", "version: 4")).digest == skill.digest
    assert parse(TEXT.replace("Words for", "Other words for")).digest != skill.digest
