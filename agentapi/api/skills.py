"""The skills, to be read: which there are, and the text of one."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response

from agentapi.skills.skill import Skill, load, load_all
from instantstart.api.views import ApiView
from instantstart.problem import Problem


class SkillSummary(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    version: int = Field(description="Rises with every change of the text.")
    description: str = Field(description="What it does, and when to use it.")
    tools: list[str] = Field(description="The MCP tools that its steps call.")
    toolsets: list[str]
    writes: bool = Field(description="Whether a step changes anything.")
    steps: list[str] = Field(description="The titles of its steps, in order.")


class SkillBody(SkillSummary):
    text: str = Field(description="The whole SKILL.md (Markdown with YAML blocks).")


class SkillList(BaseModel):
    results: list[SkillSummary]


def summary(skill: Skill) -> dict[str, object]:
    return {**skill.front.model_dump(), "steps": list(skill.titles)}


class SkillsView(ApiView):
    @extend_schema(operation_id="skills_list", responses=SkillList)
    def get(self, request: Request) -> Response:
        """The playbooks that agents of this installation follow."""
        return Response(SkillList(results=[SkillSummary.model_validate(summary(skill)) for skill in load_all()]).model_dump(mode="json"))


class SkillView(ApiView):
    @extend_schema(responses=SkillBody)
    def get(self, request: Request, name: str) -> Response:
        """One playbook with its text."""
        skill = load(name)
        if skill is None:
            names = ", ".join(known.name for known in load_all())
            raise Problem(404, "not_found", "Not found", f"There is no skill {name}.", f"There are: {names}.")
        return Response(SkillBody.model_validate({**summary(skill), "text": skill.text}).model_dump(mode="json"))
