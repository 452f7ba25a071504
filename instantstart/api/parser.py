"""The body of a call: one JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from instantstart import strict_json
from instantstart.problem import Problem


class ObjectParser(BaseParser):
    """Problem 400 `malformed_body` for what is no JSON that can be read in one way only, `not_an_object` for JSON of another type."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            document = strict_json.loads(stream.read())
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        if not isinstance(document, dict):
            raise Problem(400, "not_an_object", "Not an object", "The body must be a JSON object.", "Send {…} with the fields by name.")
        return document
