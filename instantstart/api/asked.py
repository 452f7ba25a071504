"""The body of a call that writes to our own database; actions have their pydantic inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers


# No docstring of its own: it would describe every body in the schema that has none.
class Asked(serializers.Serializer[Any]):
    # A field that it does not know is refused, as actions refuse it: a limit with a slip of the pen in its name is no limit.
    def to_internal_value(self, data: Any) -> Any:
        known = {name for name, field in self.fields.items() if not field.read_only}
        unknown = sorted({*data} - known) if isinstance(data, Mapping) else []
        if unknown:
            sentence = f"There is no such field; the fields are {', '.join(sorted(known))}."
            raise serializers.ValidationError({name[:64]: [serializers.ErrorDetail(sentence, "extra_forbidden")] for name in unknown})
        return super().to_internal_value(data)
