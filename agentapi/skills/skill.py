"""One skill: its front matter and its numbered steps.

The front matter follows the Agent Skills format (https://agentskills.io/specification: name, description) and adds version, tools, toolsets
and writes. A step is a heading `## 3. Title`, prose for the agent, and one fenced `yaml` block for whoever follows it to the letter.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Model = TypeVar("Model", bound=BaseModel)

FOLDER = Path(settings.BASE_DIR) / "skills"
FILE = "SKILL.md"
_HEADING = re.compile(r"^## (?:(\d+)\. )?(.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


class SkillError(ValueError):
    """A SKILL.md that can't be read; says where and why."""


class Front(BaseModel):
    """The front matter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64)
    version: int = Field(ge=1)
    description: str = Field(min_length=1, max_length=1024, description="What it does, and when to use it.")
    tools: list[str] = Field(min_length=1, description="Every tool that a step calls.")
    toolsets: list[str] = Field(min_length=1, description="The toolsets that hold those tools.")
    writes: bool = Field(description="Whether a step changes anything.")


class Question(BaseModel):
    """What a step asks the person; the answer is `input.<name>`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    question: str = Field(min_length=1)
    kind: str = Field(default="text", pattern="^(text|integer|yes_no)$")
    default: Any = None


class Failure(BaseModel):
    """What to do when a step's call or expectation fails: say why, and stop; or go to another step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    say: str = ""
    go: str = Field(default="", description="The id of the step to go on with.")


class Step(BaseModel):
    """The fenced block. Every expression is JMESPath over the answers so far, this step's own included (expression.py)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    when: str = Field(default="", description="The step is left out unless this holds.")
    ask: list[Question] = Field(default_factory=list)
    call: str = Field(default="", description="The tool.")
    args: dict[str, Any] = Field(default_factory=dict)
    until: str = Field(default="", description="The same call again until this holds; the tool itself waits.")
    expect: list[str] = Field(default_factory=list)
    on_fail: Failure = Failure()
    say: str = Field(default="", description="What to tell the person.")


@dataclass(frozen=True)
class Skill:
    """steps: in order, with their titles. text: the whole file."""

    front: Front
    steps: tuple[Step, ...]
    titles: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        return self.front.name

    @property
    def digest(self) -> str:
        """SHA-256 of the text without its version."""
        return hashlib.sha256(re.sub(r"^version: .*\n", "", self.text, count=1, flags=re.MULTILINE).encode()).hexdigest()


def parse(text: str, where: str = FILE) -> Skill:
    """Raises SkillError, which names the place."""
    matter = _FRONT.match(text)
    if matter is None:
        raise SkillError(f"{where}: no front matter between two lines of ---.")
    front = _read(Front, matter.group(1), f"{where}: front matter")
    headings = [match for match in _HEADING.finditer(text) if match.group(1)]
    ends = [match.start() for match in _HEADING.finditer(text)] + [len(text)]
    steps, titles = [], []
    for number, heading in enumerate(headings, start=1):
        place = f"{where}: step {heading.group(1)}"
        if int(heading.group(1)) != number:
            raise SkillError(f"{place} should be step {number}.")
        section = text[heading.end() : min(end for end in ends if end > heading.start())]
        blocks = _BLOCK.findall(section)
        if len(blocks) != 1:
            raise SkillError(f"{place} has {len(blocks)} yaml blocks; it needs exactly one.")
        if not _BLOCK.sub("", section).strip():
            raise SkillError(f"{place} has no prose.")
        steps.append(_read(Step, blocks[0], place))
        titles.append(heading.group(2))
    if not steps:
        raise SkillError(f"{where}: no step; a step is a heading like `## 1. Look first`.")
    return Skill(front, tuple(steps), tuple(titles), text)


def load(name: str) -> Skill | None:
    """The skill of that name, or None."""
    if not re.fullmatch(r"[a-z0-9-]{1,64}", name):
        return None
    path = FOLDER / name / FILE
    return parse(path.read_text(encoding="utf-8"), f"skills/{name}/{FILE}") if path.is_file() else None


def load_all() -> tuple[Skill, ...]:
    """Every skill, by name."""
    found = (load(path.parent.name) for path in sorted(FOLDER.glob(f"*/{FILE}")))
    return tuple(skill for skill in found if skill is not None)


def _read(model: type[Model], text: str, place: str) -> Model:
    try:
        given = yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise SkillError(f"{place} is no YAML: {problem}") from problem
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        first = problem.errors()[0]
        raise SkillError(f"{place}, {'.'.join(str(part) for part in first['loc']) or 'block'}: {first['msg']}.") from problem
