"""The table of combination rules, to be read: nothing of AWS is asked."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import BaseModel, ConfigDict, Field
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import rules
from instantstart.api.views import ApiView
from instantstart.problem import FieldError, Problem
from operations.choices import Severity

NOUN = OpenApiParameter(
    "noun",
    OpenApiTypes.STR,
    enum=[noun.value for noun in rules.Noun],
    description="Only rules about a cluster, a group, a feature, a job or an endpoint.",
)
SEVERITY = OpenApiParameter("severity", OpenApiTypes.STR, enum=["error", "warning"], description="Only rules of this severity.")


class RuleBody(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: str = Field(description="The code that a plan's check carries.")
    noun: rules.Noun = Field(description="What it is about.")
    severity: Severity = Field(description="error: the plan is refused; warning: the plan tells.")
    sentence: str = Field(description="What is wrong; ‹words› are filled in by the case.")
    fix: str = Field(description="What to do then.")
    field: str = Field(description="The input field at fault; of a rule about groups within the group.")
    source: str = Field(description="How this is known.")


class RuleList(BaseModel):
    results: list[RuleBody]


def bodies() -> list[RuleBody]:
    return [
        RuleBody(
            code=rule.code,
            noun=rule.noun,
            severity=rule.severity,
            sentence=rule.general,
            fix=rule.fix,
            field=rule.field,
            source=rule.source,
        )
        for rule in rules.RULES
    ]


class RulesView(ApiView):
    query_parameters: ClassVar = {"GET": (NOUN, SEVERITY)}

    @extend_schema(responses=RuleList)
    def get(self, request: Request) -> Response:
        """What excludes or requires what: every rule that plans are held against, with its source."""
        found = bodies()
        for parameter, allowed in (("noun", [noun.value for noun in rules.Noun]), ("severity", ["error", "warning"])):
            wanted = request.query_params.get(parameter)
            if wanted and wanted not in allowed:
                error = FieldError(parameter, "unknown_choice", f"There is no {parameter} {wanted}.", f"Send {', '.join(allowed)}.")
                raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
            if wanted:
                found = [body for body in found if getattr(body, parameter) == wanted]
        return Response(RuleList(results=found).model_dump(mode="json"))
