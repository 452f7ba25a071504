"""How OpenAPI 3.1 is generated: every query parameter, every header of ours and every refusal is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent

from instantstart.api import parameters

if TYPE_CHECKING:
    from instantstart.api.views import Conventions

PROBLEM_MEDIA_TYPE = "application/problem+json"
_SAFE = ("GET", "HEAD", "OPTIONS")

# Status → what it means; the codes that a body's `code` may carry are told where they are raised.
_EVERYWHERE = {
    "401": "No valid session or token.",
    "403": "The role, the token or CSRF does not allow it.",
    "500": "Our fault; see the log.",
}
_ON_READS = {"400": "A query parameter is unknown or not acceptable."}
_ON_ONE = {"404": "There is none of that name, or the token may not see it."}
_ON_WRITES = {
    "400": "Malformed body, query parameter or Idempotency-Key.",
    "409": "Something is in the way: another operation, a changed plan, a state.",
    "415": "Not application/json.",
    "422": "The input is not acceptable; see errors.",
    "429": "The token's limit of an hour is used up; Retry-After says until when.",
}


class Schema(AutoSchema):
    """REST framework's view inspector with our conventions added."""

    def get_override_parameters(self) -> list[Any]:
        found = list(super().get_override_parameters())
        view = self._conventional_view()
        if view is None:
            return found
        found += view.own_parameters()
        if self.method in _SAFE:
            if parameters.FIELDS.name in view.known_parameters():
                found.append(parameters.FIELDS)
            found.append(parameters.IF_NONE_MATCH)
        else:
            found.append(parameters.IDEMPOTENCY_KEY)
        return found

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        responses: dict[str, Any] = super()._get_response_bodies(direction)
        if direction != "response":
            return responses
        told = dict(_EVERYWHERE)
        if self.method in _SAFE:
            told |= _ON_READS
            if self._conventional_view() is not None:
                responses.setdefault("304", {"description": "It is still what If-None-Match says."})
        else:
            told |= _ON_WRITES
        if "{" in self.path:
            told |= _ON_ONE
        if any(
            isinstance(parameter, type(parameters.IF_MATCH)) and parameter.name == "If-Match"
            for parameter in self.get_override_parameters()
        ):
            told["412"] = "It is not any more what If-Match says."
        for status, description in told.items():
            responses.setdefault(status, {"description": description, "content": {PROBLEM_MEDIA_TYPE: {"schema": self._problem()}}})
        return dict(sorted(responses.items()))

    def _problem(self) -> dict[str, Any]:
        from instantstart.api.problem_schema import ProblemSerializer

        reference: dict[str, Any] = self.resolve_serializer(ProblemSerializer, "response").ref
        return reference

    def _conventional_view(self) -> Conventions | None:
        from instantstart.api.views import Conventions

        return self.view if isinstance(self.view, Conventions) else None


class TypedInput(PydanticExtension):  # type: ignore[no-untyped-call]
    """Pydantic models: as input for requests (what has a default may be left out), as output for answers."""

    priority = 1
    target_class = "pydantic.BaseModel"
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Any) -> dict[str, Any]:
        mode = "validation" if direction == "request" else "serialization"
        schema: dict[str, Any] = self.target.model_json_schema(ref_template="#/components/schemas/{model}", mode=mode)
        for name, part in schema.pop("$defs", {}).items():
            component = ResolvedComponent(name, ResolvedComponent.SCHEMA, part, name)  # type: ignore[no-untyped-call]
            auto_schema.registry.register_on_missing(component)
        return schema
