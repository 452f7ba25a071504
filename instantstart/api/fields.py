"""`?fields=`: only the members the caller asks for."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from instantstart.problem import FieldError, Problem

PARAMETER = "fields"


def keep_fields(serializer: Any, request: Request) -> None:
    """Drop what the request's `fields` does not name, before anything is computed for it. Problem 400 for a name there is not."""
    given = request.query_params.get(PARAMETER)
    if given is None:
        return
    target: Any = serializer.child if isinstance(serializer, serializers.ListSerializer) else serializer
    wanted = {name.strip() for name in given.split(",") if name.strip()}
    known = set(target.fields)
    if unknown := sorted(wanted - known):
        errors = [
            FieldError(PARAMETER, "unknown_field", f"There is no field {name}.", f"Choose from: {', '.join(target.fields)}.")
            for name in unknown
        ]
        raise Problem(400, "invalid_parameter", "Invalid parameter", f"No such field: {', '.join(unknown)}.", errors[0].hint, errors=errors)
    if wanted:
        for name in known - wanted:
            target.fields.pop(name)
